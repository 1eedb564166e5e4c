//! Repairs damaged rows. Each function writes on the condition that the rows are as it expects, and returns false if they
//! are not. No function deletes a profile.

use super::Operator;
use crate::Fault;
use crate::account::AccountKey;
use crate::store::items::{RowKey, identity, profile};
use crate::store::table::{Guard, Update, Write, key, n, s};

impl Operator {
    /// Sets the `profile_id` of an account to its id. `found` is the current `profile_id`.
    pub async fn set_profile_id(&self, key: &AccountKey, id: u64, found: Option<u64>) -> Result<bool, Fault> {
        let guard = Guard::Equals("id", n(id)).and(Guard::still("profile_id", found.map(n)));
        let update = Update::new().set("profile_id", n(id));
        Ok(self.table.write(Write::update(profile::key_of(key), update).when(guard)).await?.is_ok())
    }

    /// Deletes a session if there is no account for it.
    pub async fn delete_session_without_account(&self, pk: &str, sk: &str) -> Result<bool, Fault> {
        let session = Write::delete(key(pk, sk)).when(Guard::exists());
        Ok(self.table.transact(vec![profile::check_absent(pk), session]).await?.is_ok())
    }

    /// Deletes an identity if it is linked to this account and the account does not exist.
    pub async fn delete_identity_without_account(&self, sub: &str, account: &str) -> Result<bool, Fault> {
        let identity = Write::delete(identity::key_of(sub)).when(Guard::Equals("account", s(account)));
        Ok(self.table.transact(vec![profile::check_absent(account), identity]).await?.is_ok())
    }

    /// Deletes a passkey, or the pointer to its account, if the account does not name the passkey.
    pub async fn delete_unnamed_passkey(&self, account: &str, id: &str, (pk, sk): &RowKey) -> Result<bool, Fault> {
        let is_unnamed = Guard::Any(vec![Guard::absent(), Guard::Lacks("passkeys", s(id))]);
        let unnamed = Write::check(key(account, profile::PROFILE), is_unnamed);
        let is_own = Guard::Any(vec![Guard::Without("account"), Guard::Equals("account", s(account))]);
        let row = Write::delete(key(pk, sk)).when(Guard::exists().and(is_own));
        Ok(self.table.transact(vec![unnamed, row]).await?.is_ok())
    }

    /// Links the identity of an account to it, if the identity is not linked to any account.
    pub async fn restore_identity(&self, sub: &str, key: &AccountKey, id: u64) -> Result<bool, Fault> {
        let is_owner = Guard::Equals("id", n(id)).and(Guard::Equals("google_sub", s(sub)));
        let account = Write::check(profile::key_of(key), is_owner);
        Ok(self.table.transact(vec![account, identity::insert(sub, key)?]).await?.is_ok())
    }
}
