//! Deleted accounts whose entries are being erased.
//!
//! The index of entries by account may lag behind the table, so one erasure may miss the newest entries of an account.
//! There are therefore two: the stream reports the item of an erasure when it is written, and again when TTL deletes
//! it, at least an hour later. By then, an import may have created an account with the same id. The item therefore has
//! the time of the deletion, and later entries stay.

use std::collections::BTreeSet;
use std::sync::Arc;

use aws_sdk_dynamodb::types::ReturnValue;
use serde::{Deserialize, Serialize};

use crate::store::table::{self, Table, Write, n};
use crate::system::clock::{Clock, Timestamp};
use crate::{Fault, Setup};

/// The prefix of the partition keys of erasures.
pub(in crate::store) const ERASURE_PREFIX: &str = "erasure#";
/// The sort key of an erasure. The filter of the stream in `template.yaml` also contains it.
pub(in crate::store) const ERASURE: &str = "erasure";
/// The shortest time between the two erasures: an hour, in seconds. The index usually lags by less than a second.
const PAUSE_SECONDS: u64 = 60 * 60;
/// The shortest time between the two erasures of an account that an import had created: two days, in seconds. Its item
/// may record that an undo deleted the account. It must then outlive the record of the deletion, which the stream keeps
/// for one day.
const IMPORTED_SECONDS: u64 = 2 * 24 * 60 * 60;

/// The erasures in the accounts table. An item contains no data of the account except
/// its id, the time of its deletion and the runs of its undone imports.
#[derive(Clone)]
pub struct Erasures {
    table: Table,
    clock: Arc<dyn Clock>,
}

/// A deleted account.
pub struct Deleted<'a> {
    /// The id that it had. No other account has it, unless an import creates the account again.
    pub id: u64,
    /// When it was deleted.
    pub at: Timestamp,
    /// The run of the import that created it, if any.
    pub run: Option<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct Erasure {
    pk: String,
    sk: String,
    /// The last deletion of an account with this id, in seconds since 1970. An undo does not set it. The function `notices`
    /// sets it to the time in the stream, which is of the table's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted_at: Option<u64>,
    /// The runs of imports whose undo has deleted the account.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    undone: BTreeSet<String>,
    expires_at: u64,
}

impl Erasures {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock() }
    }

    /// Requests the two erasures of the entries of a deleted account. It is idempotent. Returns whether the undo of an
    /// import deleted the account.
    ///
    /// # Errors
    /// The table failed, or the item is broken.
    pub async fn request(&self, deleted: &Deleted<'_>) -> Result<bool, Fault> {
        let pause = if deleted.run.is_some() { IMPORTED_SECONDS } else { PAUSE_SECONDS };
        let expires_at = self.clock.now().seconds().saturating_add(pause);
        let write = Write::update(
            &partition_key(deleted.id),
            ERASURE,
            "SET #deleted_at = :deleted_at, #expires_at = :expires_at",
        )
        .when("attribute_not_exists(#deleted_at) OR #deleted_at < :deleted_at")
        .value(":deleted_at", n(deleted.at.seconds()))
        .value(":expires_at", n(expires_at));
        // If the condition fails, the erasures were requested before.
        let item = match self.table.write_returning(write, ReturnValue::AllNew).await? {
            Ok(item) => item,
            Err(refused) => refused.item.unwrap_or_default(),
        };
        let erasure: Erasure = table::read(item)?;
        Ok(deleted.run.is_some_and(|run| erasure.undone.contains(run)))
    }
}

/// The write that records that the undo of a run deletes an account. It belongs in the transaction of the deletion.
#[cfg(feature = "operator")]
pub(in crate::store) fn undoing(account_id: u64, run: &str, now: Timestamp) -> Write {
    use aws_sdk_dynamodb::types::AttributeValue;
    Write::update(&partition_key(account_id), ERASURE, "SET #expires_at = :expires_at ADD #undone :run")
        .value(":expires_at", n(now.seconds().saturating_add(IMPORTED_SECONDS)))
        .value(":run", AttributeValue::Ss(vec![run.to_owned()]))
}

/// The id of the account of an erasure, and the time of its deletion. Returns `None` if only an
/// undo has written the item, and the stream has not reported the deletion yet.
pub(super) fn read(item: impl Into<serde_dynamo::Item>) -> Result<Option<(u64, Timestamp)>, Fault> {
    let Erasure { pk, deleted_at, undone, expires_at, .. } = table::read(item)?;
    let id = account_id(&pk).ok_or_else(|| Fault::new("table.row", "broken"))?;
    // Older items lack the time. They were written soon after the deletion.
    let at = deleted_at.or_else(|| undone.is_empty().then(|| expires_at.saturating_sub(PAUSE_SECONDS)));
    Ok(at.map(|at| (id, Timestamp::from_seconds(at))))
}

fn partition_key(account_id: u64) -> String {
    format!("{ERASURE_PREFIX}{account_id}")
}

fn account_id(pk: &str) -> Option<u64> {
    pk.strip_prefix(ERASURE_PREFIX)?.parse().ok()
}

/// Whether an item is an erasure that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: table::Item) -> bool {
    read(item).is_ok()
}
