//! An operator's changes of one account.

use super::Operator;
use crate::Fault;
use crate::account::{Account, AccountKey};
use crate::store::accounts::{self, Erased};
use crate::store::items::passkey::StoredPasskey;
use crate::store::items::profile::{self, RESET_TOKEN};
use crate::store::items::session::StoredSession;
use crate::store::passkeys::{self, Removed};
use crate::store::table::{Guard, Update, Write, n};
use crate::system::clock::Timestamp;

/// An operator's action on one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
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
    pub async fn act(&self, account: &Account, action: Action) -> Result<bool, Fault> {
        let ending = || Update::new().increase("generation", 1).remove(&["browsers"]);
        let update = match action {
            Action::Disable(now) => ending().set("disabled_at", n(now.seconds())).remove(RESET_TOKEN),
            Action::Enable => Update::new().remove(&["disabled_at"]),
            Action::ForceReset => ending().remove(&["password"]).remove(RESET_TOKEN),
            Action::EndSessions => ending(),
        };
        let guard = Guard::exists().and(profile::is_of(account));
        Ok(self.table.write(Write::update(profile::key_of(&account.key), update).when(guard)).await?.is_ok())
    }

    /// The passkeys of an account, in the order in which they were created.
    pub async fn passkeys(&self, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
        passkeys::list(&self.table, account).await
    }

    /// Removes a passkey of an account, and ends its sessions. Returns false if the account does not have it, or if the account was deleted or
    /// replaced or its sessions were ended after it was read.
    pub async fn remove_passkey(&self, account: &Account, id: &str) -> Result<bool, Fault> {
        Ok(matches!(passkeys::remove(&self.table, account, id).await?, Removed::Done(())))
    }

    /// Ends a session. Returns false if it had ended before.
    /// If it fails, the session may still be live.
    pub async fn end_session(&self, key: &AccountKey, session: &StoredSession) -> Result<bool, Fault> {
        Ok(self.table.write(session.delete(key).when(Guard::exists())).await?.is_ok())
    }

    /// Removes the password of an account, if it is still the one that was read. The sessions stay; the owner sets a
    /// new password by mail. Returns false if the password has changed, or there is none.
    pub async fn remove_password(&self, account: &Account) -> Result<bool, Fault> {
        let Some(password) = &account.password else { return Ok(false) };
        let guard = Guard::exists().and(profile::is_of(account)).and(profile::has_password(password));
        let update = Update::new().remove(&["password"]);
        Ok(self.table.write(Write::update(profile::key_of(&account.key), update).when(guard)).await?.is_ok())
    }

    /// Deletes an account and everything that belongs to it, as its owner can. If it fails halfway, the profile still
    /// exists, and a retry completes the deletion.
    /// It fails also if the account keeps changing.
    pub async fn erase(&self, account: &Account) -> Result<Erased, Fault> {
        accounts::erase(&self.table, account, None).await
    }
}
