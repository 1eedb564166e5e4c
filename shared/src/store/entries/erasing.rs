//! Erasing the entries of an account.

use aws_sdk_dynamodb::types::WriteRequest;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;

use super::{BATCH_MAX, BUSY, Entries, PARALLEL, PATIENCE};
use crate::Fault;
use crate::store::items::entry::{self, OF_ACCOUNTS};
use crate::store::items::last_ended_by;
use crate::store::table::{Policy, within};
use crate::system::clock::Timestamp;

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
    /// If it fails, some entries may be deleted.
    pub async fn erase_of(&self, account_id: u64, deleted_at: Timestamp) -> Result<u64, Fault> {
        let last = last_ended_by(deleted_at).milliseconds();
        let (mut erased, mut start) = (0, None);
        loop {
            let page = self.table.indexed(&OF_ACCOUNTS, account_id, Some(last), start, Some(PAGE_MAX)).await?;
            let deletions: Vec<_> = page.items.iter().filter_map(|item| entry::delete(entry::id(item)?)).collect();
            let until = within(PATIENCE);
            let batches: Vec<Vec<_>> = deletions.chunks(BATCH_MAX).map(<[_]>::to_vec).collect();
            let batches = batches.into_iter().map(|batch| self.send_all(batch, until));
            let () = stream::iter(batches).buffer_unordered(PARALLEL).try_collect().await?;
            erased += u64::try_from(deletions.len()).unwrap_or_default();
            if page.last.is_none() {
                return Ok(erased);
            }
            start = page.last;
        }
    }

    /// Sends these deletions until all are processed.
    async fn send_all(&self, mut left: Vec<WriteRequest>, until: Instant) -> Result<(), Fault> {
        let mut retry = self.table.retry(Policy::until(until, BUSY));
        loop {
            match self.table.batch(left.clone()).await {
                Ok(unprocessed) if unprocessed.is_empty() => return Ok(()),
                Ok(unprocessed) => {
                    left = unprocessed;
                    self.table.unprocessed(&mut retry).await?;
                }
                Err(fault) => retry.after(fault).await?,
            }
        }
    }
}
