//! Deleted accounts whose entries are being erased.
//!
//! The index of entries by account may lag behind the table, so one erasure may miss the newest entries of an account.
//! The stream therefore asks for two: it reports the item of an erasure when it is written, and again when TTL deletes
//! it, which is at least an hour later.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::store::table::{self, Table, Write};
use crate::system::clock::Clock;
use crate::{Fault, Setup};

/// The prefix of the partition keys of erasures.
pub(in crate::store) const ERASURE_PREFIX: &str = "erasure#";
/// The sort key of an erasure. The filter of the stream in `template.yaml` has it too.
pub(in crate::store) const ERASURE: &str = "erasure";
/// The shortest time between the two erasures: an hour, in seconds. The index usually lags by less than a second.
const PAUSE_SECONDS: u64 = 60 * 60;

/// The erasures in the accounts table. An item has nothing of the account but its id.
#[derive(Clone)]
pub struct Erasures {
    table: Table,
    clock: Arc<dyn Clock>,
}

#[derive(Serialize, Deserialize)]
struct Erasure {
    pk: String,
    sk: String,
    expires_at: u64,
}

impl Erasures {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock() }
    }

    /// Asks for the two erasures of the entries of a deleted account. Asking again is harmless.
    ///
    /// # Errors
    /// The table failed.
    pub async fn ask_for(&self, account_id: u64) -> Result<(), Fault> {
        let expires_at = self.clock.now().seconds().saturating_add(PAUSE_SECONDS);
        let row = Erasure { pk: format!("{ERASURE_PREFIX}{account_id}"), sk: ERASURE.to_owned(), expires_at };
        let write = Write::put(table::item(&row)?).when("attribute_not_exists(#pk)");
        // If the condition fails, they have been asked for already.
        self.table.write(write).await.map(|_| ())
    }
}

/// The id of the account in the partition key of an erasure.
pub(in crate::store) fn account_id(pk: &str) -> Option<u64> {
    pk.strip_prefix(ERASURE_PREFIX)?.parse().ok()
}

/// Whether an item is an erasure that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: table::Item) -> bool {
    table::read::<Erasure>(item).is_ok_and(|row| account_id(&row.pk).is_some())
}
