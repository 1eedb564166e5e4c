//! Hashes that other systems wrote, mostly PHP. `accounts import` stores them, and a login verifies them and replaces
//! them with Argon2id. Login is the only endpoint that is built with this module.
//!
//! A fast hash (MD5, SHA-1) is never stored: the import stores its Argon2id hash instead.

mod format;
mod phpass;
mod wrapped;

pub use format::read;
pub use wrapped::{Digest, FastHash, SaltPlace};

use std::sync::Arc;

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format as DateFormat;
use format::{LegacyHash, Match};

use super::{Password, Passwords, StoredHash, Unusable, Verdict};
use crate::system::clock::Clock;
use crate::{Fault, Setup};

/// A day, in seconds.
const DAY: i64 = 24 * 60 * 60;

/// Whether legacy hashes are still verified.
#[derive(Clone)]
pub(super) struct Legacy {
    clock: Arc<dyn Clock>,
    /// The end of the last day on which they are verified, in seconds since 1970. `None` if there is no last day.
    end: Option<u64>,
}

impl Legacy {
    fn new(setup: &Setup) -> Self {
        let end = setup.settings().optional("LEGACY_HASHES_UNTIL").map(|date| {
            let midnight = DateTime::from_str(&format!("{date}T00:00:00Z"), DateFormat::DateTime).ok();
            let end = midnight.and_then(|midnight| u64::try_from(midnight.secs().checked_add(DAY)?).ok());
            end.unwrap_or_else(|| {
                setup.settings().fault("LEGACY_HASHES_UNTIL", "must be a date such as 2027-06-30");
                0
            })
        });
        Self { clock: setup.clock(), end }
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.clock.now().seconds() >= end)
    }
}

impl Passwords {
    /// Verifies legacy hashes too. Reads `LEGACY_HASHES_UNTIL`, the last day (UTC) on which they are verified.
    #[must_use]
    pub fn with_legacy_hashes(mut self, setup: &Setup) -> Self {
        self.legacy = Some(Legacy::new(setup));
        self
    }

    /// Verifies a password if the stored hash is a legacy one. Returns `None` if it is not, or if legacy hashes are not
    /// enabled. After the last day, and for a password that is too long, it computes a decoy hash.
    pub(super) async fn verify_legacy(
        &self,
        stored: &StoredHash,
        password: &Password,
    ) -> Result<Option<Verdict>, Fault> {
        let Some(legacy) = &self.legacy else { return Ok(None) };
        let Some(hash) = LegacyHash::parse(stored.as_str()).map_err(Unusable::into_fault)? else { return Ok(None) };
        if legacy.is_over() || hash.is_too_long(password.as_bytes()) {
            return self.verify_decoy(password).await.map(Some);
        }
        let (pool, password) = (Arc::clone(&self.pool), password.clone());
        let found = self.compute(move || hash.verify(password.as_bytes(), &pool)).await?;
        Ok(Some(match found {
            Match::No => Verdict::Wrong,
            Match::Exact => Verdict::RightButOutdated,
            Match::Part => Verdict::Right,
        }))
    }
}

#[cfg(test)]
mod tests;
