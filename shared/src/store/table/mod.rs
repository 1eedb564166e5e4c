//! One table: consistent reads, guarded writes, and a bounded number of retries. It alone owns the client.

mod access;
mod answer;
mod expression;
mod guard;
mod item;
mod read;
mod retry;
#[cfg(feature = "operator")]
mod scan;
mod send;
mod write;

pub(in crate::store) use answer::{Outcome, Refused};
pub(in crate::store) use expression::Update;
pub(in crate::store) use guard::Guard;
pub(in crate::store) use item::{Item, Key, key, n, number, s, text};
pub(in crate::store) use read::{Index, Start};
pub use retry::again;
pub(in crate::store) use retry::{Retry, within};
#[cfg(feature = "operator")]
pub(in crate::store) use scan::Scan;
#[cfg(feature = "operator")]
pub use scan::{Place, Scanned};
pub(in crate::store) use send::{BATCH, TRANSACTION_MAX};
pub(in crate::store) use write::Write;

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::DeserializeOwned;

use crate::system::clock::{Clock, Timestamp};
use crate::system::random::Random;
use crate::{Fault, OperatorAccess, Setup};

/// A table of the service.
#[derive(Clone)]
pub(in crate::store) struct Table {
    client: Client,
    name: String,
    random: Arc<dyn Random>,
    clock: Arc<dyn Clock>,
    /// What the operator may read whose calls these are; `None` for the service itself.
    operator: Option<OperatorAccess>,
    /// Whether its rows have hashes of passwords.
    has_hashes: bool,
}

impl Table {
    fn new(setup: &Setup, name: &str) -> Self {
        let name = setup.settings().required(name);
        let (random, clock, operator) = (setup.random(), setup.clock(), setup.operator());
        Self { client: setup.dynamodb(), name, random, clock, operator, has_hashes: false }
    }

    /// The table of accounts, and of everything but entries. Reads `ACCOUNTS_TABLE`.
    pub(in crate::store) fn accounts(setup: &Setup) -> Self {
        Self { has_hashes: true, ..Self::new(setup, "ACCOUNTS_TABLE") }
    }

    /// The table of entries. Reads `ENTRIES_TABLE`.
    pub(in crate::store) fn entries(setup: &Setup) -> Self {
        Self::new(setup, "ENTRIES_TABLE")
    }

    pub(in crate::store) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(in crate::store) fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }
}

pub(in crate::store) fn read<T: DeserializeOwned>(item: impl Into<serde_dynamo::Item>) -> Result<T, Fault> {
    serde_dynamo::from_item(item).map_err(|_| broken())
}

pub(in crate::store) fn attribute<T: serde::Serialize>(value: &T) -> Result<AttributeValue, Fault> {
    serde_dynamo::to_attribute_value(value).map_err(|_| Fault::new("table.row", "unwritable"))
}

pub(in crate::store) fn item<T: serde::Serialize>(row: &T) -> Result<Item, Fault> {
    serde_dynamo::to_item(row).map_err(|_| Fault::new("table.row", "unwritable"))
}

/// The fault of an item that cannot be read.
pub(in crate::store) fn broken() -> Fault {
    Fault::new("table.row", "broken")
}
