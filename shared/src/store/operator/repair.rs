//! Repairs damaged rows. Each function writes on the condition that the rows are as it expects, and returns false if they
//! are not. No function deletes a profile.

use super::{Operator, RowKey};
use crate::Fault;
use crate::account::AccountKey;
use crate::store::account::identities;
use crate::store::account::profile::PROFILE;
use crate::store::table::{Write, n, s};

impl Operator {
    /// Sets the `profile_id` of an account to its id. `found` is the current `profile_id`.
    ///
    /// # Errors
    /// The table failed.
    pub async fn set_profile_id(&self, key: &AccountKey, id: u64, found: Option<u64>) -> Result<bool, Fault> {
        let update = Write::update(key.as_str(), PROFILE, "SET #profile_id = :id").value(":id", n(id));
        let update = match found {
            None => update.when("#id = :id AND attribute_not_exists(#profile_id)"),
            Some(found) => update.when("#id = :id AND #profile_id = :found").value(":found", n(found)),
        };
        Ok(self.table.write(update).await?.is_ok())
    }

    /// Deletes a session if there is no account for it.
    ///
    /// # Errors
    /// The table failed.
    pub async fn delete_session_without_account(&self, pk: &str, sk: &str) -> Result<bool, Fault> {
        let session = Write::delete(pk, sk).when("attribute_exists(#pk)");
        Ok(self.table.transact(vec![absent(pk), session]).await?.is_ok())
    }

    /// Deletes an identity if it is linked to this account and the account does not exist.
    ///
    /// # Errors
    /// The table failed.
    pub async fn delete_identity_without_account(&self, sub: &str, account: &str) -> Result<bool, Fault> {
        let identity = Write::delete(&identities::partition_key(sub), identities::IDENTITY)
            .when("#account = :account")
            .value(":account", s(account));
        Ok(self.table.transact(vec![absent(account), identity]).await?.is_ok())
    }

    /// Deletes a passkey, or the pointer to its account, if the account does not name the passkey.
    ///
    /// # Errors
    /// The table failed.
    pub async fn delete_unnamed_passkey(&self, key: &str, id: &str, (pk, sk): &RowKey) -> Result<bool, Fault> {
        let unnamed = Write::check(key, PROFILE, "attribute_not_exists(#pk) OR NOT contains(#passkeys, :passkey)")
            .value(":passkey", s(id));
        let row = Write::delete(pk, sk)
            .when("attribute_exists(#pk) AND (attribute_not_exists(#account) OR #account = :account)")
            .value(":account", s(key));
        Ok(self.table.transact(vec![unnamed, row]).await?.is_ok())
    }

    /// Links the identity of an account to it, if the identity is not linked to any account.
    ///
    /// # Errors
    /// The table failed.
    pub async fn restore_identity(&self, sub: &str, key: &AccountKey, id: u64) -> Result<bool, Fault> {
        let account = Write::check(key.as_str(), PROFILE, "#id = :id AND #google_sub = :sub")
            .value(":id", n(id))
            .value(":sub", s(sub));
        Ok(self.table.transact(vec![account, identities::linking(sub, key)?]).await?.is_ok())
    }
}

/// The condition that an account does not exist.
fn absent(key: &str) -> Write {
    Write::check(key, PROFILE, "attribute_not_exists(#pk)")
}
