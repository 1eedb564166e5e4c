//! Entries: JSON objects, stored as the text that was received. An entry of an account has the account's id.

mod of_account;
mod reading;

pub use reading::Position;

use std::ops::Range;
use std::time::Duration;

use aws_sdk_dynamodb::types::{ReturnValue, WriteRequest};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;
use uuid::Uuid;

use super::items::entry;
use super::table::{BATCH, Guard, Item, Table, Write, broken, within};
use crate::problem::FaultKind;
use crate::system::random;
use crate::{Fault, Setup};

/// The maximum number of items of one `BatchWriteItem` (DynamoDB's limit).
const BATCH_MAX: usize = 25;
/// The maximum number of concurrent batches of a call. If each answer takes 10 ms, 20,000 entries take 2.6 s with four
/// batches at a time, 1.5 s with eight and 0.9 s with sixteen. With more batches, a busy table throttles more of them.
const PARALLEL: usize = 8;
/// How long throttled writes are retried. This is shorter than the call's deadline of 7 seconds, so that the log has
/// the cause. A new on-demand table accepts 4,000 writes a second.
const PATIENCE: Duration = Duration::from_secs(6);
/// The faults of a busy table.
const BUSY: &[FaultKind] = &[FaultKind::Throttled, FaultKind::Unprocessed];

/// JSON objects, as ranges of the text that was received.
pub struct Objects {
    text: Bytes,
    ranges: Vec<Range<u32>>,
}

impl Objects {
    /// The objects at these ranges of a text.
    pub fn new(text: Bytes, ranges: Vec<Range<u32>>) -> Self {
        Self { text, ranges }
    }

    /// The texts of the objects.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().filter_map(|range| self.at(range))
    }

    fn get(&self, index: usize) -> Option<&str> {
        self.at(self.ranges.get(index)?)
    }

    /// `None` if the range is outside the text, or splits a character.
    fn at(&self, range: &Range<u32>) -> Option<&str> {
        let bounds = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
        str::from_utf8(self.text.get(bounds)?).ok()
    }
}

/// The entries table.
#[derive(Clone)]
pub struct Entries {
    table: Table,
    accounts: Table,
}

/// The entries of a request, with its id and time.
struct Received<'a> {
    request: Uuid,
    objects: &'a Objects,
    /// The time of receipt, in milliseconds since 1970-01-01 UTC.
    at: u64,
    /// The id of the account that they belong to.
    account: Option<u64>,
}

impl Received<'_> {
    /// The item of an entry; `None` if there is no such entry.
    fn item(&self, index: usize) -> Option<Item> {
        Some(entry::item(self.request, index, self.objects.get(index)?, self.at, self.account))
    }

    /// Puts an entry, in a transaction or alone.
    fn insert(&self, index: usize) -> Result<Write, Fault> {
        self.item(index).map(Write::put).ok_or_else(unbuildable)
    }
}

impl Entries {
    /// Reads `ENTRIES_TABLE` and `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::entries(setup), accounts: Table::accounts(setup) }
    }

    /// Stores all entries of a request, which belong to no account. `request_digest` is equal for a request and its
    /// retries. A retry stores the same items, with the time at which the first request was received.
    /// If it fails, some entries may be stored.
    pub async fn store(&self, request_digest: Option<[u8; 16]>, objects: &Objects) -> Result<(), Fault> {
        let (now, count) = (self.table.now().milliseconds(), objects.ranges.len());
        let until = within(PATIENCE);
        let mut received = Received { request: self.request(request_digest, now)?, objects, at: now, account: None };
        let mut stored = 0;
        if request_digest.is_some() && count > 0 {
            received.at = self.first(&received, until).await?;
            stored = 1;
        }
        self.send_all(stored..count, until, |index| entry::put(received.item(index)?)).await
    }

    /// The id of a request: its digest, or a new UUID version 7.
    fn request(&self, request_digest: Option<[u8; 16]>, now: u64) -> Result<Uuid, Fault> {
        if let Some(digest) = request_digest {
            return Ok(uuid::Builder::from_custom_bytes(digest).into_uuid());
        }
        let fresh = random::bytes(self.table.random())?;
        Ok(uuid::Builder::from_unix_timestamp_millis(now, &fresh).into_uuid())
    }

    /// Stores the first entry unless it exists, and returns the time at which it was first received. A batch cannot
    /// have guards, so this entry is written first, on its own.
    async fn first(&self, received: &Received<'_>, until: Instant) -> Result<u64, Fault> {
        let retry = self.table.retry_until(until, &[FaultKind::Conflict, FaultKind::Throttled]);
        let insert = received.insert(0)?.when(Guard::Without("id"));
        match self.table.write_unmarked(retry, insert, ReturnValue::None).await? {
            Ok(_) => Ok(received.at),
            Err(refused) => entry::received_at(&refused.item.ok_or_else(broken)?),
        }
    }

    /// Sends the writes that `build` makes of these indexes, in batches. Each batch is built just before it is sent, and
    /// again before it is sent again, so that 20,000 entries are never in memory twice.
    async fn send_all<F>(&self, indexes: Range<usize>, until: Instant, build: F) -> Result<(), Fault>
    where
        F: Fn(usize) -> Option<WriteRequest> + Sync,
    {
        let batches = indexes.clone().step_by(BATCH_MAX);
        let batches = batches.map(|first| self.send((first..indexes.end).take(BATCH_MAX).collect(), until, &build));
        stream::iter(batches).buffer_unordered(PARALLEL).try_collect().await
    }

    /// Sends a batch until all its writes are processed. If an answer names writes that are not in the batch, the whole
    /// batch is sent again.
    async fn send<F>(&self, mut left: Vec<usize>, until: Instant, build: &F) -> Result<(), Fault>
    where
        F: Fn(usize) -> Option<WriteRequest> + Sync,
    {
        let mut retry = self.table.retry_until(until, BUSY);
        loop {
            let writes: Option<Vec<_>> = left.iter().map(|index| build(*index)).collect();
            match self.table.batch(writes.ok_or_else(unbuildable)?).await {
                Ok(unprocessed) if unprocessed.is_empty() => return Ok(()),
                Ok(unprocessed) => {
                    let ids: Vec<_> = unprocessed.iter().map(entry::id_in).collect();
                    let is_left =
                        |index: &usize| build(*index).is_some_and(|write| ids.contains(&entry::id_in(&write)));
                    let again: Vec<usize> = left.iter().copied().filter(is_left).collect();
                    left = if again.len() == unprocessed.len() { again } else { left };
                    retry.after(Fault::unprocessed(BATCH)).await?;
                }
                Err(fault) => retry.after(fault).await?,
            }
        }
    }
}

fn unbuildable() -> Fault {
    Fault::new("table.entries", "unbuildable")
}
