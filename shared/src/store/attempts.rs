//! Failed logins of an address, when a limit is set. None is by default.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;

use super::table::{self, Table, Write, n, s};
use crate::account::AccountKey;
use crate::system::clock::{Clock, Timestamp};
use crate::{Fault, Setup};

/// Its sort key.
const FAILURES: &str = "failures";
/// Fifteen minutes: how long a failure counts, in seconds.
const WINDOW_SECONDS: u64 = 15 * 60;
/// A day, in seconds: what the window may be set to.
const WINDOW_MAX: u64 = 24 * 60 * 60;
/// The highest limit: the times of so many attempts are 9 KB.
const LIMIT_MAX: u64 = 1000;
/// How often to look again when others change the same item meanwhile. A full item is cleared of all that
/// is over at once, so a second loss needs more to end within the same milliseconds.
const ROUNDS: usize = 8;

/// Counts attempts before they are made, so that parallel ones cannot slip through, and by address,
/// so that an unknown one costs the same as a known one.
///
/// An address has one item, which holds the time of each attempt and takes no more of them than the limit:
/// within any span of the window's length there are no more, and deletion by TTL may come as late as it likes.
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
    /// Reads `ACCOUNTS_TABLE`, `LOGIN_MAX_FAILURES` (0, the default, is no limit) and
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

    /// Counts an attempt; false, and not counted, when the window that ends now has seen too many.
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

    /// Forgets all attempts, after one that succeeded (NIST SP 800-63B, 5.2.2).
    ///
    /// # Errors
    /// The table failed.
    pub async fn forget(&self, account: &AccountKey) -> Result<(), Fault> {
        if self.limit == 0 {
            return Ok(());
        }
        self.table.write(Write::delete(account.as_str(), FAILURES)).await.map(|_| ())
    }

    /// Adds a time while there is room. Sent again after a lost answer, it meets its own nonce.
    fn adding(&self, account: &AccountKey, now: Timestamp) -> Write {
        let changes = "SET #times = list_append(if_not_exists(#times, :none), :times), #expires_at = :expires_at";
        self.keeping(account, changes, &[now.milliseconds()], now)
            .when("attribute_not_exists(#times) OR (size(#times) < :limit AND #nonce <> :nonce)")
            .value(":none", AttributeValue::L(Vec::new()))
            .value(":limit", n(self.limit))
    }

    /// Replaces the times that were read.
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
