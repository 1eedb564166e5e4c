//! The limit of failed logins. By default there is none.
//!
//! Each known browser of an account has its own bucket, and all other browsers share one. An attacker who reaches the
//! shared limit does not lock out the owner's browsers, and a stolen browser that reaches its limit locks out no other
//! browser.

use super::counting;
use super::items::failures::{self, Bucket};
use super::table::Table;
use crate::{Account, BrowserSecret, Fault, Setup};

/// The longest window that may be set: a day, in seconds.
const WINDOW_MAX: u64 = 24 * 60 * 60;
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
        counting::take(&self.table, bucket, self.limit, self.window).await
    }

    /// Removes the attempts that keep the owner out who has just proved possession of the mailbox: those of unknown
    /// browsers, and those of this browser.
    pub async fn forget_all(&self, account: &Account, browser: Option<&BrowserSecret>) -> Result<(), Fault> {
        self.forget(&Bucket::of_unknown_browsers(&account.email)).await?;
        match browser {
            Some(secret) => self.forget(&Bucket::of_known_browser(&account.email, secret)).await,
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
