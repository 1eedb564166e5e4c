//! Reading the entries of an account, oldest first.

use std::fmt;

use futures_util::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::Entries;
use crate::Fault;
use crate::store::items::entry::{self, OF_ACCOUNTS, StoredEntry};
use crate::store::table::{self, Item, Key, n};

/// The maximum number of entries of one page. A full page takes 334 reads of the table.
const PAGE_MAX: i32 = 1000;
/// The entries of one read. The largest ones have 1.2 MB together, which JSON may write as six times as many bytes. No
/// answer of more than 8 MB is read.
const READ_MAX: usize = 3;
/// The maximum number of reads at the same time. A page of small entries takes 42 times as long as one read.
const READS: usize = 8;

/// The position of an entry among those of its account. It is not a secret: only the caller's own entries are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// In milliseconds since 1970.
    received_at: u64,
    request: Uuid,
    index: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.received_at, entry::id_of(self.request, self.index))
    }
}

impl Position {
    /// Reads `<milliseconds>-<id>`, in the one spelling that [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (time, id) = text.split_once('-')?;
        Self::at(time.parse().ok()?, id).filter(|position| position.to_string() == text)
    }

    fn at(received_at: u64, id: &str) -> Option<Self> {
        let (request, index) = id.split_once('#')?;
        Some(Self { received_at, request: Uuid::try_parse(request).ok()?, index: index.parse().ok()? })
    }

    /// The position of the entry in an item of the index.
    fn read(item: &Item) -> Option<Self> {
        Self::at(entry::received_at(item).ok()?, entry::id(item)?)
    }

    fn entry(&self) -> Key {
        entry::key_of(&entry::id_of(self.request, self.index))
    }

    /// The key of the entry in the index of entries by account.
    fn key(&self, account_id: u64) -> Key {
        let mut key = self.entry();
        key.insert("account".to_owned(), n(account_id));
        key.insert("received_at".to_owned(), n(self.received_at));
        key
    }
}

impl Entries {
    /// Whether an account has entries. The index may lag behind the table by seconds.
    #[cfg(feature = "operator")]
    pub async fn has_any_of(&self, account_id: u64) -> Result<bool, Fault> {
        Ok(!self.table.indexed(&OF_ACCOUNTS, account_id, None, None, Some(1)).await?.items.is_empty())
    }

    /// Passes the entries of an account after a position to `take`, oldest first, until it refuses one or a page ends.
    /// `take` must accept the first entry. Returns the position to continue after, if there may be more entries. The
    /// index may lag behind the table, so entries of the last seconds may be missing.
    /// It fails also if `take` does.
    pub async fn read_of(
        &self,
        account_id: u64,
        after: Option<&Position>,
        mut take: impl FnMut(StoredEntry) -> Result<bool, Fault> + Send,
    ) -> Result<Option<Position>, Fault> {
        let start = after.map(|position| position.key(account_id));
        let page = self.table.indexed(&OF_ACCOUNTS, account_id, None, start, Some(PAGE_MAX)).await?;
        let mut taken = after.cloned();
        // Every item of the index has the attributes of its key.
        let positions: Vec<Position> = page.items.iter().filter_map(Position::read).collect();
        let keys: Vec<Key> = positions.iter().map(Position::entry).collect();
        let reads: Vec<_> = keys.chunks(READ_MAX).map(|keys| self.table.items(keys.to_vec())).collect();
        let mut items = stream::iter(reads).buffered(READS).map_ok(|items| stream::iter(items).map(Ok)).try_flatten();
        for position in positions {
            // The index may still list an entry that was erased.
            if let Some(item) = items.try_next().await?.flatten() {
                let entry: StoredEntry = table::read(item)?;
                if entry.account == Some(account_id) && !take(entry)? {
                    return Ok(taken);
                }
            }
            taken = Some(position);
        }
        Ok(taken.filter(|_| page.last.is_some()))
    }
}
