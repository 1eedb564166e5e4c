//! What the operator's tool does with the tables. No endpoint is built with this module.

mod broken;
mod change;
mod import;
mod reading;
mod restore;

pub use super::items::not_before::NotBefore;
pub use super::items::profile::{Imported, Profile};
pub use super::items::session::{Lifetimes, StoredSession};
pub use super::items::{Kind, Row, RowKey};
pub use super::table::{Place, Scanned};
pub use broken::Broken;
pub use change::{Action, Moved};
pub use import::Inserted;
pub use restore::{Copied, PutBack};

use super::table::Table;
use crate::Setup;

/// The tables, for the operator's tool.
#[derive(Clone)]
pub struct Operator {
    /// The accounts table.
    table: Table,
    entries: Table,
}

impl Operator {
    /// Reads `ACCOUNTS_TABLE` and `ENTRIES_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), entries: Table::entries(setup) }
    }
}
