//! The proofs of work that logins have used. Each is accepted once.

use crate::store::table::{Item, Table, Write, n, s};
use crate::{Fault, Setup};

/// The prefix of the partition key. It has a character that no account's key has.
pub(in crate::store) const PREFIX: &str = "captcha#";
/// The sort key.
pub(in crate::store) const SPENT: &str = "spent";
/// How much longer than its challenge a row is kept, in seconds, because clocks differ.
const MARGIN_SECONDS: u64 = 60;

/// The used proofs in the accounts table. TTL deletes a row some time after its challenge has expired.
#[derive(Clone)]
pub struct SpentProofs(Table);

impl SpentProofs {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self(Table::new(setup, "ACCOUNTS_TABLE"))
    }

    /// Marks the proof of the challenge with this nonce as used. Returns false if it was used before. `expires_at` is
    /// when the challenge expires, in seconds since 1970.
    ///
    /// # Errors
    /// The table failed.
    pub async fn spend(&self, nonce: &str, expires_at: u64) -> Result<bool, Fault> {
        let item = Item::from([
            ("pk".to_owned(), s(&format!("{PREFIX}{nonce}"))),
            ("sk".to_owned(), s(SPENT)),
            ("expires_at".to_owned(), n(expires_at + MARGIN_SECONDS)),
        ]);
        Ok(self.0.write(Write::put(item).when("attribute_not_exists(#pk)")).await?.is_ok())
    }
}
