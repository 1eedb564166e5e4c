//! The writes of the store, as the requests of the catalogue send them, and the same writes without one guard.

use std::collections::BTreeMap;

use journeys::requests::Actor;
use journeys::rows::to_json;
use journeys::{Endpoint, Request, paths, unrecorded};
use serde_json::{Value, json};

use super::engine::{Rows, key, rows};

/// One write: a single one, or all parts of a transaction.
pub(super) struct Recorded {
    pub(super) request: &'static Request,
    /// The parts, as a transaction has them.
    pub(super) parts: Vec<Value>,
    /// The table before the request.
    pub(super) base: Rows,
}

const PARTS: [&str; 4] = ["Put", "Update", "Delete", "ConditionCheck"];

/// The kind of a part, and its members.
pub(super) fn members(part: &Value) -> (&'static str, &Value) {
    let kind = PARTS.into_iter().find(|kind| part.get(kind).is_some()).unwrap();
    (kind, &part[kind])
}

/// The key of the row that a part writes or checks.
pub(super) fn target(part: &Value) -> (String, String) {
    let (kind, members) = members(part);
    key(&members[if kind == "Put" { "Item" } else { "Key" }])
}

/// What a key is, without the values in it.
pub(super) fn kind_of((pk, sk): &(String, String)) -> String {
    let kind = |text: &str| text.split_once('#').map_or("", |(kind, _)| kind).to_owned();
    format!("{}/{}", kind(pk), if sk.contains('#') && sk != "profile#address" { kind(sk) } else { sk.clone() })
}

fn parts_of(operation: &str, body: &Value) -> Vec<Value> {
    let single = |kind: &str| {
        let mut part = body.clone();
        let keep = |name: &String| matches!(name.as_str(), "TableName" | "Key" | "Item") || name.contains("Expression");
        part.as_object_mut().unwrap().retain(|name, _| keep(name));
        vec![json!({kind: part})]
    };
    let parts = match operation {
        "TransactWriteItems" => body["TransactItems"].as_array().unwrap().clone(),
        "UpdateItem" => single("Update"),
        "PutItem" => single("Put"),
        "DeleteItem" => single("Delete"),
        _ => Vec::new(),
    };
    // Entries have a table of their own.
    parts.into_iter().filter(|part| members(part).1["TableName"] == "accounts").collect()
}

/// The text by which equal writes of different requests are recognised.
fn shape(parts: &[Value]) -> String {
    let part = |part: &Value| {
        let (kind, members) = members(part);
        format!("{kind} {} {} {}", kind_of(&target(part)), members["UpdateExpression"], members["ConditionExpression"])
    };
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// Every write that a request of the catalogue makes in the accounts table, once.
pub(super) async fn recorded() -> Vec<Recorded> {
    let mut all = BTreeMap::new();
    let requests = paths::ALL.iter().flat_map(|path| Endpoint::at(path).requests);
    for request in requests.filter(|request| !request.needs_full_cost) {
        let stack = request.start().await;
        let mut actor = Actor::ready(request, &stack).await;
        let base = rows(&stack.items("accounts").await.iter().map(to_json).collect::<Vec<_>>());
        stack.table.bodies();
        let answer = actor.send().await;
        assert!(actor.is_success(&answer), "{}: {answer:?}", request.name);
        let calls = stack.table.bodies();
        let new = unrecorded(&calls);
        assert!(new.is_empty(), "new forms of calls, run `make engine-forms`: {new:#?}");
        for (operation, body) in calls {
            let parts = parts_of(&operation, &body);
            if !parts.is_empty() {
                all.entry(shape(&parts)).or_insert(Recorded { request, parts, base: base.clone() });
            }
        }
    }
    all.into_values().collect()
}

/// The write without each of its guards, and that guard.
pub(super) fn without_each_guard(parts: &[Value]) -> Vec<(String, Vec<Value>)> {
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let (kind, members) = members(part);
        let Some(condition) = members["ConditionExpression"].as_str() else { continue };
        let guards = terms(condition);
        for left_out in 0..guards.len() {
            let rest: Vec<&str> =
                guards.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, g)| *g).collect();
            let mut changed = members.clone();
            changed["ConditionExpression"] = json!(rest.join(" AND "));
            let mut parts = parts.to_vec();
            if rest.is_empty() && kind == "ConditionCheck" {
                parts.remove(index);
            } else {
                only_used(&mut changed, rest.is_empty());
                parts[index] = json!({kind: changed});
            }
            let named = format!("{kind} {}: {}", kind_of(&target(part)), guards[left_out]);
            all.extend((!parts.is_empty()).then_some((named, parts)));
        }
    }
    all
}

/// The parts of a condition between the outermost `AND`.
fn terms(condition: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0_i32, 0, Vec::new());
    for (at, letter) in condition.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && condition[at..].starts_with(" AND ") {
            all.push(&condition[from..at]);
            from = at + " AND ".len();
        }
    }
    all.push(&condition[from..]);
    all
}

/// Removes the names and values that no expression uses, which DynamoDB refuses.
fn only_used(members: &mut Value, is_unconditional: bool) {
    let members = members.as_object_mut().unwrap();
    if is_unconditional {
        members.remove("ConditionExpression");
    }
    let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = format!("{} {}", text("ConditionExpression"), text("UpdateExpression"));
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "#:_".contains(letter);
    let used: Vec<&str> = text.split(|letter| !is_word(letter)).collect();
    for name in ["ExpressionAttributeNames", "ExpressionAttributeValues"] {
        if let Some(values) = members.get_mut(name).and_then(Value::as_object_mut) {
            values.retain(|placeholder, _| used.contains(&placeholder.as_str()));
            if values.is_empty() {
                members.remove(name);
            }
        }
    }
}
