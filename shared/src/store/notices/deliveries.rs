//! The records of the stream whose letters were sent.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::store::table::{self, Table, Write};
use crate::system::clock::Clock;
use crate::{Fault, Setup};

/// The prefix of the partition keys of deliveries.
pub(in crate::store) const DELIVERY_PREFIX: &str = "notice#";
/// The sort key of a delivery.
pub(in crate::store) const DELIVERY: &str = "delivery";
/// How long a delivery is remembered: two days, in seconds. The stream keeps a record for one day.
const DELIVERY_SECONDS: u64 = 2 * 24 * 60 * 60;

/// Remembers the records whose letters were sent, because the stream may deliver a record again. The items contain no
/// data of the account, so they may outlive it.
#[derive(Clone)]
pub struct Deliveries {
    table: Table,
    clock: Arc<dyn Clock>,
}

#[derive(Serialize, Deserialize)]
struct Delivery {
    pk: String,
    sk: String,
    expires_at: u64,
}

impl Deliveries {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock() }
    }

    /// Whether the letter of a record was sent.
    ///
    /// # Errors
    /// The table failed.
    pub async fn contains(&self, event_id: &str) -> Result<bool, Fault> {
        Ok(self.table.item(&partition_key(event_id), DELIVERY).await?.is_some())
    }

    /// Remembers that the letter of a record was sent.
    ///
    /// # Errors
    /// The table failed; the letter may be sent again.
    pub async fn add(&self, event_id: &str) -> Result<(), Fault> {
        let expires_at = self.clock.now().seconds().saturating_add(DELIVERY_SECONDS);
        let row = Delivery { pk: partition_key(event_id), sk: DELIVERY.to_owned(), expires_at };
        let write = Write::put(table::item(&row)?).when("attribute_not_exists(#pk)");
        // If the condition fails, another delivery of the record has also sent the letter.
        self.table.write(write).await.map(|_| ())
    }
}

fn partition_key(event_id: &str) -> String {
    format!("{DELIVERY_PREFIX}{event_id}")
}

/// Whether an item is a delivery that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: table::Item) -> bool {
    table::read::<Delivery>(item).is_ok()
}
