//! What has happened to an account, for its owner: one item for what happened in the same way within an hour,
//! `activity#<id>` / `<start of the hour>#<kind>#<method>#<browser>`. So nobody pushes a login out of the list by repeating
//! it, and writing an event again changes nothing.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Serialize, Serializer};

use crate::Fault;
use crate::store::table::{Item, Update, Write, broken, key, n, number, s, text};
use crate::system::clock::Timestamp;

pub(in crate::store) const PREFIX: &str = "activity#";
/// How long an item is kept after its hour: 90 days, in seconds.
const LIFETIME_SECONDS: u64 = 90 * 24 * 60 * 60;
const HOUR_SECONDS: u64 = 60 * 60;

/// Something that has happened to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// When, in whole seconds.
    pub at: Timestamp,
    /// What, such as `login`.
    pub kind: &'static str,
    /// How somebody signed in, such as `passkey`.
    pub method: Option<String>,
    /// The name of the browser, if it is known.
    pub browser: Option<String>,
}

/// What has happened in the same way within an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// When it last happened, in seconds since 1970; as text in RFC 3339.
    #[serde(serialize_with = "as_text")]
    pub at: u64,
    /// What has happened.
    pub kind: String,
    /// How somebody signed in.
    pub method: Option<String>,
    /// The name of the browser, if it is known.
    pub browser: Option<String>,
    /// How often, not counting what happened in the same second.
    pub count: usize,
    #[serde(skip)]
    pub(in crate::store) expires_at: u64,
}

impl Happened {
    /// Adds it to what has happened to the account with this id. No guard is needed: it changes nothing if it is there.
    pub(in crate::store) fn add_to(&self, account_id: u64) -> Write {
        let seconds = self.at.seconds();
        let hour = seconds - seconds % HOUR_SECONDS;
        let [method, browser] = [&self.method, &self.browser].map(|text| text.as_deref().unwrap_or_default());
        let sk = format!("{}#{}#{method}#{browser}", hour_text(hour), self.kind);
        let mut update = Update::new()
            .set("kind", s(self.kind))
            .set("expires_at", n(hour + HOUR_SECONDS + LIFETIME_SECONDS))
            .add("times", AttributeValue::Ns(vec![seconds.to_string()]));
        for (name, value) in [("method", &self.method), ("browser", &self.browser)] {
            if let Some(value) = value {
                update = update.set(name, s(value));
            }
        }
        Write::update(key(&partition_key(account_id), &sk), update)
    }
}

impl Activity {
    pub(in crate::store) fn read(item: &Item) -> Result<Self, Fault> {
        let Some(AttributeValue::Ns(times)) = item.get("times") else { return Err(broken()) };
        let times: Vec<u64> = times.iter().filter_map(|time| time.parse().ok()).collect();
        let optional = |name| text(item, name).map(str::to_owned);
        Ok(Self {
            kind: optional("kind").ok_or_else(broken)?,
            method: optional("method"),
            browser: optional("browser"),
            at: times.iter().copied().max().ok_or_else(broken)?,
            count: times.len(),
            expires_at: number(item, "expires_at").ok_or_else(broken)?,
        })
    }
}

/// The partition key of an account's items.
pub(in crate::store) fn partition_key(account_id: u64) -> String {
    format!("{PREFIX}{account_id}")
}

/// Deletes an item, if its hour began at the latest at this time.
pub(in crate::store) fn delete_until(item: &Item, last: Timestamp) -> Option<Write> {
    let (pk, sk) = (text(item, "pk")?, text(item, "sk")?);
    let last = hour_text(last.seconds());
    (sk.get(..last.len())? <= last.as_str()).then(|| Write::delete(key(pk, sk)))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn as_text<S: Serializer>(seconds: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&Timestamp::from_seconds(*seconds).to_rfc3339())
}

/// A time in seconds in as many digits as every time has until the year 5138.
fn hour_text(seconds: u64) -> String {
    format!("{seconds:011}")
}
