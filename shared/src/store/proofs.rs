//! What may be used once: the proofs of work of logins, and the challenges of passkeys.

use super::items::challenge::{self, Purpose};
use super::items::proof;
use super::table::Table;
use crate::{Fault, Setup};

/// The used proofs in the accounts table. TTL deletes a row some time after its challenge has expired.
#[derive(Clone)]
pub struct SpentProofs(Table);

impl SpentProofs {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self(Table::accounts(setup))
    }

    /// Marks the proof of the challenge with this nonce as used. Returns false if it was used before. `expires_at` is
    /// when the challenge expires, in seconds since 1970.
    pub async fn spend(&self, nonce: &str, expires_at: u64) -> Result<bool, Fault> {
        Ok(self.0.write(proof::insert(nonce, expires_at)).await?.is_ok())
    }
}

/// The challenges of passkeys in the accounts table. Each can be answered once, within five minutes. TTL deletes a row
/// some time after it has expired.
#[derive(Clone)]
pub struct PasskeyChallenges {
    table: Table,
}

impl PasskeyChallenges {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup) }
    }

    /// Stores a new challenge.
    /// It fails also if the challenge exists.
    pub async fn issue(&self, challenge: &str, state: &[u8], purpose: Purpose<'_>) -> Result<(), Fault> {
        let insert = challenge::insert(challenge, state, purpose, self.table.now())?;
        self.table.write(insert).await?.map_err(|_| Fault::new("table.challenge", "issued before"))
    }

    /// The state that a challenge was issued with. Returns `None` if there is no such challenge for this purpose, or if
    /// it has expired.
    pub async fn state(&self, challenge: &str, purpose: Purpose<'_>) -> Result<Option<Vec<u8>>, Fault> {
        let item = self.table.item(challenge::key_of(challenge)).await?;
        Ok(item.map(|item| challenge::state(item, purpose, self.table.now())).transpose()?.flatten())
    }
}
