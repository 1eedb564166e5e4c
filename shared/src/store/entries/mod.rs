//! Entries: JSON objects, stored as the text that was received. An entry of an account has the account's id.

mod erasing;
mod of_account;
mod reading;

pub use reading::{NoPosition, Position, StoredEntry};

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, ReturnValuesOnConditionCheckFailure, WriteRequest};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;
use uuid::Uuid;

use super::table::{self, Item, Table, n, s};
use crate::aws::fault;
use crate::problem::FaultKind;
use crate::system::clock::{Clock, Timestamp};
use crate::system::random;
use crate::{Fault, Setup};

const OPERATION: &str = "table.BatchWriteItem";
/// The operation that stores the first entry of a request that may be a retry.
const FIRST: &str = "table.PutItem";
/// The maximum number of items of one `BatchWriteItem` (DynamoDB's limit).
const BATCH_MAX: usize = 25;
/// The maximum number of concurrent batches of a call. If each answer takes 10 ms, 20,000 entries take 2.6 s with four
/// batches at a time, 1.5 s with eight and 0.9 s with sixteen. With more batches, a busy table throttles more of them.
const PARALLEL: usize = 8;
/// How long throttled writes are retried. This is shorter than the call's deadline of 7 seconds, so that the log has
/// the cause. A new on-demand table accepts 4,000 writes a second.
const PATIENCE: Duration = Duration::from_secs(6);
/// The largest item in bytes, with attribute names and values (DynamoDB's limit, 400 KB).
const ITEM_MAX: usize = 400 * 1024;
/// The bytes of an item besides the entry: the names of the six attributes, id, request, index, time and account.
const OVERHEAD: usize = 160;
/// The index of entries by account (`template.yaml`). Only entries of an account have its key, `account`.
const OF_ACCOUNTS: &str = "accounts";
/// The largest entry, in bytes.
pub const ENTRY_BYTES_MAX: usize = ITEM_MAX - OVERHEAD;

/// JSON objects, as ranges of the text that was received.
pub struct Objects {
    text: Bytes,
    ranges: Vec<Range<u32>>,
}

impl Objects {
    /// The objects at these ranges of a text.
    #[must_use]
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
    /// The name of the accounts table.
    accounts: String,
    clock: Arc<dyn Clock>,
}

impl Entries {
    /// Reads `ENTRIES_TABLE` and `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let accounts = setup.settings().required("ACCOUNTS_TABLE");
        Self { table: Table::new(setup, "ENTRIES_TABLE"), accounts, clock: setup.clock() }
    }

    /// Stores all entries of a request, which belong to no account. `request_digest` is equal for a request and its
    /// retries. A retry stores the same items, with the time at which the first request was received.
    /// Each batch is built just before it is sent, and again before it is sent again, so that 20,000 entries are never in
    /// memory twice.
    ///
    /// # Errors
    /// The table or the random number generator failed, or the table throttled the writes for too long. Some entries
    /// may be stored.
    pub async fn store(&self, request_digest: Option<[u8; 16]>, objects: &Objects) -> Result<(), Fault> {
        let (now, count) = (self.clock.now().milliseconds(), objects.ranges.len());
        let until = present() + PATIENCE;
        let mut received = Received { request: self.request(request_digest, now)?, objects, at: now, account: None };
        let mut stored = 0;
        if request_digest.is_some() && count > 0 {
            received.at = self.first(&received, until).await?;
            stored = 1;
        }
        let batches = (stored..count).step_by(BATCH_MAX).map(|first| {
            let batch = (first..count).take(BATCH_MAX).collect();
            self.batch(&received, batch, until)
        });
        stream::iter(batches).buffer_unordered(PARALLEL).try_collect().await
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
    /// have conditions, so this entry is written first, on its own.
    async fn first(&self, received: &Received<'_>, until: Instant) -> Result<u64, Fault> {
        let mut attempt = 0;
        loop {
            let put = self.table.client.put_item().table_name(&self.table.name);
            let put = put.set_item(received.item(0)).condition_expression("attribute_not_exists(id)");
            let put = put.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            let reason = match table::outcome(FIRST, put.send().await.map(|put| put.attributes)) {
                Ok(Ok(_)) => return Ok(received.at),
                Ok(Err(refused)) => return received_at(refused.item.as_ref()),
                Err(fault) if matches!(fault.kind, FaultKind::Conflict | FaultKind::Throttled) => fault,
                Err(fault) => return Err(fault),
            };
            self.wait(&mut attempt, until, reason).await?;
        }
    }

    /// Stores the entries with these indexes.
    async fn batch(&self, received: &Received<'_>, mut left: Vec<usize>, until: Instant) -> Result<(), Fault> {
        let mut attempt = 0;
        loop {
            let puts: Option<Vec<_>> = left.iter().map(|index| received.put(*index)).collect();
            let puts = puts.ok_or_else(|| Fault::new(OPERATION, "unbuildable"))?;
            let sent = self.table.client.batch_write_item().request_items(&self.table.name, puts).send().await;
            let sent = sent.map_err(|error| fault(OPERATION, &error)).map(|answer| answer.unprocessed_items);
            let unprocessed =
                sent.map(|tables| tables.unwrap_or_default().remove(&self.table.name).unwrap_or_default());
            let reason = match unprocessed {
                Ok(unprocessed) if unprocessed.is_empty() => return Ok(()),
                Ok(unprocessed) => {
                    left = unprocessed_indexes(&unprocessed, left);
                    Fault::new(OPERATION, "unprocessed")
                }
                Err(fault) if fault.kind == FaultKind::Throttled => fault,
                Err(fault) => return Err(fault),
            };
            self.wait(&mut attempt, until, reason).await?;
        }
    }

    /// A page of the index of entries by account, oldest first, and where the next page starts. Its items have the keys
    /// of the entries and their times. `last` leaves out the entries that were received later.
    async fn index(
        &self,
        account_id: u64,
        last: Option<Timestamp>,
        start: Option<Item>,
        limit: i32,
    ) -> Result<(Vec<Item>, Option<Item>), Fault> {
        let query = self.table.client.query().table_name(&self.table.name).index_name(OF_ACCOUNTS).limit(limit);
        let query = query.expression_attribute_names("#account", "account");
        let query = query.expression_attribute_values(":account", n(account_id)).set_exclusive_start_key(start);
        let query = match last {
            None => query.key_condition_expression("#account = :account"),
            Some(last) => query
                .key_condition_expression("#account = :account AND received_at <= :last")
                .expression_attribute_values(":last", n(last.milliseconds())),
        };
        let answer = query.send().await.map_err(|error| fault("table.Query", &error))?;
        Ok((answer.items.unwrap_or_default(), answer.last_evaluated_key))
    }

    /// Waits before another attempt, or fails with `reason` when the time is over.
    async fn wait(&self, attempt: &mut u32, until: Instant, reason: Fault) -> Result<(), Fault> {
        self.table.wait(*attempt).await?;
        *attempt += 1;
        if present() >= until { Err(reason) } else { Ok(()) }
    }
}

/// The current time of tokio's timer.
#[expect(clippy::disallowed_methods, reason = "measures a duration, which the injected clock must not change")]
fn present() -> Instant {
    Instant::now()
}

/// The indexes of the unprocessed entries; those of all sent entries, if the answer does not contain them.
fn unprocessed_indexes(unprocessed: &[WriteRequest], sent: Vec<usize>) -> Vec<usize> {
    let index = |write: &WriteRequest| write.put_request()?.item().get("index")?.as_n().ok()?.parse().ok();
    let indexes: Option<Vec<usize>> = unprocessed.iter().map(index).collect();
    indexes.filter(|indexes| indexes.iter().all(|index| sent.contains(index))).unwrap_or(sent)
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
        Some(item(self.request, index, self.objects.get(index)?, self.at, self.account))
    }

    /// The write that stores an entry; `None` if there is no such entry.
    fn put(&self, index: usize) -> Option<WriteRequest> {
        let put = PutRequest::builder().set_item(Some(self.item(index)?)).build().ok()?;
        Some(WriteRequest::builder().put_request(put).build())
    }
}

fn item(request: Uuid, index: usize, entry: &str, received_at: u64, account: Option<u64>) -> Item {
    let mut item = Item::from([
        ("id".to_owned(), s(&format!("{request}#{index:07}"))),
        ("body".to_owned(), AttributeValue::S(entry.to_owned())),
        ("received_at".to_owned(), n(received_at)),
        ("request".to_owned(), s(&request.to_string())),
        ("index".to_owned(), n(u64::try_from(index).unwrap_or(u64::MAX))),
    ]);
    item.extend(account.map(|id| ("account".to_owned(), n(id))));
    item
}

/// The time at which the entry in an item was first received.
fn received_at(item: Option<&Item>) -> Result<u64, Fault> {
    let at = item.and_then(|item| item.get("received_at")?.as_n().ok()?.parse().ok());
    at.ok_or_else(|| Fault::new("table.row", "broken"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ID_MAX;

    #[test]
    fn the_largest_entry_fits_into_an_item() {
        let entry = "x".repeat(ENTRY_BYTES_MAX);
        let item = item(Uuid::nil(), 9_999_999, &entry, u64::MAX, Some(ID_MAX));
        let bytes: usize = item
            .iter()
            .map(|(name, value)| {
                let value = value.as_s().or_else(|_| value.as_n()).map_or(0, String::len);
                name.len() + value
            })
            .sum();
        assert!(bytes <= ITEM_MAX, "{bytes}");
    }
}
