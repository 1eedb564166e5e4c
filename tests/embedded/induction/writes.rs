//! The writes of the store, and the same writes without one guard.

use journeys::Request;
use journeys::paths;
use journeys::requests::Caller;
use serde_json::{Value, json};

use super::engine::{Rows, key};

/// By what right a write is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    /// A session of the account.
    Session,
    /// The mailed token whose hash the profile has in this attribute.
    Token(&'static str),
    /// The same, live or not: the mail could not be sent, and the token is withdrawn.
    Withdrawal(&'static str),
    /// Something else that the caller has shown, or nothing.
    Other,
    /// What the stream of the table reports.
    Stream,
    /// An operator's word about the account that was read.
    Operator,
    /// A row of another system, for the account that was read.
    Import,
}

impl Right {
    pub(super) fn of(request: &Request) -> Self {
        let tokens = [
            (paths::RESET_PASSWORD, "reset_hash"),
            (paths::VERIFY_EMAIL, "verify_hash"),
            (paths::CONFIRM_EMAIL, "change_hash"),
            (paths::LOCK_ACCOUNT, "lock_links"),
        ];
        // The mail of this one goes to the owner of the address alone.
        let is_by_session = request.name != "send-verification"
            && matches!(request.caller, Caller::SignedIn | Caller::SignedInWithGoogle);
        let token = tokens.into_iter().find(|(path, _)| *path == request.path).map(|(_, token)| Self::Token(token));
        token.unwrap_or(if is_by_session { Self::Session } else { Self::Other })
    }

    /// The right of one of the writes.
    pub(super) fn of_write(self, parts: &[Value]) -> Self {
        match parts {
            [part] if condition(part) == "#reset_hash = :v0" => Self::Withdrawal("reset_hash"),
            [part] if condition(part) == "#verify_hash = :v0" => Self::Withdrawal("verify_hash"),
            _ => self,
        }
    }
}

/// One write: a single one, or all parts of a transaction.
pub(super) struct Recorded {
    /// What has made it.
    pub(super) name: String,
    pub(super) right: Right,
    /// The parts, as a transaction has them.
    pub(super) parts: Vec<Value>,
    /// Whether the transaction also stores entries.
    pub(super) has_entries: bool,
    /// The table before it, and whether it has damage, which an operator repairs.
    pub(super) base: Rows,
    pub(super) is_repair: bool,
}

const PARTS: [&str; 4] = ["Put", "Update", "Delete", "ConditionCheck"];

/// The kind of a part, and its members.
pub(super) fn members(part: &Value) -> (&'static str, &Value) {
    let kind = PARTS.into_iter().find(|kind| part.get(kind).is_some()).unwrap();
    (kind, &part[kind])
}

/// The condition of a part; empty if it has none.
pub(super) fn condition(part: &Value) -> &str {
    members(part).1["ConditionExpression"].as_str().unwrap_or_default()
}

/// The key of the row that a part writes or checks.
pub(super) fn target(part: &Value) -> (String, String) {
    let (kind, members) = members(part);
    key(&members[if kind == "Put" { "Item" } else { "Key" }])
}

/// What a key is, without the values in it.
pub(super) fn kind_of((pk, sk): &(String, String)) -> String {
    let kind = |text: &str| text.split_once('#').map_or("", |(kind, _)| kind).to_owned();
    let kind_of_pk = kind(pk);
    if kind_of_pk == "activity" {
        return kind_of_pk;
    }
    format!("{kind_of_pk}/{}", if sk.contains('#') && sk != "profile#address" { kind(sk) } else { sk.clone() })
}

/// The parts of a call to the tables; none if it reads.
pub(super) fn parts_of(operation: &str, body: &Value) -> Vec<Value> {
    let single = |kind: &str| {
        let mut part = body.clone();
        let keep = |name: &String| matches!(name.as_str(), "TableName" | "Key" | "Item") || name.contains("Expression");
        part.as_object_mut().unwrap().retain(|name, _| keep(name));
        vec![json!({kind: part})]
    };
    match operation {
        "TransactWriteItems" => body["TransactItems"].as_array().unwrap().clone(),
        "UpdateItem" => single("Update"),
        "PutItem" => single("Put"),
        "DeleteItem" => single("Delete"),
        _ => Vec::new(),
    }
}

/// The text by which equal writes of different requests are recognised.
pub(super) fn shape(parts: &[Value]) -> String {
    let part = |part: &Value| {
        let (kind, members) = members(part);
        format!("{kind} {} {} {}", kind_of(&target(part)), members["UpdateExpression"], members["ConditionExpression"])
    };
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// One guard of a write.
pub(super) struct Guard {
    /// The part and the guard.
    pub(super) name: String,
    /// A check of this guard alone.
    pub(super) check: Value,
    /// The write without it.
    pub(super) without: Vec<Value>,
}

pub(super) fn guards(parts: &[Value]) -> Vec<Guard> {
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let ((kind, members), terms) = (members(part), terms(condition(part)));
        for (left_out, term) in terms.iter().enumerate() {
            let rest: Vec<&str> = terms.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, g)| *g).collect();
            let mut without = parts.to_vec();
            if rest.is_empty() && kind == "ConditionCheck" {
                without.remove(index);
            } else {
                without[index] = json!({kind: with_condition(members, &rest.join(" AND "))});
            }
            let (pk, sk) = target(part);
            let mut check = with_condition(members, term);
            let members = check.as_object_mut().unwrap();
            members.retain(|name, _| !matches!(name.as_str(), "Item" | "UpdateExpression"));
            members.insert("Key".to_owned(), json!({"pk": {"S": pk}, "sk": {"S": sk}}));
            only_used(&mut check);
            let name = format!("{kind} {}: {term}", kind_of(&(pk, sk)));
            all.push(Guard { name, check: json!({"ConditionCheck": check}), without });
        }
    }
    all
}

/// The parts of a condition between the outermost `AND`.
pub(super) fn terms(condition: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0_i32, 0, Vec::new());
    for (at, letter) in condition.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && condition[at..].starts_with(" AND ") {
            all.push(&condition[from..at]);
            from = at + " AND ".len();
        }
    }
    all.extend(Some(&condition[from..]).filter(|last| !last.is_empty()));
    all
}

/// The members of a part with this condition instead of its own.
fn with_condition(members: &Value, condition: &str) -> Value {
    let mut changed = members.clone();
    if condition.is_empty() {
        changed.as_object_mut().unwrap().remove("ConditionExpression");
    } else {
        changed["ConditionExpression"] = json!(condition);
    }
    only_used(&mut changed);
    changed
}

/// Removes the names and values that no expression uses, which DynamoDB refuses.
fn only_used(members: &mut Value) {
    let members = members.as_object_mut().unwrap();
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
