//! What an owner or an operator may have changed between the reading of an account and its import, or the undo of one.

use serde_json::{Map, Value, json};

use super::changes::on;
use super::engine::Rows;
use super::states::Variant;
use super::writes::{Recorded, Right, members, target};

/// What an import replaces. A change of it that the import has not read must not be lost.
const REPLACED: [&str; 13] = [
    "email",
    "name",
    "url_image",
    "accept_news",
    "terms_accepted_at",
    "terms_version",
    "news_changed_at",
    "email_verified",
    "generation",
    "password",
    "google_sub",
    "disabled_at",
    "passkeys",
];
/// What only whoever has used the account leaves in it. The undo of an import must keep such an account.
const USED: [&str; 9] = [
    "change_hash",
    "former_emails",
    "browsers",
    "browsers_since",
    "passkey_user",
    "credentials_changed_by",
    "verify_hash",
    "exported_at",
    "locked_at",
];

/// Another value of an attribute that no other change of a state has.
fn other(name: &str, is: Option<&Value>) -> Option<Value> {
    Some(match name {
        "name" => json!({"S": "Otra Persona"}),
        "url_image" => json!({"S": "https://images.example.com/otra.png"}),
        "accept_news" => json!({"N": if is.is_some_and(|is| is["N"] == "1") { "0" } else { "1" }}),
        "terms_version" => json!({"S": "2"}),
        "terms_accepted_at" | "news_changed_at" | "browsers_since" | "exported_at" | "locked_at" => {
            json!({"N": "1700000001"})
        }
        "former_emails" => json!({"SS": ["1700000001000#0#otra@example.com"]}),
        "browsers" => {
            json!({"L": [{"M": {"hash": {"S": "h"}, "name": {"S": "Firefox"}, "created_at": {"N": "1700000001"}}}]})
        }
        "credentials_changed_by" => json!({"S": "Firefox"}),
        _ => return None,
    })
}

/// Each attribute of the profile that an import or an undo compares, with another value.
pub(super) fn dimensions(recorded: &Recorded, pk: &str) -> Vec<Vec<Variant>> {
    if recorded.right != Right::Import {
        return Vec::new();
    }
    let profile = recorded.parts.iter().filter(|part| target(part).1 == "profile" && members(part).0 != "Put");
    let names = profile.filter_map(|part| members(part).1["ExpressionAttributeNames"].as_object()).flatten();
    let names = names.filter_map(|(_, name)| name.as_str().map(str::to_owned));
    let changed = names.filter(|name| other(name, None).is_some()).map(|name| {
        let pk = pk.to_owned();
        let variant: Variant = Box::new(move |state| {
            on(&mut state.rows, &pk, |item: &mut Map<String, Value>| {
                item.extend(other(&name, item.get(&name)).map(|value| (name.clone(), value)));
            });
        });
        vec![variant]
    });
    changed.collect()
}

/// What an accepted import or undo has lost.
pub(super) fn lost(recorded: &Recorded, before: &Rows) -> Option<String> {
    let part = recorded.parts.iter().find(|part| target(part).1 == "profile" && members(part).0 != "Put")?;
    let is_undo = members(part).0 == "Delete";
    let (read, was) = (recorded.base.get(&target(part))?, before.get(&target(part))?);
    let mut kept = REPLACED.iter().chain(if is_undo { &USED[..] } else { &[] });
    kept.find(|name| read.get(**name) != was.get(**name)).map(|name| format!("an import has lost a change of {name}"))
}
