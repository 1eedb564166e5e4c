//! What the operator's tool does with the tables. No endpoint is built with this module.
//!
//! The same rule holds as for endpoints: a write that depends on an earlier read has a condition.

mod change;
mod contents;
mod import;
mod lookup;
mod repair;
mod rows;

pub use super::items::profile::{Imported, Profile};
pub use super::items::session::{Lifetimes, StoredSession};
pub use super::items::{Row, RowKey};
pub use super::table::{Item, number, text};
pub use change::Action;
pub use contents::{Contents, FailedLogins};
pub use import::Inserted;
pub use lookup::{Counted, Rows, Scanned, is_profile};

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
