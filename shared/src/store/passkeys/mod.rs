//! Passkeys: listing, creating and removing them, and logging in with them.
//!
//! A passkey has two items. Its row is in the partition of its account, and a pointer under the hash of its
//! credential's id names the account. The profile has the set of the ids of all passkeys of the account. One condition
//! on this set limits their number, and a deletion of the account reads it, so that no passkey is left behind.

pub(super) mod challenges;
mod login;
mod row;

pub use challenges::{Challenges, Purpose};
pub use login::Candidate;
pub use row::{Backup, StoredPasskey};
pub(super) use row::{POINTER, PREFIX, held, pointer_key, sort_key};
#[cfg(feature = "operator")]
pub(super) use row::{POINTER_PREFIX, account_of, is_readable};

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use self::row::Row;
use super::account::accounts::update;
use super::account::profile;
use super::sessions::{self, Session, Sessions};
use super::table::{self, Refused, Start, Table, Write, n, s};
use crate::account::Account;
use crate::system::clock::Clock;
use crate::{BrowserName, Fault, FullName, Setup};

/// The maximum number of passkeys of an account.
pub const PASSKEYS_MAX: usize = 20;
/// The maximum number of items of one query of passkeys: the 20 of an account and one more.
const PAGE: i32 = 21;
/// The operation that a fault names.
const OPERATION: &str = "table.passkey";

/// The passkeys in the accounts table.
#[derive(Clone)]
pub struct Passkeys {
    table: Table,
    clock: Arc<dyn Clock>,
    sessions: Sessions,
}

/// A passkey that the library has verified.
pub struct NewPasskey {
    /// The id of its credential.
    pub credential: Vec<u8>,
    /// Its public key, in the library's encoding.
    pub public_key: Vec<u8>,
    /// The WebAuthn user handle of the account.
    pub user_handle: String,
    /// The authenticator's counter of signatures.
    pub counter: u32,
    /// Whether its private key is or can be copied to other devices.
    pub backup: Backup,
    /// How browsers reach its authenticator.
    pub transports: Vec<String>,
}

impl NewPasskey {
    /// The id that the passkey will have.
    #[must_use]
    pub fn id(&self) -> String {
        row::id_of(&self.credential)
    }
}

/// The outcome of creating a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It is stored.
    Stored,
    /// The account has as many passkeys as it may have.
    TooMany,
    /// The challenge was used before, the credential is registered already, or the account has another user handle by
    /// now.
    Refused,
    /// The caller's session has ended, or the account was deleted.
    NoSession,
}

/// The outcome of removing a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// It is removed.
    Done,
    /// The account has no such passkey.
    Unknown,
    /// The caller's session has ended, or the account was deleted.
    NoSession,
}

impl Passkeys {
    /// Reads `ACCOUNTS_TABLE` and the settings of sessions.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock(), sessions: Sessions::new(setup) }
    }

    /// The passkeys of an account, in the order in which they were created.
    ///
    /// # Errors
    /// The table failed.
    pub async fn list(&self, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
        list(&self.table, account).await
    }

    /// Stores a new passkey of the caller's account, and consumes its challenge.
    ///
    /// # Errors
    /// The table failed.
    pub async fn create(
        &self,
        session: &Session,
        challenge: &str,
        new: &NewPasskey,
        name: &FullName,
        user_agent: Option<&str>,
    ) -> Result<Created, Fault> {
        let (account, now) = (&session.account, self.clock.now());
        let row = Row::new(account, new, name, now);
        let writes = vec![
            adding(account, row.id(), &new.user_handle, user_agent),
            Write::put(table::item(&row.pointer())?).when("attribute_not_exists(#pk)"),
            challenges::using(challenge, now),
            Write::check(account.key.as_str(), &sessions::sort_key(&session.token), "attribute_exists(#pk)"),
            Write::put(table::item(&row)?).when("attribute_not_exists(#pk)"),
        ];
        let Err(refused) = self.table.transact(writes).await? else { return Ok(Created::Stored) };
        match refused.index {
            0 => refused_by_profile(refused, account, |found| {
                if found.passkeys.len() >= PASSKEYS_MAX { Created::TooMany } else { Created::Refused }
            })
            .map(|outcome| outcome.unwrap_or(Created::NoSession)),
            3 => Ok(Created::NoSession),
            _ => Ok(Created::Refused),
        }
    }

    /// Removes a passkey of the caller's account.
    ///
    /// # Errors
    /// The table failed.
    pub async fn remove(&self, account: &Account, id: &str, user_agent: Option<&str>) -> Result<Removed, Fault> {
        remove(&self.table, account, id, user_agent).await
    }
}

/// The passkeys of an account, in the order in which they were created.
pub(super) async fn list(table: &Table, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
    let page = table.page(account.key.as_str(), Start::At(PREFIX), PAGE).await?;
    // Rows that cannot be read, or that the profile does not name, are not passkeys.
    let rows = page.items.into_iter().filter_map(|item| table::read::<Row>(item).ok());
    let mut listed: Vec<StoredPasskey> = rows.filter_map(|row| row.into_passkey_of(account)).collect();
    listed.sort_by_key(|passkey| passkey.created_at);
    Ok(listed)
}

/// Removes a passkey, for its owner or for an operator.
pub(super) async fn remove(
    table: &Table,
    account: &Account,
    id: &str,
    user_agent: Option<&str>,
) -> Result<Removed, Fault> {
    if !account.passkeys.contains(id) {
        return Ok(Removed::Unknown);
    }
    let profile = update(account, "SET #credentials_changed_by = :browser DELETE #passkeys :passkeys")
        .when("#id = :id AND #generation = :generation AND contains(#passkeys, :passkey)")
        .value(":browser", s(BrowserName::of(user_agent).as_str()))
        .value(":passkeys", AttributeValue::Ss(vec![id.to_owned()]))
        .value(":passkey", s(id));
    let mut writes = vec![profile];
    writes.extend(removing(account, id));
    let Err(refused) = table.transact(writes).await? else { return Ok(Removed::Done) };
    if refused.index > 0 {
        return Err(Fault::new(OPERATION, "credential of another account"));
    }
    let outcome = refused_by_profile(refused, account, |_| Removed::Unknown)?;
    Ok(outcome.unwrap_or(Removed::NoSession))
}

/// The update of a profile that adds a passkey. Its condition is that the account is still the one that was read, has
/// room for the passkey, and has no other user handle.
fn adding(account: &Account, id: &str, user_handle: &str, user_agent: Option<&str>) -> Write {
    let changes = "SET #passkey_user = :user, #credentials_changed_by = :browser ADD #passkeys :passkeys";
    update(account, changes)
        .when(
            "#id = :id AND #generation = :generation AND attribute_not_exists(#disabled_at) \
             AND (attribute_not_exists(#passkey_user) OR #passkey_user = :user) \
             AND (attribute_not_exists(#passkeys) OR size(#passkeys) < :most)",
        )
        .value(":user", s(user_handle))
        .value(":browser", s(BrowserName::of(user_agent).as_str()))
        .value(":passkeys", AttributeValue::Ss(vec![id.to_owned()]))
        .value(":most", n(PASSKEYS_MAX as u64))
}

/// The outcome of a transaction that failed the condition of the profile: `outcome` for the current account, or `None`
/// if it was deleted, replaced or disabled, or has a new generation.
fn refused_by_profile<T>(
    refused: Refused,
    read: &Account,
    outcome: impl FnOnce(&Account) -> T,
) -> Result<Option<T>, Fault> {
    let found = refused.item.map(profile::account).transpose()?;
    let same = |found: &Account| found.id == read.id && found.generation == read.generation && !found.is_disabled();
    Ok(found.filter(same).map(|found| outcome(&found)))
}

/// The writes that delete the items of a passkey. If the pointer names another account, the transaction fails.
fn removing(account: &Account, id: &str) -> [Write; 2] {
    [Write::delete(account.key.as_str(), &sort_key(id)), unpointing(account, id)]
}

/// The writes that delete all passkeys of an account. Their transaction must also have the condition of [`unchanged`].
pub(super) fn removing_all(account: &Account) -> impl Iterator<Item = Write> {
    account.passkeys.iter().flat_map(|id| removing(account, id))
}

/// The writes that delete the pointers to all passkeys of an account.
pub(super) fn unpointing_all(account: &Account) -> impl Iterator<Item = Write> {
    account.passkeys.iter().map(|id| unpointing(account, id))
}

fn unpointing(account: &Account, id: &str) -> Write {
    Write::delete(&pointer_key(id), POINTER)
        .when("attribute_not_exists(#pk) OR #account = :account")
        .value(":account", s(account.key.as_str()))
}

/// Adds to the condition of a write of the profile that the account has the same passkeys as when it was read.
pub(super) fn unchanged(write: Write, account: &Account) -> Write {
    let condition = write.condition.clone().unwrap_or_default();
    if account.passkeys.is_empty() {
        return write.when(format!("{condition} AND attribute_not_exists(#passkeys)"));
    }
    let read = AttributeValue::Ss(account.passkeys.iter().cloned().collect());
    write.when(format!("{condition} AND #passkeys = :read_passkeys")).value(":read_passkeys", read)
}

/// The attributes of passkeys in a profile, as an update expression removes them.
pub(super) const PASSKEYS: &str = "#passkeys, #passkey_user";
