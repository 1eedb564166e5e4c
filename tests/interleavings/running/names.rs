//! Names of random values by their origin. Equal runs have different tokens, nonces, hashes and ids, but the same
//! names.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::case::Who;
use crate::subject::{Subject, stored};

/// Shorter texts are not random values.
const RANDOM_MIN: usize = 16;
/// Larger numbers are times.
const TIME_MIN: u64 = 1_000_000_000;
/// The attributes with the id of an account.
const IDS: [&str; 4] = ["id", ":id", "profile_id", "account"];

/// The names of one run. A value has the name of the request that used it first, and a number.
#[derive(Default)]
pub(crate) struct Names {
    known: BTreeMap<String, String>,
    counts: [usize; Who::ALL.len()],
}

impl Names {
    /// The names of what exists at the start.
    pub(crate) fn of(subject: &Subject) -> Self {
        let mut names = Self::default();
        let [first, second, reset, verification, change, ended] = stored();
        let link = format!("google#{}", subject.sub());
        let id = subject.id.to_string();
        let start = [
            (first, "first"),
            (second, "second"),
            (reset, "reset"),
            (verification, "verification"),
            (change, "change"),
            (subject.new_email.clone(), "new-email"),
            (subject.new_pk.clone(), "new-pk"),
            (ended, "ended"),
            (subject.pk.clone(), "pk"),
            (subject.email.clone(), "email"),
            (subject.sub(), "sub"),
            (link, "link"),
            (id, "id"),
            (subject.former_id().to_string(), "former"),
            (subject.lock_link.clone(), "lock"),
            (subject.mails(), "mails"),
        ];
        names.known.extend(start.map(|(value, name)| (value, name.to_owned())));
        names.known.extend(subject.passkeys.names());
        if let Some(other) = &subject.other {
            let values = [
                (other.pk.clone(), "other-pk"),
                (other.email.clone(), "other-email"),
                (other.id.to_string(), "other-id"),
            ];
            names.known.extend(values.map(|(value, name)| (value, name.to_owned())));
        }
        names.know(&subject.profile);
        names
    }

    /// Names the remaining random values of the first profile.
    fn know(&mut self, value: &Value) {
        match value {
            Value::Object(members) => members.values().for_each(|value| self.know(value)),
            Value::Array(items) => items.iter().for_each(|item| self.know(item)),
            Value::String(text) if is_random(text) => {
                self.known.entry(text.clone()).or_insert_with(|| "start".to_owned());
            }
            _ => {}
        }
    }

    /// The request that created a value; `None` if it existed at the start.
    pub(crate) fn origin(&self, value: &str) -> Option<Who> {
        let name = self.known.get(value)?;
        Who::ALL.into_iter().find(|who| name.starts_with(who.letter()))
    }

    /// The name of a value. A new value is named after `who`, or after the start if there is no request.
    fn name(&mut self, value: &str, who: Option<Who>) -> String {
        if let Some(name) = self.known.get(value) {
            return name.clone();
        }
        let Some(who) = who else { return "start".to_owned() };
        let count = &mut self.counts[who as usize];
        *count += 1;
        let name = format!("{}{count}", who.letter());
        self.known.insert(value.to_owned(), name.clone());
        name
    }

    /// The value with names in place of its random parts, and with sorted members and lists.
    pub(crate) fn normal(&mut self, value: &Value, who: Option<Who>) -> Value {
        self.part(value, "", who)
    }

    fn part(&mut self, value: &Value, member: &str, who: Option<Who>) -> Value {
        match value {
            Value::Object(members) => {
                if let Some(number) = members.get("N").and_then(|number| number.as_str()?.parse::<u64>().ok()) {
                    return match number {
                        TIME_MIN.. => json!("time"),
                        _ if IDS.contains(&member) => json!(self.name(&number.to_string(), who)),
                        _ => json!(number),
                    };
                }
                let sorted: BTreeMap<_, _> = members.iter().collect();
                let mut normal = Map::new();
                for (name, value) in sorted {
                    let inner = if matches!(name.as_str(), "S" | "L") { member } else { name.as_str() };
                    let value = self.part(value, inner, who);
                    normal.insert(name.clone(), value);
                }
                Value::Object(normal)
            }
            Value::Array(items) => sorted(items.iter().map(|item| self.part(item, member, who)).collect()),
            Value::String(text) if is_random(text) => json!(self.name(text, who)),
            other => other.clone(),
        }
    }
}

fn sorted(mut items: Vec<Value>) -> Value {
    items.sort_by_key(ToString::to_string);
    Value::Array(items)
}

/// Whether a text may be a token, a hash, a key or an address. An expression is none: it has parentheses or spaces.
fn is_random(text: &str) -> bool {
    let may_be = |byte: u8| byte.is_ascii_alphanumeric() || b"_-$=+/.,@#".contains(&byte);
    text.len() >= RANDOM_MIN && text.bytes().all(may_be)
}
