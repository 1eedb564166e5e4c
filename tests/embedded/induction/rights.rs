//! The rows beside the accounts that a write needs or counts on: challenges, counts, and rows that it makes.

use serde_json::{Value, json};

use super::engine::{Rows, key};
use super::states::{State, Variant};
use super::writes::{Recorded, kind_of, members, target};

/// A time that has passed, in seconds since 1970.
pub(super) const PASSED: &str = "1";
/// More attempts or mails than any limit of these requests.
const FULL: usize = 1_000;
/// What a row is that nobody else's write may replace.
const MADE_ONCE: [&str; 4] = ["/session", "challenge/challenge", "captcha/spent", "/passkey"];

/// What may have become of these rows since the request has read them.
pub(super) fn dimensions(recorded: &Recorded) -> Vec<Vec<Variant>> {
    let parts = recorded.parts.iter().map(|part| (members(part), target(part)));
    parts.filter_map(|((kind, members), at)| of_part(kind, members, at)).collect()
}

fn of_part(kind: &'static str, members: &Value, at: (String, String)) -> Option<Vec<Variant>> {
    let condition = members["ConditionExpression"].as_str().unwrap_or_default();
    let row_kind = kind_of(&at);
    if kind == "Delete" && row_kind == "challenge/challenge" {
        let gone = at.clone();
        return Some(vec![
            Box::new(move |state: &mut State| _ = state.rows.remove(&gone)),
            Box::new(move |state: &mut State| {
                state.rows.entry(at.clone()).and_modify(|row| row["expires_at"] = json!({"N": PASSED}));
            }),
        ]);
    }
    if condition.contains("size(#times)") {
        let times: Vec<_> = (0..FULL).map(|time| json!({"N": (1_700_000_000_000 + time).to_string()})).collect();
        return Some(vec![Box::new(move |state: &mut State| {
            let row = state
                .rows
                .entry(at.clone())
                .or_insert_with(|| json!({"pk": {"S": at.0}, "sk": {"S": at.1}, "expires_at": {"N": "4102444800"}}));
            row["times"] = json!({ "L": times });
        })]);
    }
    (kind == "Put" && MADE_ONCE.contains(&row_kind.as_str())).then(|| {
        let mut there = members["Item"].clone();
        there.as_object_mut().unwrap().remove("nonce");
        let variant: Variant = Box::new(move |state: &mut State| _ = state.rows.insert(key(&there), there.clone()));
        vec![variant]
    })
}

/// What an accepted write has done without a right.
pub(super) fn wrong(recorded: &Recorded, before: &Rows, after: &Rows) -> Option<&'static str> {
    recorded.parts.iter().find_map(|part| {
        let (kind, at) = (members(part).0, target(part));
        let (was, is) = (before.get(&at), after.get(&at));
        let count = |row: Option<&Value>| row.and_then(|row| row["times"]["L"].as_array()).map_or(0, Vec::len);
        match kind_of(&at).as_str() {
            "challenge/challenge" if kind == "Delete" => match was {
                None => Some("a challenge was answered twice"),
                Some(row) => (row["expires_at"]["N"] == PASSED).then_some("an expired challenge was answered"),
            },
            _ if count(is) > FULL => Some("a count exceeds its limit"),
            row if kind == "Put" && MADE_ONCE.contains(&row) => was.map(|_| "a row was made twice"),
            _ => None,
        }
    })
}
