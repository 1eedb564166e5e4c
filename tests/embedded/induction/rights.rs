//! The rows beside the accounts that a write needs or counts on: challenges, counts, rows that it makes, and rows with times
//! that only move forward.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::store::COUNTER_MAX;

use super::engine::{Rows, key};
use super::states::{State, Variant};
use super::writes::{Recorded, Right, condition, kind_of, members, target};

/// A time that has passed, in seconds since 1970, and one that has not.
pub(super) const PASSED: &str = "1";
const LATER: &str = "4102444800";
/// More attempts or mails than any limit of these requests.
const FULL: usize = 1_000;
/// The links of notices that an account has at most.
const LINKS: usize = 64;
/// What a row is that nobody else's write may replace.
const MADE_ONCE: [&str; 5] = ["/session", "challenge/challenge", "captcha/spent", "/passkey", "notice/delivery"];
/// The numbers of rows that only increase.
const FORWARD: [(&str, &str, &str); 5] = [
    ("/not-before", "not_before", "sessions that an operator has ended live again"),
    ("erasure/erasure", "deleted_at", "a deletion is forgotten"),
    ("/user-id", "total", "an id is given again"),
    ("/user-id", "closed", "an id of an import is given again"),
    ("/user-id", "imported", "an imported id is forgotten"),
];

/// What may have become of these rows since the request has read them.
pub(super) fn dimensions(recorded: &Recorded) -> Vec<Vec<Variant>> {
    recorded.parts.iter().filter_map(of_part).chain(left_sessions(recorded)).collect()
}

/// Sessions of an account that a copy of the table brings back, from after the copy.
fn left_sessions(recorded: &Recorded) -> Option<Vec<Variant>> {
    let part = recorded
        .parts
        .iter()
        .find(|part| recorded.right == Right::Operator && part["Put"]["Item"]["sk"]["S"] == "profile");
    let pk = target(part?).0;
    let later = |by: u64| -> Variant {
        let pk = pk.clone();
        Box::new(move |state: &mut State| {
            for (_, row) in state.rows.iter_mut().filter(|((at, sk), _)| *at == pk && sk.starts_with("session#")) {
                row["generation"] = json!({"N": (number(row, "generation").unwrap() + by).to_string()});
            }
        })
    };
    Some(vec![later(1), later(2)])
}

fn number(row: &Value, name: &str) -> Option<u64> {
    row[name]["N"].as_str()?.parse().ok()
}

/// Changes a row, which is made if there is none.
fn changed(at: &(String, String), change: impl Fn(&mut Value) + 'static) -> Variant {
    let (pk, sk) = at.clone();
    Box::new(move |state: &mut State| {
        let made = || json!({"pk": {"S": pk}, "sk": {"S": sk}, "expires_at": {"N": LATER}});
        change(state.rows.entry((pk.clone(), sk.clone())).or_insert_with(made));
    })
}

fn gone(at: &(String, String)) -> Variant {
    let at = at.clone();
    Box::new(move |state: &mut State| _ = state.rows.remove(&at))
}

fn of_part(part: &Value) -> Option<Vec<Variant>> {
    let (kind, members) = members(part);
    let (at, condition) = (target(part), condition(part));
    let row_kind = kind_of(&at);
    let times = |count: usize| -> Vec<Value> {
        (0..count).map(|time| json!({"N": (1_700_000_000_000 + time).to_string()})).collect()
    };
    if kind == "Delete" && row_kind == "challenge/challenge" {
        let expired = at.clone();
        return Some(vec![
            gone(&at),
            Box::new(move |state: &mut State| {
                state.rows.entry(expired.clone()).and_modify(|row| row["expires_at"] = json!({"N": PASSED}));
            }),
        ]);
    }
    if condition.contains("size(#times)") {
        return Some(vec![gone(&at), changed(&at, move |row| row["times"] = json!({"L": times(FULL)}))]);
    }
    if condition.contains("#times = ") {
        let another = move |row: &mut Value| {
            let list = row["times"]["L"].as_array().cloned().unwrap_or_default();
            let more = [list, times(1)].concat();
            row["times"] = json!({"L": more});
        };
        return Some(vec![gone(&at), changed(&at, another)]);
    }
    if let Some(variants) = of_token(members, condition, &at) {
        return Some(variants);
    }
    if condition.contains("size(#lock_links)") || condition.contains("#lock_links = ") {
        let links = |count: usize| -> Vec<String> { (0..count).map(|at| format!("4102444800#{at:02}")).collect() };
        let with = move |count: usize| -> Variant {
            let at = at.clone();
            Box::new(move |state: &mut State| {
                state.rows.entry(at.clone()).and_modify(|row| row["lock_links"] = json!({"SS": links(count)}));
            })
        };
        return Some(vec![with(1), with(LINKS)]);
    }
    match row_kind.as_str() {
        "mails/notices" => {
            let new = members["Item"].clone();
            let another = move |row: &mut Value| {
                let list = row["times"]["L"].as_array().cloned().unwrap_or_default();
                let mut other = new.clone();
                let more = [list, vec![json!({"N": "1700000001"})]].concat();
                other["times"] = json!({"L": more});
                other["nonce"] = json!({"S": "other"});
                *row = other;
            };
            Some(vec![gone(&at), changed(&at, another)])
        }
        "/not-before" => {
            let at_time = |time: &'static str| {
                changed(&at, move |row| {
                    row.as_object_mut().unwrap().remove("expires_at");
                    row["not_before"] = json!({"N": time});
                })
            };
            Some(vec![gone(&at), at_time(PASSED), at_time(LATER)])
        }
        "/user-id" => {
            let with = |name: &'static str, value: u64| {
                changed(&at, move |row| {
                    row.as_object_mut().unwrap().remove("expires_at");
                    row[name] = json!({"N": value.to_string()});
                })
            };
            let (high, end) = (COUNTER_MAX / 2, COUNTER_MAX + 1);
            Some(vec![gone(&at), with("total", high), with("total", end), with("imported", high)])
        }
        "erasure/erasure" => {
            let later = |row: &mut Value| row["deleted_at"] = json!({"N": LATER});
            let undone = |row: &mut Value| row["undone"] = json!({"SS": ["another run"]});
            Some(vec![gone(&at), changed(&at, later), changed(&at, undone)])
        }
        "activity" if kind == "Update" => {
            let there = |row: &mut Value| {
                row["kind"] = json!({"S": "login"});
                row["times"] = json!({"NS": ["1700000001"]});
            };
            Some(vec![gone(&at), changed(&at, there)])
        }
        made_once => (kind == "Put" && MADE_ONCE.contains(&made_once)).then(|| {
            let mut there = members["Item"].clone();
            there.as_object_mut().unwrap().remove("nonce");
            let variant: Variant = Box::new(move |state: &mut State| _ = state.rows.insert(key(&there), there.clone()));
            vec![variant]
        }),
    }
}

/// A token that was issued a moment ago, and words that a new password must not be made of.
fn of_token(members: &Value, condition: &str, at: &(String, String)) -> Option<Vec<Variant>> {
    let value_after = |text: &str, before: &str| {
        let number: String = text.split_once(before)?.1.chars().take_while(char::is_ascii_digit).collect();
        Some(members["ExpressionAttributeValues"][format!(":v{number}")].clone())
    };
    let set = |name: &'static str, value: Value| -> Variant {
        let at = at.clone();
        Box::new(move |state: &mut State| {
            state.rows.entry(at.clone()).and_modify(|row| row[name] = value.clone());
        })
    };
    let update = members["UpdateExpression"].as_str().unwrap_or_default();
    let mut all = Vec::new();
    for name in ["reset_expires_at", "verify_expires_at"] {
        if condition.contains(&format!("#{name} < ")) {
            let hash = if name == "reset_expires_at" { "reset_hash" } else { "verify_hash" };
            let (until, other) = (value_after(update, &format!("#{name} = :v"))?, json!({"S": "other"}));
            let (until, other) = (set(name, until), set(hash, other));
            all.push(Box::new(move |state: &mut State| {
                until(state);
                other(state);
            }) as Variant);
        }
    }
    if let Some(word) = value_after(condition, "contains(#reset_words, :v") {
        all.push(set("reset_words", json!({"SS": [word["S"]]})));
    }
    Some(all).filter(|all| !all.is_empty())
}

/// What an accepted write has done without a right.
pub(super) fn wrong(recorded: &Recorded, before: &Rows, after: &Rows) -> Option<&'static str> {
    recorded.parts.iter().find_map(|part| {
        let (kind, at) = (members(part).0, target(part));
        let row_kind = kind_of(&at);
        let (read, was, is) = (recorded.base.get(&at), before.get(&at), after.get(&at));
        let count = |row: Option<&Value>| row.and_then(|row| row["times"]["L"].as_array()).map_or(0, Vec::len);
        let is_lost = |name: &str, set: &str| {
            let all = |row: Option<&Value>| -> BTreeSet<String> {
                let members = row.and_then(|row| row[name][set].as_array()).into_iter().flatten();
                members.map(ToString::to_string).collect()
            };
            // Nothing is lost that was not read, or that is gone with its row.
            is.is_some() && !all(was).is_subset(&(&all(is) | &all(read)))
        };
        let has_moved_back = FORWARD.into_iter().find(|(of, name, _)| {
            let at = |row: Option<&Value>| row.and_then(|row| number(row, name));
            // The end of the counter may be left.
            let is_at_end = row_kind == "/user-id" && was.and_then(|row| number(row, "total")) > Some(COUNTER_MAX);
            *of == row_kind && !is_at_end && at(is).is_some_and(|is| Some(is) < at(was))
        });
        if let Some((_, _, what)) = has_moved_back {
            return Some(what);
        }
        match row_kind.as_str() {
            "challenge/challenge" if kind == "Delete" => match was {
                None => Some("a challenge was answered twice"),
                Some(row) => (row["expires_at"]["N"] == PASSED).then_some("an expired challenge was answered"),
            },
            _ if count(is) > FULL => Some("a count exceeds its limit"),
            _ if is_lost("times", "L") => Some("a mail or an attempt is not counted any more"),
            "activity" if is_lost("times", "NS") => Some("something that has happened is lost"),
            "erasure/erasure" if is_lost("undone", "SS") => Some("an undo is forgotten"),
            "/profile"
                if is.is_some_and(|is| is["lock_links"]["SS"].as_array().is_some_and(|all| all.len() > LINKS)) =>
            {
                Some("an account has too many links of notices")
            }
            "/profile"
                if was.zip(is).is_some_and(|(was, is)| was["generation"] == is["generation"])
                    && is_lost("lock_links", "SS") =>
            {
                Some("the link of a notice is lost")
            }
            row if kind == "Put" && MADE_ONCE.contains(&row) => was.map(|_| "a row was made twice"),
            _ => None,
        }
    })
}
