//! Account ids, leased in blocks.

use std::ops::Range;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::items::counter::{self, ID_MAX, TOTAL};
use super::table::Table;
use crate::system::clock::Timestamp;
use crate::{Fault, Setup};

/// The ids of one lease: a process needs one write for this many registrations. When it ends, its unused ids are lost;
/// ids may have gaps.
const BLOCK: u64 = 50;
/// How long the ids of a lease may be assigned: a minute, in seconds. `accounts import` waits for this time, so that no
/// process assigns an imported id to a new account.
pub(in crate::store) const LEASE_SECONDS: u64 = 60;

/// The source of account ids.
#[derive(Clone)]
pub struct Ids {
    table: Table,
    lease: Arc<Mutex<Lease>>,
}

/// The ids that this process may assign.
struct Lease {
    ids: Range<u64>,
    since: Timestamp,
}

impl Lease {
    /// Whether it has ids left and has not expired. It also expires when the clock is set back.
    fn is_usable(&self, now: Timestamp) -> bool {
        let end = self.since.seconds().saturating_add(LEASE_SECONDS);
        !self.ids.is_empty() && (self.since..).contains(&now) && now.seconds() < end
    }
}

impl Ids {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        let lease = Lease { ids: 0..0, since: Timestamp::from_milliseconds(0) };
        Self { table: Table::accounts(setup), lease: Arc::new(Mutex::new(lease)) }
    }

    /// A unique id. It fails also if there are no ids left.
    pub async fn next(&self) -> Result<u64, Fault> {
        let mut lease = self.lease.lock().await;
        let now = self.table.now();
        if !lease.is_usable(now) {
            let last = self.table.add(counter::key_of(), TOTAL, BLOCK).await?;
            *lease = Lease { ids: (last + 1).saturating_sub(BLOCK)..last + 1, since: now };
        }
        let id = lease.ids.next().filter(|id| (1..=ID_MAX).contains(id));
        if id.is_none() {
            // So that the next call asks the counter again, which an operator may have lowered.
            lease.ids = 0..0;
        }
        id.ok_or_else(|| Fault::new("ids.next", "exhausted"))
    }
}
