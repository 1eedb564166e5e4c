//! Entries: JSON objects kept as the text that they were.

use std::ops::Range;
use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::table::Table;
use super::write::{Item, n, s};
use crate::aws::fault;
use crate::clock::Clock;
use crate::{Fault, Setup, random};

/// Items of one `BatchWriteItem` (DynamoDB's limit).
const BATCH_MAX: usize = 25;
/// Batches under way at once, for one call.
const PARALLEL: usize = 4;
/// Tries of what a batch leaves unprocessed.
const TRIES: u32 = 6;
/// Bytes of an item (DynamoDB's limit, 400 KB), names and values together.
const ITEM_MAX: usize = 400 * 1024;
/// What an item holds besides its text: names of the five attributes, id, request, index and time.
const OVERHEAD: usize = 160;
/// Bytes of the largest entry.
pub const ENTRY_BYTES_MAX: usize = ITEM_MAX - OVERHEAD;

/// JSON objects within the text that they came in, each to be stored as it is.
pub struct Objects {
    text: String,
    places: Vec<Range<u32>>,
}

impl Objects {
    /// The objects at these places of a text; places outside of it are passed over.
    #[must_use]
    pub fn new(text: String, places: Vec<Range<u32>>) -> Self {
        Self { text, places }
    }

    /// The texts of the objects.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.from(0)
    }

    fn from(&self, first: usize) -> impl Iterator<Item = &str> {
        let bounds = |place: &Range<u32>| Some(usize::try_from(place.start).ok()?..usize::try_from(place.end).ok()?);
        self.places.iter().skip(first).filter_map(move |place| self.text.get(bounds(place)?))
    }
}

/// The entries table.
#[derive(Clone)]
pub struct Entries {
    table: Table,
    clock: Arc<dyn Clock>,
}

impl Entries {
    /// Reads `ENTRIES_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ENTRIES_TABLE"), clock: setup.clock() }
    }

    /// A name for a request: `repeatable`, a digest of what makes two requests the same, or a fresh
    /// UUID version 7.
    ///
    /// # Errors
    /// The random generator failed.
    pub fn request(&self, repeatable: Option<[u8; 16]>) -> Result<Uuid, Fault> {
        if let Some(digest) = repeatable {
            return Ok(uuid::Builder::from_custom_bytes(digest).into_uuid());
        }
        let fresh = random::bytes(self.table.random())?;
        Ok(uuid::Builder::from_unix_timestamp_millis(self.clock.now().milliseconds(), &fresh).into_uuid())
    }

    /// Stores all entries of a request. The same request stores the same items, however often it is
    /// repeated.
    ///
    /// # Errors
    /// The table failed; some may be stored.
    pub async fn store(&self, request: Uuid, objects: &Objects) -> Result<(), Fault> {
        let received_at = self.clock.now().milliseconds();
        let batches = (0..objects.places.len()).step_by(BATCH_MAX).map(|first| {
            let entries = (first..).zip(objects.from(first)).take(BATCH_MAX);
            self.batch(entries.map(move |(index, entry)| item(request, index, entry, received_at)))
        });
        stream::iter(batches).buffer_unordered(PARALLEL).try_collect().await
    }

    async fn batch(&self, items: impl Iterator<Item = Item>) -> Result<(), Fault> {
        let broken = |_| Fault::new("table.BatchWriteItem", "unbuildable");
        let puts = items.map(|item| PutRequest::builder().set_item(Some(item)).build());
        let puts = puts.map(|put| put.map(|put| WriteRequest::builder().put_request(put).build()));
        let mut left: Vec<WriteRequest> = puts.collect::<Result<_, _>>().map_err(broken)?;
        for attempt in 0..TRIES {
            let answer = self.table.client.batch_write_item().request_items(&self.table.name, left).send().await;
            let unprocessed = answer.map_err(|error| fault("table.BatchWriteItem", &error))?.unprocessed_items;
            left = unprocessed.and_then(|mut tables| tables.remove(&self.table.name)).unwrap_or_default();
            if left.is_empty() {
                return Ok(());
            }
            self.table.wait(attempt).await?;
        }
        Err(Fault::new("table.BatchWriteItem", "unprocessed"))
    }
}

fn item(request: Uuid, index: usize, entry: &str, received_at: u64) -> Item {
    Item::from([
        ("id".to_owned(), s(&format!("{request}#{index:07}"))),
        ("body".to_owned(), AttributeValue::S(entry.to_owned())),
        ("received_at".to_owned(), n(received_at)),
        ("request".to_owned(), s(&request.to_string())),
        ("index".to_owned(), n(u64::try_from(index).unwrap_or(u64::MAX))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_entry_fits_into_an_item() {
        let entry = "x".repeat(ENTRY_BYTES_MAX);
        let item = item(Uuid::nil(), 9_999_999, &entry, u64::MAX);
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
