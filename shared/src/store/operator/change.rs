//! Changes of one account that an operator orders.

use super::Operator;
use crate::Fault;
use crate::account::Account;
use crate::store::profile::PROFILE;
use crate::store::table::{Write, n};
use crate::system::clock::Timestamp;

/// A change of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nobody can sign in any more. All sessions and the reset token end.
    Disable(Timestamp),
    /// Its owner can sign in again.
    Enable,
    /// The password is removed. All sessions and the reset token end; the owner sets a new one by mail.
    ForceReset,
    /// All sessions end.
    EndSessions,
}

impl Operator {
    /// Changes an account. Gives false if it was deleted or replaced after it was read.
    ///
    /// # Errors
    /// The table failed.
    pub async fn change(&self, account: &Account, change: Change) -> Result<bool, Fault> {
        const ENDING: &str = "SET #generation = #generation + :one";
        let changes = match change {
            Change::Disable(_) => format!("{ENDING}, #disabled_at = :now REMOVE #reset_hash, #reset_expires_at"),
            Change::Enable => "REMOVE #disabled_at".to_owned(),
            Change::ForceReset => format!("{ENDING} REMOVE #password, #reset_hash, #reset_expires_at"),
            Change::EndSessions => ENDING.to_owned(),
        };
        let write = Write::update(account.key.as_str(), PROFILE, changes)
            .when("attribute_exists(#pk) AND #id = :id")
            .value(":id", n(account.id));
        let write = if change == Change::Enable { write } else { write.value(":one", n(1)) };
        let write = if let Change::Disable(now) = change { write.value(":now", n(now.seconds())) } else { write };
        Ok(self.table.write(write).await?.is_ok())
    }
}
