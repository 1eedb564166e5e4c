//! Scans, for the operator's tool. They may lag behind the table.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{ReturnConsumedCapacity, Select};

use super::read::projected;
use super::{Item, Table, s};
use crate::Fault;
use crate::aws::fault;

/// Where a page starts: the key of the item before it. All attributes of keys are texts.
pub type Place = BTreeMap<String, String>;

/// What a scan reads.
#[derive(Default)]
pub(in crate::store) struct Scan {
    /// An index; `None` for the table itself.
    pub(in crate::store) index: Option<&'static str>,
    /// One segment of so many, for scans in parallel.
    pub(in crate::store) segment: Option<(i32, i32)>,
    pub(in crate::store) start: Option<Place>,
    pub(in crate::store) limit: Option<i32>,
    /// Whether the items are only counted, and not sent to the client.
    pub(in crate::store) counts: bool,
}

/// A page of a scan.
pub struct Scanned<T> {
    /// What was found.
    pub found: T,
    /// Where the next page starts; `None` at the end of the segment.
    pub next: Option<Place>,
    /// The read units that the page took.
    pub units: f64,
}

impl Table {
    /// Reads a page of a table or an index. `read` gets its items and their number.
    pub(in crate::store) async fn scan<T>(
        &self,
        scan: Scan,
        read: impl FnOnce(Vec<Item>, u64) -> T,
    ) -> Result<Scanned<T>, Fault> {
        let ((segment, segments), is_index) = (scan.segment.unzip(), scan.index.is_some());
        let start = scan.start.map(|place| place.iter().map(|(name, text)| (name.clone(), s(text))).collect());
        let request = self.client.scan().table_name(&self.name).set_index_name(scan.index.map(str::to_owned));
        let request = request.set_segment(segment).set_total_segments(segments).set_limit(scan.limit);
        // An index has only keys.
        let select = if scan.counts { Some(Select::Count) } else { self.selected().filter(|_| !is_index) };
        let request = if scan.counts || is_index { request } else { projected!(self, request) };
        let request = request.set_select(select).set_exclusive_start_key(start);
        let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = request.send().await.map_err(|error| self.explained(fault("table.Scan", &error)))?;
        let units = answer.consumed_capacity.and_then(|capacity| capacity.capacity_units).unwrap_or_default();
        let found = read(answer.items.unwrap_or_default(), u64::try_from(answer.count).unwrap_or_default());
        let place =
            |key: Item| key.into_iter().filter_map(|(name, text)| Some((name, text.as_s().ok()?.clone()))).collect();
        Ok(Scanned { found, next: answer.last_evaluated_key.map(place), units })
    }
}
