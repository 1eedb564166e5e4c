//! All small states in which a write may find the table: those of its account, of another account that has taken what it
//! takes, and those that other requests have left since the account was read.

use journeys::rows::{from_json, partition_key, weak_hash};
use journeys::{paths, sound};
use serde_json::{Map, Value, json};
use shared::store::PASSKEYS_MAX;
use table_checks::Kind;

use super::engine::{Rows, key, sort_sets};
use super::rights::{self, PASSED};
use super::writes::{Recorded, kind_of, members, target};

/// The id of the account that has been created with the address since, and of somebody else's.
const REBORN: &str = "700001";
pub(super) const STRANGER: &str = "700002";
/// The key of somebody else's account, and what it has.
const STRANGER_KEY: &str = "zzzzzzzzzzzzzzzzzzzzzw";
const MOVED: &str = "moved@example.com";
/// The id of a passkey that the account of the request does not have.
const PASSKEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const TOKENS: [&[&str]; 3] =
    [&["reset_hash", "reset_expires_at"], &["verify_hash", "verify_expires_at"], &["change_hash"]];

/// The attributes that a new account does not have.
const SINCE: [&str; 5] = ["google", "passkey", "user_handle", "lock_links", "change_"];

/// A state, and in what the account differs from the one that the request has read.
#[derive(Clone)]
pub(super) struct State {
    pub(super) rows: Rows,
    pub(super) account: Change,
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

/// The violated invariants of a state. Sessions may be left, and the table is not whole.
pub(super) fn faults(rows: &Rows) -> Vec<String> {
    let items: Vec<_> = rows.values().map(from_json).collect();
    sound::faults(&items, |kind| !matches!(kind, Kind::Counter | Kind::SessionWithoutAccount))
}

/// The key of the account of a write: of the profile that it names, or else of the only one.
pub(super) fn account(recorded: &Recorded) -> Option<String> {
    let profiles = || recorded.base.keys().filter(|(_, sk)| sk == "profile").map(|(pk, _)| pk.clone());
    let mut targets = recorded.parts.iter().map(target);
    let named = targets.find(|(pk, _)| profiles().any(|profile| profile == *pk)).map(|(pk, _)| pk);
    named.or_else(|| profiles().next())
}

pub(super) type Variant = Box<dyn Fn(&mut State)>;

/// The sound states of a write.
pub(super) fn all(recorded: &Recorded, passkey: &Value) -> Vec<State> {
    let start = State { rows: recorded.base.clone(), account: Change::Nothing };
    let mut states = vec![start];
    for variants in dimensions(recorded, passkey) {
        let changed = states.iter().flat_map(|state| {
            variants.iter().map(|variant| {
                let mut state = state.clone();
                variant(&mut state);
                state
            })
        });
        let changed: Vec<_> = changed.collect();
        states.extend(changed);
    }
    for state in &mut states {
        sort_sets(&mut state.rows);
    }
    let mut seen = std::collections::BTreeSet::new();
    states.retain(|state| seen.insert(format!("{:?}", state.rows)) && faults(&state.rows).is_empty());
    states
}

/// The independent changes, each with its alternatives.
fn dimensions(recorded: &Recorded, passkey: &Value) -> Vec<Vec<Variant>> {
    let text = recorded.parts.iter().map(ToString::to_string).collect::<String>();
    let mut all = rights::dimensions(recorded);
    let Some(pk) = account(recorded) else {
        all.push(takers(recorded, passkey));
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
            Box::new(move |state| delete_passkeys(&mut state.rows, &key)),
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
    }
    if text.contains("email_verified") {
        all.push(vec![on_profile(|item| {
            item["email_verified"] = json!({"BOOL": item["email_verified"]["BOOL"] != true});
        })]);
    }
    if text.contains("#password") {
        all.push(vec![on_profile(|item| {
            item["password"] = json!({"S": weak_hash("Otra1234")});
        })]);
    }
    all.push(takers(recorded, passkey));
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

/// Changes the profile of an account, if there is one.
fn on(rows: &mut Rows, pk: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(item) = rows.get_mut(&(pk.to_owned(), "profile".to_owned())) {
        change(item.as_object_mut().unwrap());
    }
}

fn end_sessions(rows: &mut Rows, pk: &str) {
    on(rows, pk, |item| {
        let generation: u64 = item["generation"]["N"].as_str().unwrap().parse().unwrap();
        item.insert("generation".to_owned(), json!({"N": (generation + 1).to_string()}));
    });
}

fn erase(rows: &mut Rows, pk: &str) {
    rows.retain(|(at, sk), row| {
        let is_left = sk.starts_with("session#") || sk == "failures" || sk == "profile#address";
        (at != pk || is_left) && row["account"]["S"] != *pk
    });
}

fn insert(rows: &mut Rows, item: Value) {
    rows.insert(key(&item), item);
}

fn switch_google(rows: &mut Rows, pk: &str) {
    let sub = rows.get(&(pk.to_owned(), "profile".to_owned())).and_then(|item| item.get("google_sub")).cloned();
    if let Some(sub) = sub {
        on(rows, pk, |item| _ = item.remove("google_sub"));
        rows.remove(&(format!("google#{}", sub["S"].as_str().unwrap()), "identity".to_owned()));
    } else if rows.contains_key(&(pk.to_owned(), "profile".to_owned())) {
        on(rows, pk, |item| _ = item.insert("google_sub".to_owned(), json!({"S": REBORN})));
        let link = format!("google#{REBORN}");
        insert(rows, json!({"pk": {"S": link}, "sk": {"S": "identity"}, "account": {"S": pk}}));
    }
}

fn delete_passkeys(rows: &mut Rows, pk: &str) {
    on(rows, pk, |item| item.retain(|name, _| !name.starts_with("passkey")));
    rows.retain(|(at, sk), row| {
        let is_item = at == pk && sk.starts_with("passkey#");
        let is_pointer = at.starts_with("credential#") && row["account"]["S"] == *pk;
        !is_item && !is_pointer
    });
}

/// Adds a passkey like this one.
fn add_passkey(rows: &mut Rows, pk: &str, passkey: &Value, id: &str) {
    let Some(profile) = rows.get(&(pk.to_owned(), "profile".to_owned())) else { return };
    let mut item = passkey.clone();
    (item["pk"], item["sk"], item["id"]) =
        (json!({"S": pk}), json!({"S": format!("passkey#{id}")}), profile["id"].clone());
    insert(rows, item);
    insert(rows, json!({"pk": {"S": format!("credential#{id}")}, "sk": {"S": "credential"}, "account": {"S": pk}}));
    on(rows, pk, |item| {
        let passkeys = item.entry("passkeys").or_insert(json!({"SS": []}));
        passkeys["SS"].as_array_mut().unwrap().push(json!(id));
    });
}

/// Gives an account another address, which ends its sessions.
fn move_away(rows: &mut Rows, pk: &str) {
    end_sessions(rows, pk);
    if !rows.contains_key(&(pk.to_owned(), "profile".to_owned())) {
        return;
    }
    rows.retain(|(_, sk), row| sk != "profile#address" || row["account"]["S"] != *pk);
    on(rows, pk, |item| _ = item.insert("email".to_owned(), json!({"S": MOVED})));
    let at = partition_key(MOVED);
    insert(rows, json!({"pk": {"S": at}, "sk": {"S": "profile#address"}, "account": {"S": pk}}));
}

/// For each row that the write creates, somebody else who has it already.
fn takers(recorded: &Recorded, passkey: &Value) -> Vec<Variant> {
    let donor = recorded.base.values().find(|item| item["sk"]["S"] == "profile").cloned();
    let made = recorded.parts.iter().find(|part| members(part).0 == "Put" && target(part).1 == "profile");
    let Some(donor) = donor.or_else(|| made.map(|part| part["Put"]["Item"].clone())) else { return Vec::new() };
    let free = recorded.parts.iter().filter(|part| !recorded.base.contains_key(&target(part)));
    let taken = free.filter_map(|part| {
        let (pk, sk) = target(part);
        let mut stranger = donor.clone();
        let members = stranger.as_object_mut().unwrap();
        members.retain(|name, _| !name.starts_with("google") && !name.starts_with("passkey"));
        members.entry("password").or_insert(json!({"S": weak_hash("Otra1234")}));
        for name in ["id", "profile_id"] {
            members.entry(name.to_owned()).and_modify(|id| *id = json!({"N": STRANGER}));
        }
        let address = json!({"S": "stranger@example.com"});
        let pointer = |pk: &str, sk: &str| json!({"pk": {"S": pk}, "sk": {"S": sk}, "account": {"S": STRANGER_KEY}});
        let mut rows = Vec::new();
        match kind_of(&(pk.clone(), sk.clone())).as_str() {
            "/profile" => {
                stranger["pk"] = json!({"S": pk});
                let email =
                    recorded.parts.iter().find_map(|part| address_in(part).filter(|at| partition_key(at) == pk));
                stranger["email"] = email.map_or_else(|| stranger["email"].clone(), |email| json!({"S": email}));
            }
            "/profile#address" => {
                // The address that the write gives to the account.
                let email =
                    recorded.parts.iter().find_map(|part| address_in(part).filter(|at| partition_key(at) == pk));
                stranger["email"] = json!({"S": email?});
                stranger["pk"] = json!({"S": STRANGER_KEY});
                rows.push(pointer(&pk, &sk));
            }
            "google/identity" => {
                stranger["google_sub"] = json!({"S": pk.strip_prefix("google#")?});
                (stranger["pk"], stranger["email"]) = (json!({"S": STRANGER_KEY}), address);
                rows.push(pointer(&pk, &sk));
                rows.push(pointer(&partition_key("stranger@example.com"), "profile#address"));
            }
            "credential/credential" => {
                let id = pk.strip_prefix("credential#")?;
                (stranger["pk"], stranger["email"]) = (json!({"S": STRANGER_KEY}), address);
                stranger["passkeys"] = json!({"SS": [id]});
                let mut row = passkey.clone();
                (row["pk"], row["sk"]) = (json!({"S": STRANGER_KEY}), json!({"S": format!("passkey#{id}")}));
                row["id"] = json!({"N": STRANGER});
                rows.push(row);
                rows.push(pointer(&pk, &sk));
                rows.push(pointer(&partition_key("stranger@example.com"), "profile#address"));
            }
            _ => return None,
        }
        rows.push(stranger);
        let variant: Variant = Box::new(move |state| {
            for row in &rows {
                state.rows.entry(key(row)).or_insert_with(|| row.clone());
            }
        });
        Some(variant)
    });
    taken.collect()
}

/// The address that a part writes.
fn address_in(part: &Value) -> Option<&str> {
    let (_, members) = members(part);
    let values = members["ExpressionAttributeValues"].as_object().into_iter().flatten().map(|(_, value)| value);
    let texts = values.chain(members["Item"].get("email")).filter_map(|value| value["S"].as_str());
    texts.into_iter().find(|text| text.contains('@') && !text.contains('#'))
}

/// Whether a write may create an account.
pub(super) fn creates(recorded: &Recorded) -> bool {
    recorded.parts.iter().any(|part| members(part).0 == "Put" && target(part).1 == "profile")
}

/// The attribute of the mailed token that is the right of a request.
pub(super) fn token(recorded: &Recorded) -> Option<&'static str> {
    let rights = [
        (paths::RESET_PASSWORD, "reset_hash"),
        (paths::VERIFY_EMAIL, "verify_hash"),
        (paths::CONFIRM_EMAIL, "change_hash"),
        (paths::LOCK_ACCOUNT, "lock_links"),
    ];
    rights.into_iter().find(|(path, _)| *path == recorded.request.path).map(|(_, token)| token)
}
