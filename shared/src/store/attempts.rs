//! Failed logins of an address, when a limit is set. None is by default.

use std::sync::Arc;

use super::table::Table;
use super::write::Write;
use crate::account::AccountKey;
use crate::clock::Clock;
use crate::{Fault, Setup};

/// Fifteen minutes: how long a full count refuses logins, in seconds.
const WINDOW_SECONDS: u64 = 15 * 60;
/// A day, in seconds: what the window may be set to.
const WINDOW_MAX: u64 = 24 * 60 * 60;

/// Counts attempts before they are made, so that parallel ones cannot slip through, and by address,
/// so that an unknown one costs the same as a known one.
#[derive(Clone)]
pub struct Attempts {
    table: Table,
    clock: Arc<dyn Clock>,
    limit: u64,
    window: u64,
}

impl Attempts {
    /// Reads `ACCOUNTS_TABLE`, `LOGIN_MAX_FAILURES` (0, the default, is no limit) and
    /// `LOGIN_FAILURE_WINDOW_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            limit: setup.number("LOGIN_MAX_FAILURES", 0, 0..=1000),
            window: setup.number("LOGIN_FAILURE_WINDOW_SECONDS", WINDOW_SECONDS, 1..=WINDOW_MAX),
        }
    }

    /// Counts an attempt; false when the window has seen too many that failed.
    ///
    /// # Errors
    /// The table failed.
    pub async fn begin(&self, account: &AccountKey) -> Result<bool, Fault> {
        if self.limit == 0 {
            return Ok(true);
        }
        let (window, sort_key) = self.present();
        let expires_at = (window + 1) * self.window;
        let attempts = self.table.add(account.as_str(), &sort_key, 1, Some(expires_at)).await?;
        Ok(attempts <= self.limit)
    }

    /// Forgets the attempts of the window, after one that succeeded.
    ///
    /// # Errors
    /// The table failed.
    pub async fn forget(&self, account: &AccountKey) -> Result<(), Fault> {
        if self.limit == 0 {
            return Ok(());
        }
        let (_, sort_key) = self.present();
        self.table.write(Write::delete(account.as_str(), &sort_key)).await.map(|_| ())
    }

    fn present(&self) -> (u64, String) {
        let window = self.clock.now().seconds() / self.window;
        (window, format!("failures#{window}"))
    }
}
