//! An operator's changes of one account.

use super::Operator;
use crate::Fault;
use crate::account::{Account, AccountKey};
use crate::store::account::accounts;
use crate::store::account::profile::PROFILE;
use crate::store::mailed_tokens::RESET_TOKEN;
use crate::store::table::{Write, n, s};
use crate::store::{Erased, Partition, Removed, StoredPasskey, passkeys};
use crate::system::clock::Timestamp;

/// The maximum number of attempts of a deletion if the account changes at the same time.
const ROUNDS: usize = 4;

/// A change of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nobody can sign in any more. All sessions and the reset token end, and all browsers are forgotten.
    Disable(Timestamp),
    /// Its owner can sign in again.
    Enable,
    /// The password is removed. All sessions and the reset token end, and all browsers are forgotten. The owner sets a
    /// new password by mail.
    ForceReset,
    /// All sessions end, and all browsers are forgotten.
    EndSessions,
}

impl Operator {
    /// Changes an account. Returns false if it was deleted or replaced after it was read.
    ///
    /// # Errors
    /// The table failed.
    pub async fn change(&self, account: &Account, change: Change) -> Result<bool, Fault> {
        const ENDING: &str = "SET #generation = #generation + :one";
        let changes = match change {
            Change::Disable(_) => format!("{ENDING}, #disabled_at = :now REMOVE #browsers, {RESET_TOKEN}"),
            Change::Enable => "REMOVE #disabled_at".to_owned(),
            Change::ForceReset => format!("{ENDING} REMOVE #password, #browsers, {RESET_TOKEN}"),
            Change::EndSessions => format!("{ENDING} REMOVE #browsers"),
        };
        let write = Write::update(account.key.as_str(), PROFILE, changes)
            .when("attribute_exists(#pk) AND #id = :id")
            .value(":id", n(account.id));
        let write = if change == Change::Enable { write } else { write.value(":one", n(1)) };
        let write = if let Change::Disable(now) = change { write.value(":now", n(now.seconds())) } else { write };
        Ok(self.table.write(write).await?.is_ok())
    }

    /// The passkeys of an account, in the order in which they were created.
    ///
    /// # Errors
    /// The table failed.
    pub async fn passkeys(&self, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
        passkeys::list(&self.table, account).await
    }

    /// Removes a passkey of an account. Returns false if the account does not have it, or if the account was deleted or
    /// replaced or its sessions were ended after it was read.
    ///
    /// # Errors
    /// The table failed.
    pub async fn remove_passkey(&self, account: &Account, id: &str) -> Result<bool, Fault> {
        Ok(passkeys::remove(&self.table, account, id, None).await? == Removed::Done)
    }

    /// Ends a session. Returns false if it had ended before.
    ///
    /// # Errors
    /// The table failed; the session may still be live.
    pub async fn end_session(&self, key: &AccountKey, sort_key: &str) -> Result<bool, Fault> {
        let write = Write::delete(key.as_str(), sort_key).when("attribute_exists(#pk)");
        Ok(self.table.write(write).await?.is_ok())
    }

    /// Removes the password of an account, if it is still the one that was read. The sessions stay; the owner sets a
    /// new password by mail. Returns false if the password has changed, or there is none.
    ///
    /// # Errors
    /// The table failed.
    pub async fn remove_password(&self, account: &Account) -> Result<bool, Fault> {
        let Some(password) = &account.password else { return Ok(false) };
        let write = Write::update(account.key.as_str(), PROFILE, "REMOVE #password")
            .when("attribute_exists(#pk) AND #id = :id AND #password = :password")
            .value(":id", n(account.id))
            .value(":password", s(password.as_str()));
        Ok(self.table.write(write).await?.is_ok())
    }

    /// Deletes an account and everything that belongs to it, as its owner can. If it fails halfway, the profile still
    /// exists, and a retry completes the deletion.
    ///
    /// # Errors
    /// The table failed, or the account keeps changing.
    pub async fn erase(&self, account: &Account) -> Result<Erased, Fault> {
        for _ in 0..ROUNDS {
            let read = Partition::read(&self.table, &account.key, None).await?;
            let Some((partition, _)) = read.filter(|(partition, _)| partition.account.id == account.id) else {
                return Ok(Erased::Gone);
            };
            let erased = accounts::erase(&self.table, &partition).await?;
            if erased != Erased::Changed {
                return Ok(erased);
            }
        }
        Err(Fault::new("table.erase", "conflict"))
    }
}
