//! Erasing the entries of an account.

use aws_sdk_dynamodb::types::{DeleteRequest, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;

use super::{BATCH_MAX, Entries, PARALLEL, PATIENCE, present};
use crate::Fault;
use crate::aws::fault;
use crate::problem::FaultKind;
use crate::store::notices::changes::reach;
use crate::store::table::Item;
use crate::system::clock::Timestamp;

const OPERATION: &str = "table.BatchWriteItem";
/// The maximum number of entries of one page: 40 batches, and 100 KB of keys in memory.
const PAGE_MAX: i32 = 1000;

impl Entries {
    /// Deletes all entries of an account that was deleted at this time, page by page, and returns their number. An
    /// interrupted erasure can be repeated. Later entries stay: an import may have created an account with the same id
    /// since.
    ///
    /// The index of entries by account may lag behind the table, usually by less than a second, so an erasure soon after
    /// the account's deletion has to be repeated later ([`Erasures`](super::super::Erasures)). It costs one read if
    /// nothing is left. No entries are added after the deletion ([`Entries::store_for`]).
    ///
    /// # Errors
    /// The table failed, or it throttled the deletions of a page for too long. Some entries may be deleted.
    pub async fn erase_of(&self, account_id: u64, deleted_at: Timestamp) -> Result<u64, Fault> {
        let (mut erased, mut start) = (0, None);
        loop {
            let (found, next) = self.index(account_id, Some(reach(deleted_at)), start, PAGE_MAX).await?;
            let ids = found.into_iter().filter_map(|mut item| item.remove("id"));
            let keys: Vec<Item> = ids.map(|id| Item::from([("id".to_owned(), id)])).collect();
            let until = present() + PATIENCE;
            let batches: Vec<Vec<Item>> = keys.chunks(BATCH_MAX).map(<[Item]>::to_vec).collect();
            let batches = batches.into_iter().map(|batch| self.delete(batch, until));
            let () = stream::iter(batches).buffer_unordered(PARALLEL).try_collect().await?;
            erased += u64::try_from(keys.len()).unwrap_or_default();
            if next.is_none() {
                return Ok(erased);
            }
            start = next;
        }
    }

    /// Deletes the entries with these keys. A deletion has no condition, because the id of an account's entry is never
    /// that of another entry.
    async fn delete(&self, keys: Vec<Item>, until: Instant) -> Result<(), Fault> {
        let delete = |key| {
            let delete = DeleteRequest::builder().set_key(Some(key)).build().ok()?;
            Some(WriteRequest::builder().delete_request(delete).build())
        };
        let left: Option<Vec<WriteRequest>> = keys.into_iter().map(delete).collect();
        let mut left = left.ok_or_else(|| Fault::new(OPERATION, "unbuildable"))?;
        let mut attempt = 0;
        loop {
            let sent = self.table.client.batch_write_item().request_items(&self.table.name, left.clone()).send().await;
            let reason = match sent.map_err(|error| fault(OPERATION, &error)) {
                Ok(answer) => {
                    let unprocessed = answer.unprocessed_items.unwrap_or_default().remove(&self.table.name);
                    left = unprocessed.unwrap_or_default();
                    if left.is_empty() {
                        return Ok(());
                    }
                    Fault::new(OPERATION, "unprocessed")
                }
                Err(fault) if fault.kind == FaultKind::Throttled => fault,
                Err(fault) => return Err(fault),
            };
            self.wait(&mut attempt, until, reason).await?;
        }
    }
}
