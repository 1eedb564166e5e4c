//! The invariants of the accounts table: what each row must be by itself, and what the rows must agree on. The
//! operator's `accounts doctor --data` checks them, and so do the tests.
//!
//! A [`Ledger`] remembers what a scan of the table has read. [`confirm()`] then reads again what may be damaged.

mod confirm;
mod kind;
mod ledger;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::FutureExt;
use shared::store::operator::{Operator, Row, RowKey};
use shared::{AccountKey, Email, Fault};

pub use kind::{KINDS, Kind};
pub use ledger::Ledger;

/// An item of the table.
pub type Item = HashMap<String, AttributeValue>;

/// A damaged row.
#[derive(Debug)]
pub struct Damage {
    /// What is wrong with it.
    pub kind: Kind,
    /// The text that names the row, such as an account's id or a key. Never the hash of a secret.
    pub shown: String,
    /// How to repair it, if that is safe.
    pub repair: Option<Repair>,
}

/// A change that repairs a row, if the row is still as it was found. The counter is raised even if it has changed.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are keys of rows and ids, as their names say")]
pub enum Repair {
    /// Deletes a session.
    DeleteSession { pk: String, sk: String },
    /// Deletes an identity.
    DeleteIdentity { sub: String, account: String },
    /// Writes the identity of an account.
    RestoreIdentity { sub: String, key: AccountKey, id: u64 },
    /// Deletes the passkey, or the pointer to its account, with the key `row`.
    DeletePasskey { key: String, id: String, row: RowKey },
    /// Deletes the pointer of the address with the key `address`.
    DeleteAddress { address: String, account: String },
    /// Writes the pointer of the address of an account.
    RestoreAddress { key: AccountKey, email: Email, id: u64 },
    /// Raises the counter of ids to this id.
    RaiseCounter(u64),
    /// Lowers the counter of ids to this id.
    LowerCounter(u64),
    /// Sets the `profile_id` of an account. `found` is the wrong one, if there is one.
    SetProfileId { key: AccountKey, id: u64, found: Option<u64> },
}

impl Damage {
    /// A damage without a repair.
    pub(crate) fn new(kind: Kind, shown: impl Into<String>) -> Self {
        Self { kind, shown: shown.into(), repair: None }
    }

    /// The damage with this repair.
    pub(crate) fn with(self, repair: Repair) -> Self {
        Self { repair: Some(repair), ..self }
    }
}

/// A table from which rows are read again.
pub trait Table: Sync {
    /// The rows with these keys that exist.
    ///
    /// # Errors
    /// The table failed.
    fn rows(&self, keys: Vec<RowKey>) -> impl Future<Output = Result<HashMap<RowKey, Row>, Fault>> + Send;
}

impl Table for Operator {
    fn rows(&self, keys: Vec<RowKey>) -> impl Future<Output = Result<HashMap<RowKey, Row>, Fault>> + Send {
        Self::rows(self, keys)
    }
}

/// A table whose rows were all read at one time.
struct Snapshot(HashMap<RowKey, Row>);

impl Table for Snapshot {
    async fn rows(&self, keys: Vec<RowKey>) -> Result<HashMap<RowKey, Row>, Fault> {
        Ok(keys.into_iter().filter_map(|key| Some((key.clone(), self.0.get(&key)?.clone()))).collect())
    }
}

/// The damaged rows among those that a scan has read. What looks damaged is read again, because the table changes while
/// it is scanned, and a scan may read old rows.
///
/// # Errors
/// The table failed.
pub async fn confirm(table: &impl Table, ledger: Ledger) -> Result<Vec<Damage>, Fault> {
    let largest = ledger.largest;
    let (suspects, mut damages) = ledger.close();
    damages.extend(confirm::confirm(table, suspects).await?);
    damages.extend(confirm::counter(table, largest).await?);
    Ok(damages)
}

/// The damaged rows of a table that has exactly these items. `now` is in seconds since 1970.
///
/// # Errors
/// Never: reading the items again cannot fail.
pub fn damages(items: impl IntoIterator<Item = Item>, now: u64) -> Result<Vec<Damage>, Fault> {
    let (mut ledger, mut rows) = (Ledger::default(), HashMap::new());
    for item in items {
        let row = Row::of(item);
        rows.insert(row.key.clone(), row.clone());
        ledger.add(row, now);
    }
    let confirming = confirm(&Snapshot(rows), ledger).now_or_never();
    confirming.unwrap_or_else(|| Err(Fault::new("table-checks", "unfinished")))
}
