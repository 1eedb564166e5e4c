//! The entries of an account: storing them, and reading them page by page.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::{Entries, Objects, PATIENCE, Received, present, received_at};
use crate::Fault;
use crate::account::Account;
use crate::problem::FaultKind;
use crate::store::account::profile::PROFILE;
use crate::store::table::{Outcome, TRANSACTION_MAX, Write, n};

/// The operation that stores entries of an account.
const OPERATION: &str = "table.TransactWriteItems";
/// The maximum number of bytes of entries in one transaction. DynamoDB's limit is 4 MB for all items; 99 items have at
/// most 16 KB besides their entries.
const TRANSACTION_BYTES: usize = 3_900_000;
/// The index of the account's check among the parts of a transaction.
const CHECK: usize = 0;

impl Entries {
    /// Stores all entries of a request for an account, like [`Entries::store`]. Each transaction also checks that the
    /// account exists, so that nothing is stored for an account that has been deleted. Transactions that check the same
    /// profile conflict, so they are sent one after the other. Returns false if the account has been deleted.
    ///
    /// # Errors
    /// As [`Entries::store`].
    pub async fn store_for(
        &self,
        account: &Account,
        request_digest: Option<[u8; 16]>,
        objects: &Objects,
    ) -> Result<bool, Fault> {
        let now = self.clock.now().milliseconds();
        let request = self.request(request_digest.map(|digest| digest_of(digest, account.id)), now)?;
        let mut received = Received { request, objects, at: now, account: Some(account.id) };
        let (mut next, mut may_be_retry) = (0, request_digest.is_some());
        while let Some(indexes) = received.fitting(next) {
            let end = indexes.end;
            match self.transact(&received, indexes, account, may_be_retry).await? {
                Ok(()) => next = end,
                Err(refused) if refused.index == CHECK => return Ok(false),
                // The first entry exists: the request is a retry, whose entries keep the time of the first request.
                Err(refused) => received.at = received_at(refused.item.as_ref())?,
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
        let first = indexes.start;
        let unbuildable = || Fault::new(OPERATION, "unbuildable");
        let exists = Write::check(account.key.as_str(), PROFILE, "#id = :id").value(":id", n(account.id));
        let mut parts = vec![exists.into_part(&self.accounts).map_err(|_| unbuildable())?];
        for index in indexes {
            let put = Write::put(received.item(index).ok_or_else(unbuildable)?);
            let put = if must_be_new && index == first { put.when("attribute_not_exists(#id)") } else { put };
            parts.push(put.into_part(&self.table.name).map_err(|_| unbuildable())?);
        }
        let (token, until, mut attempt) = (self.table.nonce()?, present() + PATIENCE, 0);
        loop {
            let reason = match self.table.attempt(parts.clone(), &token).await {
                Err(fault)
                    if matches!(fault.kind, FaultKind::Conflict | FaultKind::InProgress | FaultKind::Throttled) =>
                {
                    fault
                }
                done => return done,
            };
            self.wait(&mut attempt, until, reason).await?;
        }
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
