//! The entries of an account: storing and erasing them.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::{Entries, Objects, PATIENCE, Received};
use crate::Fault;
use crate::account::Account;
use crate::problem::FaultKind;
use crate::store::items::entry::{self, OF_ACCOUNTS};
use crate::store::items::{last_ended_by, profile};
use crate::store::table::{Guard, TRANSACTION_MAX, Write, broken, within};
use crate::system::clock::Timestamp;

/// The maximum number of bytes of entries in one transaction. DynamoDB's limit is 4 MB for all items; 99 items have at
/// most 16 KB besides their entries.
const TRANSACTION_BYTES: usize = 3_900_000;
/// The maximum number of entries of one page: 40 batches, and 100 KB of keys in memory.
const PAGE_MAX: i32 = 1000;
/// The index of the account's check among the parts of a transaction.
const CHECK: usize = 0;
/// The faults of a busy profile or a busy table.
const RETRIED: &[FaultKind] = &[FaultKind::Conflict, FaultKind::InProgress, FaultKind::Throttled];

impl Entries {
    /// Stores all entries of a request for an account, like [`Entries::store`]. Each transaction also checks that the
    /// account exists, so that nothing is stored for an account that has been deleted. Transactions that check the same
    /// profile conflict, so they are sent one after the other. Returns false if the account has been deleted.
    pub async fn store_for(
        &self,
        account: &Account,
        request_digest: Option<[u8; 16]>,
        objects: &Objects,
    ) -> Result<bool, Fault> {
        let now = self.table.now().milliseconds();
        let request = self.request(request_digest.map(|digest| digest_of(digest, account.id)), now)?;
        let mut received = Received { request, objects, at: now, account: Some(account.id) };
        let (mut next, mut may_be_retry) = (0, request_digest.is_some());
        while let Some(indexes) = received.fitting(next) {
            let exists = Write::check(profile::key_of(&account.key), profile::is_of(account));
            let mut parts = vec![self.accounts.part(exists)?];
            for index in indexes.clone() {
                let insert = received.insert(index)?;
                let must_be_new = may_be_retry && index == next;
                let insert = if must_be_new { insert.when(Guard::Without("id")) } else { insert };
                parts.push(self.table.part(insert)?);
            }
            let retry = self.table.retry_until(within(PATIENCE), RETRIED);
            match self.table.transact_under(retry, parts).await? {
                Ok(()) => next = indexes.end,
                Err(refused) if refused.index == CHECK => return Ok(false),
                // The first entry exists: the request is a retry, whose entries keep the time of the first request.
                Err(refused) => received.at = entry::received_at(&refused.item.ok_or_else(broken)?)?,
            }
            may_be_retry = false;
        }
        Ok(true)
    }

    /// Deletes all entries of an account that was deleted at this time, page by page, and returns their number. An
    /// interrupted erasure can be repeated. Later entries stay: an import may have created an account with the same id
    /// since.
    ///
    /// The index of entries by account may lag behind the table, usually by less than a second, so an erasure soon after
    /// the account's deletion has to be repeated later ([`Erasures`](super::super::Erasures)). It costs one read if
    /// nothing is left. No entries are added after the deletion ([`Entries::store_for`]).
    /// If it fails, some entries may be deleted.
    pub async fn erase_of(&self, account_id: u64, deleted_at: Timestamp) -> Result<u64, Fault> {
        let last = Some(("received_at", last_ended_by(deleted_at).milliseconds()));
        let (mut erased, mut start) = (0, None);
        loop {
            let page = self.table.indexed(&OF_ACCOUNTS, account_id, last, start, Some(PAGE_MAX)).await?;
            let ids: Vec<&str> = page.items.iter().filter_map(entry::id).collect();
            self.send_all(0..ids.len(), within(PATIENCE), |index| entry::delete(ids.get(index)?)).await?;
            erased += u64::try_from(ids.len()).unwrap_or_default();
            if page.last.is_none() {
                return Ok(erased);
            }
            start = page.last;
        }
    }
}

impl Received<'_> {
    /// The entries from this index on that fit into one transaction; `None` if there are no more.
    fn fitting(&self, first: usize) -> Option<Range<usize>> {
        let mut bytes = 0;
        let texts = (first..).take(TRANSACTION_MAX - 1).map_while(|index| self.objects.get(index));
        let fits = |text: &&str| {
            bytes += text.len();
            bytes <= TRANSACTION_BYTES
        };
        let count = texts.take_while(fits).count();
        (count > 0).then(|| first..first + count)
    }
}

/// The digest of a request for an account. It differs from those of all other callers, so that nobody else's request
/// can overwrite the entries of an account.
fn digest_of(digest: [u8; 16], account_id: u64) -> [u8; 16] {
    let hash = Sha256::new().chain_update(digest).chain_update(account_id.to_be_bytes()).finalize();
    hash.first_chunk().copied().unwrap_or_default()
}
