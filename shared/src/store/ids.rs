//! Account ids, leased in blocks.

use std::ops::Range;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::table::Table;
use crate::{Fault, Setup};

/// The ids of one lease: one write suffices for this many registrations of a process. When the process ends, its unused
/// ids are lost. Gaps are allowed.
const BLOCK: u64 = 50;
/// 2^53 - 1, the largest integer that every JSON parser reads exactly (RFC 8259, 6).
const ID_MAX: u64 = (1 << 53) - 1;

/// The source of account ids.
#[derive(Clone)]
pub struct Ids {
    table: Table,
    block: Arc<Mutex<Range<u64>>>,
}

impl Ids {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), block: Arc::default() }
    }

    /// A unique id.
    ///
    /// # Errors
    /// The table failed, or there are no ids left.
    pub async fn next(&self) -> Result<u64, Fault> {
        let mut block = self.block.lock().await;
        if block.is_empty() {
            let last = self.table.add("counter", "user-id", BLOCK).await?;
            *block = (last + 1).saturating_sub(BLOCK)..last + 1;
        }
        block.next().filter(|id| (1..=ID_MAX).contains(id)).ok_or_else(|| Fault::new("ids.next", "exhausted"))
    }
}
