//! All small states in which a write may find the table: those of its account, of another account that has taken what it
//! takes, and those that other requests have left since the account was read.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::rows::{from_json, weak_hash};
use journeys::sound;
use serde_json::{Map, Value, json};
use shared::password::Format;
use shared::store::PASSKEYS_MAX;
use table_checks::Kind;

use super::changes::{PASSKEY, add_passkey, end_sessions, erase, lose_passkeys, move_away, on, switch_google};
use super::engine::{Rows, sort_sets};
use super::imported;
use super::rights::{self, PASSED};
use super::takers::{self, takers};
use super::writes::{Recorded, members, target};

/// The id of the account that has been created with the address since, and of somebody else's.
pub(super) const REBORN: &str = "700001";
pub(super) const STRANGER: &str = "700002";
const TOKENS: [&[&str]; 3] =
    [&["reset_hash", "reset_expires_at"], &["verify_hash", "verify_expires_at"], &["change_hash"]];

/// A hash of another format than this service's.
const BCRYPT: &str = "$2y$04$KOSct5zT1ejcvtGR34lZueuhF1XMXS1sT0VcO8KNDLaYIv7ANNE6q";

/// The attributes that a new account does not have.
const SINCE: [&str; 5] = ["google", "passkey", "user_handle", "lock_links", "change_"];

/// A state, and in what the account differs from the one that the request has read.
#[derive(Clone)]
pub(super) struct State {
    pub(super) rows: Rows,
    pub(super) account: Change,
    /// How many things differ.
    differing: usize,
    /// What is damaged already.
    pub(super) faults: Vec<String>,
}

/// Rows of which copies stand for those of others.
pub(super) struct Samples {
    pub(super) profile: Value,
    pub(super) passkey: Value,
}

/// What has become of the account since it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    /// All its sessions were ended.
    Newer,
    /// It was deleted.
    Gone,
    /// It was deleted, and its address was registered again.
    Reborn,
}

/// The violated invariants of a state. Sessions may be left, the table is not whole, and operators and imports may leave an
/// account without a way in but its mailbox.
pub(super) fn faults(rows: &Rows) -> Vec<String> {
    let mut items: Vec<_> = rows.values().map(from_json).collect();
    for item in &mut items {
        item.entry("locked_at".to_owned()).or_insert_with(|| AttributeValue::N("1".to_owned()));
    }
    let judged =
        |kind: Kind| !matches!(kind, Kind::Counter | Kind::CounterEnd | Kind::SessionWithoutAccount | Kind::Expired);
    // Without the whole account, so that the same fault has the same text.
    let named = |fault: String| fault.split(": {").next().unwrap_or_default().to_owned();
    sound::faults(&items, judged).into_iter().map(named).collect()
}

/// The key of the account of a write: of the profile that it names, or else of the only one.
pub(super) fn account(recorded: &Recorded) -> Option<String> {
    let profiles = || recorded.base.keys().filter(|(_, sk)| sk == "profile").map(|(pk, _)| pk.clone());
    let mut targets = recorded.parts.iter().map(target);
    let named = targets.find(|(pk, _)| profiles().any(|profile| profile == *pk)).map(|(pk, _)| pk);
    named.or_else(|| profiles().next())
}

pub(super) type Variant = Box<dyn Fn(&mut State)>;

/// At most so many states of a write have all alternatives. Of larger ones, at most so many things differ at once.
const WHOLE: usize = 16_000;
const AT_ONCE: usize = 2;

/// The states of a write: the sound ones, and those with damage if it repairs damage.
pub(super) fn all(recorded: &Recorded, samples: &Samples) -> Vec<State> {
    let dimensions = dimensions(recorded, samples);
    let product = dimensions.iter().fold(1_usize, |all, variants| all.saturating_mul(variants.len() + 1));
    let most = if product <= WHOLE { dimensions.len() } else { AT_ONCE };
    let start = State { rows: recorded.base.clone(), account: Change::Nothing, differing: 0, faults: Vec::new() };
    let mut states = vec![start];
    for variants in dimensions {
        let changed = states.iter().filter(|state| state.differing < most).flat_map(|state| {
            variants.iter().filter_map(|variant| {
                let mut changed = state.clone();
                changed.differing += 1;
                variant(&mut changed);
                (changed.rows != state.rows || changed.account != state.account).then_some(changed)
            })
        });
        let changed: Vec<_> = changed.collect();
        states.extend(changed);
    }
    let mut seen = BTreeSet::new();
    states.retain_mut(|state| {
        sort_sets(&mut state.rows);
        let is_new = seen.insert(format!("{:?} {:?}", state.rows, state.account));
        if is_new {
            state.faults = faults(&state.rows);
        }
        is_new && (recorded.is_repair || state.faults.is_empty())
    });
    states
}

/// The independent changes, each with its alternatives.
fn dimensions(recorded: &Recorded, samples: &Samples) -> Vec<Vec<Variant>> {
    let text = recorded.parts.iter().map(ToString::to_string).collect::<String>();
    let passkey = &samples.passkey;
    let mut all = rights::dimensions(recorded);
    let Some(pk) = account(recorded) else {
        all.push(takers(recorded, samples));
        return all;
    };
    let on_profile = |change: fn(&mut Value)| -> Variant {
        let pk = pk.clone();
        Box::new(move |state| {
            if let Some(item) = state.rows.get_mut(&(pk.clone(), "profile".to_owned())) {
                change(item);
            }
        })
    };
    if text.contains("google") {
        let (key, other) = (pk.clone(), pk.clone());
        all.push(vec![
            Box::new(move |state| switch_google(&mut state.rows, &key)),
            Box::new(move |state| {
                // Another identity in place of the account's own.
                switch_google(&mut state.rows, &other);
                if !state.rows.contains_key(&(format!("google#{REBORN}"), "identity".to_owned())) {
                    switch_google(&mut state.rows, &other);
                }
            }),
        ]);
    }
    if text.contains("passkey") || text.contains("credential#") {
        let (key, other) = (pk.clone(), pk.clone());
        let passkey = passkey.clone();
        all.push(vec![
            Box::new(move |state| lose_passkeys(&mut state.rows, &key)),
            Box::new(move |state| add_passkey(&mut state.rows, &other, &passkey, PASSKEY)),
        ]);
    }
    if text.contains("size(#passkeys)") {
        let (pk, passkey) = (pk.clone(), passkey.clone());
        all.push(vec![Box::new(move |state| {
            for number in 0..PASSKEYS_MAX {
                add_passkey(&mut state.rows, &pk, &passkey, &format!("{number:02}{}", &PASSKEY[2..]));
            }
        })]);
    }
    if text.contains("#passkey_user") {
        all.push(vec![on_profile(|item| item["passkey_user"] = json!({"S": PASSKEY}))]);
    }
    if text.contains("email") || text.contains("profile#address") {
        let pk = pk.clone();
        all.push(vec![Box::new(move |state| {
            move_away(&mut state.rows, &pk);
            state.account = Change::Newer;
        })]);
    }
    all.extend(TOKENS.into_iter().filter(|names| text.contains(names[0])).map(|names| token_variants(&pk, names)));
    if text.contains("lock_links") {
        all.push(vec![on_profile(|item| _ = item.as_object_mut().unwrap().remove("lock_links"))]);
    }
    if text.contains("disabled_at") {
        let pk = pk.clone();
        all.push(vec![Box::new(move |state| {
            on(&mut state.rows, &pk, |item| _ = item.insert("disabled_at".to_owned(), json!({"N": "1700000000"})));
            end_sessions(&mut state.rows, &pk);
            state.account = Change::Newer;
        })]);
        all.push(vec![on_profile(|item| _ = item.as_object_mut().unwrap().remove("disabled_at"))]);
    }
    if text.contains("#profile_id") {
        all.push(vec![on_profile(|item| item["profile_id"] = item["id"].clone())]);
    }
    if recorded.is_repair && text.contains("#nonce") {
        // Somebody has repaired it by hand.
        all.push(vec![on_profile(|item| {
            item["name"] = json!({"S": "Ana"});
            item["nonce"] = json!({"S": "other"});
        })]);
    }
    if text.contains("email_verified") {
        all.push(vec![on_profile(|item| {
            item["email_verified"] = json!({"BOOL": item["email_verified"]["BOOL"] != true});
        })]);
    }
    if text.contains("#password") {
        all.push(vec![
            on_profile(|item| set_password(item, Some(weak_hash("Otra1234")))),
            // Of another format than the one that was read.
            on_profile(|item| set_password(item, Some(BCRYPT.to_owned()))),
            on_profile(|item| set_password(item, None)),
        ]);
    }
    all.extend(imported::dimensions(recorded, &pk));
    all.extend(takers::of_other(recorded, &pk, samples));
    all.push(takers(recorded, samples));
    let sessions = recorded.base.keys().filter(|(_, sk)| sk.starts_with("session#") && text.contains(sk.as_str()));
    let sessions: Vec<_> = sessions.cloned().collect();
    if let Some(first) = sessions.first().cloned() {
        all.push(vec![
            Box::new(move |state| _ = state.rows.remove(&first)),
            Box::new(move |state| state.rows.retain(|key, _| !sessions.contains(key))),
        ]);
    }
    all.push(fates(pk));
    all
}

/// Replaces or removes the password, and says its format if the row says one.
fn set_password(profile: &mut Value, hash: Option<String>) {
    let members = profile.as_object_mut().unwrap();
    members.remove("password");
    members.extend(hash.map(|hash| ("password".to_owned(), json!({"S": hash}))));
    let format = format_of(members.get("password"));
    members.entry("password_format").and_modify(|recorded| *recorded = format);
}

/// What a profile says of the format of this password.
pub(super) fn format_of(password: Option<&Value>) -> Value {
    let format = |hash: &Value| Format::of(hash["S"].as_str().unwrap()).map_or("unknown", Format::name);
    json!({"S": password.map_or("none", format)})
}

/// A mailed token that is not there any more, has expired, or is another one.
fn token_variants(pk: &str, names: &'static [&'static str]) -> Vec<Variant> {
    let (gone, other, expired) = (pk.to_owned(), pk.to_owned(), pk.to_owned());
    let changed = move |item: &mut Map<String, Value>| {
        for name in names {
            let value = if *name == names[0] { json!({"S": PASSKEY}) } else { json!({"N": "4102444800"}) };
            item.insert((*name).to_owned(), value);
        }
    };
    vec![
        Box::new(move |state| {
            on(&mut state.rows, &gone, |item| item.retain(|name, _| !names.contains(&name.as_str())));
        }),
        Box::new(move |state| on(&mut state.rows, &other, changed)),
        Box::new(move |state| {
            on(&mut state.rows, &expired, |item| {
                for name in names.iter().skip(1) {
                    item.entry(*name).and_modify(|time| *time = json!({"N": PASSED}));
                }
            });
        }),
    ]
}

/// What may have become of the account since it was read.
fn fates(pk: String) -> Vec<Variant> {
    let (newer, gone, reborn) = (pk.clone(), pk.clone(), pk);
    vec![
        Box::new(move |state| {
            end_sessions(&mut state.rows, &newer);
            state.account = Change::Newer;
        }),
        Box::new(move |state| {
            erase(&mut state.rows, &gone);
            state.account = Change::Gone;
        }),
        Box::new(move |state| {
            let Some(mut item) = state.rows.get(&(reborn.clone(), "profile".to_owned())).cloned() else { return };
            let email =
                state.rows.iter().find(|((_, sk), row)| sk == "profile#address" && row["account"]["S"] == *reborn);
            let pointer = email.map(|(key, row)| (key.clone(), row.clone()));
            erase(&mut state.rows, &reborn);
            state.rows.extend(pointer);
            let members = item.as_object_mut().unwrap();
            // A registration is a transaction, which leaves no nonce.
            members.remove("nonce");
            let tokens = TOKENS.concat();
            let is_kept = |name: &str| !SINCE.iter().any(|prefix| name.starts_with(prefix)) && !tokens.contains(&name);
            members.retain(|name, _| is_kept(name));
            for name in ["id", "profile_id"] {
                members.entry(name.to_owned()).and_modify(|id| *id = json!({"N": REBORN}));
            }
            members.insert("generation".to_owned(), json!({"N": "1"}));
            state.rows.insert((reborn.clone(), "profile".to_owned()), item);
            state.account = Change::Reborn;
        }),
    ]
}

/// The key of the account that a write creates.
pub(super) fn made(recorded: &Recorded) -> Option<String> {
    let mut targets = recorded.parts.iter().filter(|part| members(part).0 == "Put").map(target);
    targets.find(|(_, sk)| sk == "profile").map(|(pk, _)| pk)
}
