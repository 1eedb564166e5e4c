//! Somebody else who has what a write takes, or what a repair deletes.

use journeys::rows::{partition_key, weak_hash};
use serde_json::{Value, json};

use super::changes::{MOVED, PASSKEY, add_passkey, end_sessions};
use super::engine::key;
use super::states::{STRANGER, Samples, State, Variant};
use super::writes::{Recorded, condition, kind_of, members, target};

/// The key and the address of somebody else's account.
const STRANGER_KEY: &str = "zzzzzzzzzzzzzzzzzzzzzw";
const STRANGER_EMAIL: &str = "stranger@example.com";

/// For each row that the write creates, somebody else who has it already; and for each that it deletes because of its
/// account, somebody else whose it is.
pub(super) fn takers(recorded: &Recorded, samples: &Samples) -> Vec<Variant> {
    let is_contested = |part: &&Value| {
        !recorded.base.contains_key(&target(part))
            || (recorded.is_repair && members(part).0 == "Delete" && condition(part).contains("#account = :v0"))
    };
    let contested = recorded.parts.iter().filter(is_contested);
    let taken = contested.filter_map(|part| {
        let rows = rows_of_stranger(recorded, samples, target(part))?;
        let variant: Variant = Box::new(move |state| {
            for row in &rows {
                state.rows.insert(key(row), row.clone());
            }
        });
        Some(variant)
    });
    taken.collect()
}

/// What may have become of another account that the write deletes.
pub(super) fn of_other(recorded: &Recorded, account: &str, samples: &Samples) -> Vec<Vec<Variant>> {
    let deletes =
        |part: &&Value| members(part).0 == "Delete" && target(part).1 == "profile" && target(part).0 != account;
    let Some((pk, _)) = recorded.parts.iter().find(deletes).map(target) else { return Vec::new() };
    let on_profile = |change: fn(&mut Value)| -> Variant {
        let key = (pk.clone(), "profile".to_owned());
        Box::new(move |state: &mut State| _ = state.rows.get_mut(&key).map(change))
    };
    let (owner, passkey) = (pk.clone(), samples.passkey.clone());
    let newer = pk.clone();
    vec![
        vec![on_profile(|profile| profile["email_verified"] = json!({"BOOL": true}))],
        vec![
            Box::new(move |state: &mut State| end_sessions(&mut state.rows, &newer)),
            Box::new(move |state: &mut State| add_passkey(&mut state.rows, &owner, &passkey, PASSKEY)),
        ],
    ]
}

/// The account of a stranger who has a row, with that row.
fn rows_of_stranger(recorded: &Recorded, samples: &Samples, (pk, sk): (String, String)) -> Option<Vec<Value>> {
    let donor = recorded.base.values().find(|item| item["sk"]["S"] == "profile");
    let mut stranger = donor.unwrap_or(&samples.profile).clone();
    let members = stranger.as_object_mut().unwrap();
    members.retain(|name, _| !name.starts_with("google") && !name.starts_with("passkey"));
    members.entry("password").or_insert(json!({"S": weak_hash("Otra1234")}));
    for name in ["id", "profile_id"] {
        members.insert(name.to_owned(), json!({"N": STRANGER}));
    }
    let address = json!({"S": STRANGER_EMAIL});
    let pointer = |pk: &str, sk: &str| json!({"pk": {"S": pk}, "sk": {"S": sk}, "account": {"S": STRANGER_KEY}});
    let written = recorded.parts.iter().flat_map(addresses_in);
    let email = written.chain([MOVED]).find(|at| partition_key(at) == pk);
    let mut rows = Vec::new();
    match kind_of(&(pk.clone(), sk.clone())).as_str() {
        "/profile" => {
            stranger["pk"] = json!({"S": pk});
            match email {
                Some(email) => stranger["email"] = json!({"S": email}),
                None if donor.is_none_or(|donor| donor["pk"]["S"] == *pk) => {
                    stranger["email"] = address;
                    let mut found = pointer(&partition_key(STRANGER_EMAIL), "profile#address");
                    found["account"] = json!({"S": pk});
                    rows.push(found);
                }
                None => {}
            }
            // A repair deletes what it takes for a remainder of the account.
            let mut deleted =
                recorded.parts.iter().filter(|part| super::writes::members(part).0 == "Delete").map(target);
            if let Some(sub) = deleted.find_map(|(pk, _)| pk.strip_prefix("google#").map(str::to_owned)) {
                stranger["google_sub"] = json!({"S": sub});
            }
        }
        "/profile#address" => {
            stranger["email"] = json!({"S": email?});
            stranger["pk"] = json!({"S": STRANGER_KEY});
            rows.push(pointer(&pk, &sk));
        }
        "google/identity" => {
            stranger["google_sub"] = json!({"S": pk.strip_prefix("google#")?});
            (stranger["pk"], stranger["email"]) = (json!({"S": STRANGER_KEY}), address);
            rows.push(pointer(&pk, &sk));
            rows.push(pointer(&partition_key(STRANGER_EMAIL), "profile#address"));
        }
        "credential/credential" => {
            let id = pk.strip_prefix("credential#")?;
            (stranger["pk"], stranger["email"]) = (json!({"S": STRANGER_KEY}), address);
            stranger["passkeys"] = json!({"SS": [id]});
            let mut row = samples.passkey.clone();
            (row["pk"], row["sk"]) = (json!({"S": STRANGER_KEY}), json!({"S": format!("passkey#{id}")}));
            row["id"] = json!({"N": STRANGER});
            rows.push(row);
            rows.push(pointer(&pk, &sk));
            rows.push(pointer(&partition_key(STRANGER_EMAIL), "profile#address"));
        }
        _ => return None,
    }
    rows.push(stranger);
    Some(rows)
}

/// The addresses in a part.
fn addresses_in(part: &Value) -> impl Iterator<Item = &str> {
    let (_, members) = members(part);
    let values = members["ExpressionAttributeValues"].as_object().into_iter().flatten().map(|(_, value)| value);
    let texts = values.chain(members["Item"].get("email")).filter_map(|value| value["S"].as_str());
    texts.filter(|text| text.contains('@') && !text.contains('#'))
}
