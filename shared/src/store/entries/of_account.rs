//! The entries of an account: storing them.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::{Entries, Objects, PATIENCE, Received};
use crate::Fault;
use crate::account::Account;
use crate::problem::FaultKind;
use crate::store::items::{entry, profile};
use crate::store::table::{Guard, Outcome, Policy, TRANSACTION_MAX, Write, broken, within};

/// The maximum number of bytes of entries in one transaction. DynamoDB's limit is 4 MB for all items; 99 items have at
/// most 16 KB besides their entries.
const TRANSACTION_BYTES: usize = 3_900_000;
/// The index of the account's check among the parts of a transaction.
const CHECK: usize = 0;

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
            let end = indexes.end;
            match self.transact(&received, indexes, account, may_be_retry).await? {
                Ok(()) => next = end,
                Err(refused) if refused.index == CHECK => return Ok(false),
                // The first entry exists: the request is a retry, whose entries keep the time of the first request.
                Err(refused) => received.at = entry::received_at(&refused.item.ok_or_else(broken)?)?,
            }
            may_be_retry = false;
        }
        Ok(true)
    }

    /// Stores these entries, if the account exists. If `must_be_new`, also on the condition that the first one does not.
    async fn transact(
        &self,
        received: &Received<'_>,
        indexes: Range<usize>,
        account: &Account,
        must_be_new: bool,
    ) -> Result<Outcome, Fault> {
        let exists = Write::check(profile::key_of(&account.key), profile::is_of(account));
        let mut parts = vec![self.accounts.part(exists)?];
        let first = indexes.start;
        for index in indexes {
            let insert = received.insert(index)?;
            let insert = if must_be_new && index == first { insert.when(Guard::Without("id")) } else { insert };
            parts.push(self.table.part(insert)?);
        }
        let kinds = &[FaultKind::Conflict, FaultKind::InProgress, FaultKind::Throttled];
        self.table.transact_under(Policy::until(within(PATIENCE), kinds), parts).await
    }
}

impl Received<'_> {
    /// The entries from this index on that fit into one transaction; `None` if there are no more.
    fn fitting(&self, first: usize) -> Option<Range<usize>> {
        let mut bytes = self.objects.get(first)?.len();
        let mut end = first + 1;
        while let Some(next) = self.objects.get(end).filter(|_| end - first < TRANSACTION_MAX - 1) {
            bytes += next.len();
            if bytes > TRANSACTION_BYTES {
                break;
            }
            end += 1;
        }
        Some(first..end)
    }
}

/// The digest of a request for an account. It differs from those of all other callers, so that nobody else's request
/// can overwrite the entries of an account.
fn digest_of(digest: [u8; 16], account_id: u64) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(digest);
    hash.update(account_id.to_be_bytes());
    let mut short = [0; 16];
    short.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    short
}
