//! The failed logins of an address, if they are limited, under the key of the address: `failures` of all unknown browsers,
//! `failures#<hash>` of a known one. The item holds the times of the attempts.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;

use crate::account::{Account, AccountKey, BrowserSecret};
use crate::store::table::{self, Guard, Item, Key, Update, Write, key, n, text};
use crate::system::clock::Timestamp;
use crate::{Email, Fault, Setup};

/// The sort key of the count that all unknown browsers share. That of a known browser has the browser's hash after it.
pub(in crate::store) const FAILURES: &str = "failures";

/// The highest limit that may be set. The times of this many attempts have 9 KB.
const LIMIT_MAX: u64 = 1000;

/// The times of the failed logins of one bucket.
#[derive(Deserialize)]
pub struct Failures {
    /// In milliseconds since 1970.
    pub times: Vec<u64>,
}

impl Failures {
    /// The times of the last `window` seconds.
    pub(in crate::store) fn since(&self, now: Timestamp, window: u64) -> Vec<u64> {
        let is_counted = |time: &u64| now.milliseconds() < time.saturating_add(window * 1000);
        self.times.iter().copied().filter(is_counted).collect()
    }
}

/// The browsers whose failed logins are counted together.
pub struct Bucket {
    pk: String,
    sk: String,
}

impl Bucket {
    /// The bucket that the unknown browsers of an address share. The address may have no account.
    pub fn of_unknown_browsers(email: &Email) -> Self {
        Self::named(AccountKey::of(email).as_str().to_owned(), FAILURES)
    }

    /// The bucket of a browser with this secret, if it has one: its own one if it is known to the account of the address,
    /// otherwise the shared one.
    pub fn of_browser(email: &Email, account: Option<&Account>, browser: Option<&BrowserSecret>) -> Self {
        match browser {
            Some(browser) if account.is_some_and(|account| account.knows(browser)) => {
                Self::of_known_browser(email, browser)
            }
            _ => Self::of_unknown_browsers(email),
        }
    }

    /// The bucket of a browser that the account knows.
    pub(in crate::store) fn of_known_browser(email: &Email, browser: &BrowserSecret) -> Self {
        Self::named(AccountKey::of(email).as_str().to_owned(), &format!("{FAILURES}#{}", browser.hash()))
    }

    /// The bucket with this key, whatever is counted in it.
    pub(in crate::store) fn named(pk: String, sk: &str) -> Self {
        Self { pk, sk: sk.to_owned() }
    }

    fn key(&self) -> Key {
        key(&self.pk, &self.sk)
    }

    /// Adds a time, if there are fewer than `limit`. A retry after a lost answer does not add it twice.
    pub(in crate::store) fn add(&self, now: Timestamp, limit: u64, expires_at: u64) -> Write {
        let update = Update::new().append("times", vec![n(now.milliseconds())]).set("expires_at", n(expires_at));
        let has_room = Guard::Any(vec![Guard::Without("times"), Guard::Fewer("times", n(limit))]);
        Write::update(self.key(), update).when(has_room)
    }

    /// Replaces the times, if the item is still the one that was read.
    pub(in crate::store) fn replace(&self, read: &Failures, times: &[u64], expires_at: u64) -> Write {
        let list = |times: &[u64]| AttributeValue::L(times.iter().copied().map(n).collect());
        let update = Update::new().set("times", list(times)).set("expires_at", n(expires_at));
        Write::update(self.key(), update).when(Guard::Equals("times", list(&read.times)))
    }

    /// Deletes the times.
    pub(in crate::store) fn delete(&self) -> Write {
        Write::delete(self.key())
    }
}

/// `LOGIN_MAX_FAILURES`: the limit of each bucket; 0 if there is none.
pub(in crate::store) fn limit(setup: &Setup) -> u64 {
    setup.settings().number("LOGIN_MAX_FAILURES", 0..=LIMIT_MAX)
}

/// The failed logins in an item.
pub(in crate::store) fn read(item: Item) -> Result<Failures, Fault> {
    table::read(item)
}

/// Whether an item holds failed logins.
pub(in crate::store) fn is_here(item: &Item) -> bool {
    text(item, "sk").is_some_and(is_at)
}

/// Whether failed logins are at this sort key.
pub(in crate::store) fn is_at(sk: &str) -> bool {
    sk.strip_prefix(FAILURES).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}
