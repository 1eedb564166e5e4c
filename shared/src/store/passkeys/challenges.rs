//! The challenges of passkeys. Each can be answered once, within five minutes.
//!
//! A challenge is not a secret: the browser gets it, and only an authenticator can answer it. It is therefore the key
//! of its row.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::account::{Account, AccountKey};
use crate::store::table::{self, Item, Table, Write, n};
use crate::system::clock::{Clock, Timestamp};
use crate::{Fault, Setup};

/// The prefix of the partition key. It has a character that no account's key has.
pub(in crate::store) const PREFIX: &str = "challenge#";
/// The sort key.
pub(in crate::store) const CHALLENGE: &str = "challenge";
/// How long a challenge can be answered: five minutes, in seconds.
const LIFETIME_SECONDS: u64 = 5 * 60;

/// The challenges in the accounts table. TTL deletes a row some time after it has expired.
#[derive(Clone)]
pub struct Challenges {
    table: Table,
    clock: Arc<dyn Clock>,
}

/// What a challenge was issued for.
#[derive(Clone, Copy)]
pub enum Purpose<'a> {
    /// A login, whose account is not known yet.
    Login,
    /// A new passkey of this account.
    Registration(&'a Account),
}

#[derive(Serialize, Deserialize)]
struct Row {
    pk: String,
    sk: String,
    /// What the library needs to verify the answer.
    state: String,
    /// The key and the id of the account that the new passkey is for; `None` for a login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<(AccountKey, u64)>,
    expires_at: u64,
}

impl Challenges {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock() }
    }

    /// Stores a new challenge.
    ///
    /// # Errors
    /// The table failed, or the challenge exists.
    pub async fn issue(&self, challenge: &str, state: &[u8], purpose: Purpose<'_>) -> Result<(), Fault> {
        let row = Row {
            pk: partition_key(challenge),
            sk: CHALLENGE.to_owned(),
            state: URL_SAFE_NO_PAD.encode(state),
            account: purpose.account(),
            expires_at: self.clock.now().seconds() + LIFETIME_SECONDS,
        };
        let write = Write::put(table::item(&row)?).when("attribute_not_exists(#pk)");
        self.table.write(write).await?.map_err(|_| Fault::new("table.challenge", "issued before"))
    }

    /// The state that a challenge was issued with. Returns `None` if there is no such challenge for this purpose, or if
    /// it has expired.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn state(&self, challenge: &str, purpose: Purpose<'_>) -> Result<Option<Vec<u8>>, Fault> {
        let item = self.table.item(&partition_key(challenge), CHALLENGE).await?;
        Ok(item.map(|item| state(item, purpose, self.clock.now())).transpose()?.flatten())
    }
}

impl Purpose<'_> {
    fn account(self) -> Option<(AccountKey, u64)> {
        match self {
            Self::Login => None,
            Self::Registration(account) => Some((account.key.clone(), account.id)),
        }
    }
}

/// The partition key of a challenge.
pub(in crate::store) fn partition_key(challenge: &str) -> String {
    format!("{PREFIX}{challenge}")
}

/// The state of the challenge in an item; `None` if it was issued for another purpose, or has expired. TTL deletes
/// expired rows late, so the time is checked here.
pub(in crate::store) fn state(item: Item, purpose: Purpose<'_>, now: Timestamp) -> Result<Option<Vec<u8>>, Fault> {
    let row: Row = table::read(item)?;
    if row.account != purpose.account() || now.seconds() >= row.expires_at {
        return Ok(None);
    }
    let state = URL_SAFE_NO_PAD.decode(row.state).map_err(|_| Fault::new("table.row", "broken"))?;
    Ok(Some(state))
}

/// The write that consumes a challenge, on the condition that it was not used before and has not expired.
pub(in crate::store) fn using(challenge: &str, now: Timestamp) -> Write {
    Write::delete(&partition_key(challenge), CHALLENGE)
        .when("attribute_exists(#pk) AND #expires_at > :now")
        .value(":now", n(now.seconds()))
}

/// Whether an item is a challenge that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: Item) -> bool {
    table::read::<Row>(item).is_ok()
}
