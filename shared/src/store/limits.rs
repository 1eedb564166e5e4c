//! The limit of failed logins. By default there is none.
//!
//! Each known browser of an account has its own bucket, and all other browsers share one. An attacker who reaches the
//! shared limit does not lock out the owner's browsers, and a stolen browser that reaches its limit locks out no other
//! browser.

use super::items::failures::{self, Bucket};
use super::table::{Table, again};
use crate::{Account, BrowserSecret, Fault, Setup};

/// The longest window that may be set: a day, in seconds.
const WINDOW_MAX: u64 = 24 * 60 * 60;
/// The maximum number of attempts to write if other calls change the same item at the same time. The call that wins
/// removes all expired times from a full item. The others then find room or reach the limit. A second conflict is
/// possible only if further times expire within the same milliseconds.
const ROUNDS: usize = 8;

/// Limits login attempts. An attempt is counted before the password is checked, so that parallel attempts cannot exceed
/// the limit. Attempts are counted by address, so that unknown addresses take the same time as known ones.
///
/// A bucket is an item with the times of its attempts. The item holds no more times than the limit, so no period of
/// the window's length has more attempts. This does not depend on when TTL deletes the item.
#[derive(Clone)]
pub struct LoginLimit {
    table: Table,
    limit: u64,
    /// In seconds.
    window: u64,
}

impl LoginLimit {
    /// Reads `ACCOUNTS_TABLE`, `LOGIN_MAX_FAILURES` (0 means no limit) and `LOGIN_FAILURE_WINDOW_SECONDS`.
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::accounts(setup),
            limit: failures::limit(setup),
            window: setup.settings().number("LOGIN_FAILURE_WINDOW_SECONDS", 1..=WINDOW_MAX),
        }
    }

    /// Counts an attempt. Returns false, and does not count it, when the limit of the current window is reached.
    pub async fn take(&self, bucket: &Bucket) -> Result<bool, Fault> {
        if self.limit == 0 {
            return Ok(true);
        }
        again(ROUNDS, "table.attempts", move || async move {
            let now = self.table.now();
            let expires_at = now.seconds() + self.window + 1;
            let Err(refused) = self.table.write(bucket.add(now, self.limit, expires_at)).await? else {
                return Ok(Some(true));
            };
            let Some(full) = refused.item else { return Ok(None) };
            let read = failures::read(full)?;
            let is_counted = |time: &u64| now.milliseconds() < time.saturating_add(self.window * 1000);
            let mut times: Vec<u64> = read.times.iter().copied().filter(is_counted).collect();
            if usize::try_from(self.limit).is_ok_and(|limit| times.len() >= limit) {
                return Ok(Some(false));
            }
            times.push(now.milliseconds());
            let replaced = self.table.write(bucket.replace(&read, &times, expires_at)).await?;
            Ok(replaced.is_ok().then_some(true))
        })
        .await
    }

    /// Removes the attempts that keep the owner out who has just proved possession of the mailbox: those of unknown
    /// browsers, and those of this browser.
    pub async fn forget_all(&self, account: &Account, browser: Option<&BrowserSecret>) -> Result<(), Fault> {
        self.forget(&Bucket::of_unknown_browsers(&account.key)).await?;
        match browser {
            Some(secret) => self.forget(&Bucket::of_known_browser(&account.key, secret)).await,
            None => Ok(()),
        }
    }

    /// The bucket, if attempts are counted.
    pub fn counted<'a>(&self, bucket: &'a Bucket) -> Option<&'a Bucket> {
        (self.limit > 0).then_some(bucket)
    }

    /// Removes the attempts of a bucket, after a successful login (NIST SP 800-63B, 5.2.2).
    pub async fn forget(&self, bucket: &Bucket) -> Result<(), Fault> {
        if self.limit == 0 {
            return Ok(());
        }
        self.table.write(bucket.delete()).await.map(|_| ())
    }
}
