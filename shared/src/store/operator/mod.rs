//! What the operator's tool does with the tables. No endpoint is built with this module.
//!
//! The same rule holds as for endpoints: a write that depends on an earlier read has a condition.

mod change;
mod contents;
mod import;
mod lookup;
mod repair;
mod rows;

pub use change::Change;
pub use contents::{Contents, Failures, StoredSession};
pub use import::{Imported, Inserted, Profile};
pub use lookup::{Counted, Rows, Scanned, is_profile, text};
pub use rows::{Row, RowKey, number};

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
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), entries: Table::new(setup, "ENTRIES_TABLE") }
    }
}
