//! The limit of failed logins for each address. By default there is none.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;

use super::table::{self, Table, Write, n, s};
use crate::account::AccountKey;
use crate::system::clock::{Clock, Timestamp};
use crate::{Fault, Setup};

/// The sort key of the item.
pub(super) const FAILURES: &str = "failures";
/// How long a failure counts: fifteen minutes, in seconds.
const WINDOW_SECONDS: u64 = 15 * 60;
/// The longest window that may be set: a day, in seconds.
const WINDOW_MAX: u64 = 24 * 60 * 60;
/// The highest limit. The times of this many attempts have 9 KB.
const LIMIT_MAX: u64 = 1000;
/// The most attempts to write when other calls change the same item at the same time. The call that wins removes all
/// expired times from a full item. The others then find room, or the limit reached. A second conflict needs further
/// times that expire within the same milliseconds.
const ROUNDS: usize = 8;

/// Counts login attempts. An attempt is counted before the password is checked, so that parallel attempts cannot exceed
/// the limit. Attempts are counted by address, so that unknown addresses take the same time as known ones.
///
/// An address has one item with the times of its attempts. The item holds no more times than the limit, so no period of
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

impl Attempts {
    /// Reads `ACCOUNTS_TABLE`, `LOGIN_MAX_FAILURES` (the default, 0, means no limit) and
    /// `LOGIN_FAILURE_WINDOW_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            limit: setup.settings().number("LOGIN_MAX_FAILURES", 0, 0..=LIMIT_MAX),
            window: setup.settings().number("LOGIN_FAILURE_WINDOW_SECONDS", WINDOW_SECONDS, 1..=WINDOW_MAX),
        }
    }

    /// Counts an attempt. Gives false, and does not count it, when the limit of the current window is reached.
    ///
    /// # Errors
    /// The table failed.
    pub async fn begin(&self, account: &AccountKey) -> Result<bool, Fault> {
        if self.limit == 0 {
            return Ok(true);
        }
        for _ in 0..ROUNDS {
            let now = self.clock.now();
            let Err(refused) = self.table.write(self.adding(account, now)).await? else { return Ok(true) };
            let Some(full) = refused.item else { continue };
            let Row { mut times, nonce } = table::read(full)?;
            times.retain(|time| now.milliseconds() < time.saturating_add(self.window * 1000));
            if usize::try_from(self.limit).is_ok_and(|limit| times.len() >= limit) {
                return Ok(false);
            }
            times.push(now.milliseconds());
            if self.table.write(self.replacing(account, &times, &nonce, now)).await?.is_ok() {
                return Ok(true);
            }
        }
        Err(Fault::new("table.attempts", "conflict"))
    }

    /// Removes all attempts, after a successful login (NIST SP 800-63B, 5.2.2).
    ///
    /// # Errors
    /// The table failed.
    pub async fn forget(&self, account: &AccountKey) -> Result<(), Fault> {
        if self.limit == 0 {
            return Ok(());
        }
        self.table.write(Write::delete(account.as_str(), FAILURES)).await.map(|_| ())
    }

    /// Adds a time if the limit is not reached. The nonce keeps a retry after a lost answer from adding the time twice.
    fn adding(&self, account: &AccountKey, now: Timestamp) -> Write {
        let changes = "SET #times = list_append(if_not_exists(#times, :none), :times), #expires_at = :expires_at";
        self.keeping(account, changes, &[now.milliseconds()], now)
            .when("attribute_not_exists(#times) OR (size(#times) < :limit AND #nonce <> :nonce)")
            .value(":none", AttributeValue::L(Vec::new()))
            .value(":limit", n(self.limit))
    }

    /// Replaces the times, if the item is still the one that was read.
    fn replacing(&self, account: &AccountKey, times: &[u64], read: &str, now: Timestamp) -> Write {
        self.keeping(account, "SET #times = :times, #expires_at = :expires_at", times, now)
            .when("#nonce = :read")
            .value(":read", s(read))
    }

    fn keeping(&self, account: &AccountKey, changes: &str, times: &[u64], now: Timestamp) -> Write {
        Write::update(account.as_str(), FAILURES, changes)
            .value(":times", AttributeValue::L(times.iter().copied().map(n).collect()))
            .value(":expires_at", n(now.seconds() + self.window + 1))
    }
}
