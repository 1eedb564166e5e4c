//! Changes of a state that other requests, operators and imports may have made.

use journeys::rows::partition_key;
use serde_json::{Map, Value, json};

use super::engine::{Rows, key};
use super::states::REBORN;

/// An address that the account may have got.
pub(super) const MOVED: &str = "moved@example.com";
/// The id of a passkey that the account may have got.
pub(super) const PASSKEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Changes the profile of an account, if there is one.
pub(super) fn on(rows: &mut Rows, pk: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(item) = rows.get_mut(&(pk.to_owned(), "profile".to_owned())) {
        change(item.as_object_mut().unwrap());
    }
}

pub(super) fn end_sessions(rows: &mut Rows, pk: &str) {
    on(rows, pk, |item| {
        let generation: u64 = item["generation"]["N"].as_str().unwrap().parse().unwrap();
        item.insert("generation".to_owned(), json!({"N": (generation + 1).to_string()}));
    });
}

pub(super) fn erase(rows: &mut Rows, pk: &str) {
    rows.retain(|(at, sk), row| {
        let is_left = sk.starts_with("session#") || sk == "failures" || sk == "profile#address";
        (at != pk || is_left) && row["account"]["S"] != *pk
    });
}

pub(super) fn insert(rows: &mut Rows, item: Value) {
    rows.insert(key(&item), item);
}

pub(super) fn switch_google(rows: &mut Rows, pk: &str) {
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

pub(super) fn lose_passkeys(rows: &mut Rows, pk: &str) {
    on(rows, pk, |item| item.retain(|name, _| !name.starts_with("passkey")));
    rows.retain(|(at, sk), row| {
        let is_item = at == pk && sk.starts_with("passkey#");
        let is_pointer = at.starts_with("credential#") && row["account"]["S"] == *pk;
        !is_item && !is_pointer
    });
}

/// Adds a passkey like this one.
pub(super) fn add_passkey(rows: &mut Rows, pk: &str, passkey: &Value, id: &str) {
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
pub(super) fn move_away(rows: &mut Rows, pk: &str) {
    end_sessions(rows, pk);
    if !rows.contains_key(&(pk.to_owned(), "profile".to_owned())) {
        return;
    }
    rows.retain(|(_, sk), row| sk != "profile#address" || row["account"]["S"] != *pk);
    on(rows, pk, |item| _ = item.insert("email".to_owned(), json!({"S": MOVED})));
    let at = partition_key(MOVED);
    insert(rows, json!({"pk": {"S": at}, "sk": {"S": "profile#address"}, "account": {"S": pk}}));
}
