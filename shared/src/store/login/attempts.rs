//! The limit of failed logins. By default there is none.
//!
//! Each known browser of an account has its own count, and all other browsers share one. An attacker who reaches the
//! shared limit does not lock out the owner's browsers, and a stolen browser that reaches its limit locks out no other
//! browser.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;

use crate::account::AccountKey;
use crate::store::table::{self, Table, Write, n, s};
use crate::system::clock::{Clock, Timestamp};
use crate::{Account, BrowserSecret, Fault, Setup};

/// The sort key of the count that all unknown browsers share. The count of a known browser has the browser's hash after
/// it.
const FAILURES: &str = "failures";
/// The longest window that may be set: a day, in seconds.
const WINDOW_MAX: u64 = 24 * 60 * 60;
/// The highest limit. The times of this many attempts have 9 KB.
const LIMIT_MAX: u64 = 1000;
/// The maximum number of attempts to write if other calls change the same item at the same time. The call that wins
/// removes all expired times from a full item. The others then find room or reach the limit. A second conflict is
/// possible only if further times expire within the same milliseconds.
const ROUNDS: usize = 8;

/// Counts login attempts. An attempt is counted before the password is checked, so that parallel attempts cannot exceed
/// the limit. Attempts are counted by address, so that unknown addresses take the same time as known ones.
///
/// A count is an item with the times of its attempts. The item holds no more times than the limit, so no period of
/// the window's length has more attempts. This does not depend on when TTL deletes the item.
#[derive(Clone)]
pub struct Attempts {
    table: Table,
    clock: Arc<dyn Clock>,
    limit: u64,
    /// In seconds.
    window: u64,
}

#[derive(Deserialize)]
struct Row {
    /// In milliseconds since 1970.
    times: Vec<u64>,
    nonce: String,
}

/// The count of an attempt.
pub struct Count {
    account: AccountKey,
    sk: String,
}

impl Count {
    /// The count that the unknown browsers of an address share. The address may have no account.
    #[must_use]
    pub fn of_others(account: &AccountKey) -> Self {
        Self { account: account.clone(), sk: FAILURES.to_owned() }
    }

    /// The count of a browser: its own one if it is known to the account, otherwise the shared one.
    #[must_use]
    pub fn of_browser(key: &AccountKey, account: Option<&Account>, browser: &BrowserSecret) -> Self {
        if account.is_some_and(|account| account.knows(browser)) {
            Self { account: key.clone(), sk: format!("{FAILURES}#{}", browser.hash()) }
        } else {
            Self::of_others(key)
        }
    }
}

impl Attempts {
    /// Reads `ACCOUNTS_TABLE`, `LOGIN_MAX_FAILURES` (0 means no limit) and
    /// `LOGIN_FAILURE_WINDOW_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            limit: limit(setup),
            window: setup.settings().number("LOGIN_FAILURE_WINDOW_SECONDS", 1..=WINDOW_MAX),
        }
    }

    /// Counts an attempt. Returns false, and does not count it, when the limit of the current window is reached.
    ///
    /// # Errors
    /// The table failed.
    pub async fn begin(&self, count: &Count) -> Result<bool, Fault> {
        if self.limit == 0 {
            return Ok(true);
        }
        for _ in 0..ROUNDS {
            let now = self.clock.now();
            let Err(refused) = self.table.write(self.adding(count, now)).await? else { return Ok(true) };
            let Some(full) = refused.item else { continue };
            let Row { mut times, nonce } = table::read(full)?;
            times.retain(|time| now.milliseconds() < time.saturating_add(self.window * 1000));
            if usize::try_from(self.limit).is_ok_and(|limit| times.len() >= limit) {
                return Ok(false);
            }
            times.push(now.milliseconds());
            if self.table.write(self.replacing(count, &times, &nonce, now)).await?.is_ok() {
                return Ok(true);
            }
        }
        Err(Fault::new("table.attempts", "conflict"))
    }

    /// Removes the attempts of a count, after a successful login (NIST SP 800-63B, 5.2.2).
    ///
    /// # Errors
    /// The table failed.
    pub async fn forget(&self, count: &Count) -> Result<(), Fault> {
        if self.limit == 0 {
            return Ok(());
        }
        self.table.write(Write::delete(count.account.as_str(), &count.sk)).await.map(|_| ())
    }

    /// Adds a time if the limit is not reached. The nonce keeps a retry after a lost answer from adding the time twice.
    fn adding(&self, count: &Count, now: Timestamp) -> Write {
        let changes = "SET #times = list_append(if_not_exists(#times, :none), :times), #expires_at = :expires_at";
        self.keeping(count, changes, &[now.milliseconds()], now)
            .when("attribute_not_exists(#times) OR (size(#times) < :limit AND #nonce <> :nonce)")
            .value(":none", AttributeValue::L(Vec::new()))
            .value(":limit", n(self.limit))
    }

    /// Replaces the times, if the item is still the one that was read.
    fn replacing(&self, count: &Count, times: &[u64], read: &str, now: Timestamp) -> Write {
        self.keeping(count, "SET #times = :times, #expires_at = :expires_at", times, now)
            .when("#nonce = :read")
            .value(":read", s(read))
    }

    fn keeping(&self, count: &Count, changes: &str, times: &[u64], now: Timestamp) -> Write {
        Write::update(count.account.as_str(), &count.sk, changes)
            .value(":times", AttributeValue::L(times.iter().copied().map(n).collect()))
            .value(":expires_at", n(now.seconds() + self.window + 1))
    }
}

/// `LOGIN_MAX_FAILURES`: the limit of each count; 0 if there is none.
pub(in crate::store) fn limit(setup: &Setup) -> u64 {
    setup.settings().number("LOGIN_MAX_FAILURES", 0..=LIMIT_MAX)
}

/// Whether a sort key is that of a count.
pub(in crate::store) fn is_count(sk: &str) -> bool {
    sk.strip_prefix(FAILURES).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// Whether an item holds attempts that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: table::Item) -> bool {
    table::read::<Row>(item).is_ok()
}
