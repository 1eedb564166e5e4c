//! The streams of the tables: reads the engine's stream of a table, and calls the function that the template maps to it,
//! as Lambda does.
//!
//! If the function reports a failed record, it is called again with that record and all records after it. If that
//! record fails again, the whole page of records is delivered again after a wait. Unlike Lambda, the local stack never
//! gives up a record.

use std::sync::Arc;
use std::time::Duration;

use dynoxide::Database;
use dynoxide::actions::describe_stream::DescribeStreamRequest;
use dynoxide::actions::get_records::GetRecordsRequest;
use dynoxide::actions::get_shard_iterator::GetShardIteratorRequest;
use dynoxide::actions::list_streams::ListStreamsRequest;
use local_functions::Function;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Mutex, Notify};

use crate::documents::template::StreamEvent;

/// The first wait before failed records are delivered again. It doubles with each failure.
const WAIT: Duration = Duration::from_secs(1);
/// The longest wait.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// A mapping from the stream of a table to a function.
pub(crate) struct Mapping {
    database: Database,
    event: StreamEvent,
    function: Function,
    /// The position of the next record. A delivery locks it, so that there is one at a time.
    iterator: Mutex<String>,
}

/// The answer of the function.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    batch_item_failures: Vec<FailedRecord>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FailedRecord {
    item_identifier: String,
}

impl Mapping {
    /// Maps the stream of a table, from its oldest record on.
    pub(crate) fn new(database: Database, table: &str, event: StreamEvent, function: Function) -> Result<Self, String> {
        let iterator = oldest(&database, table).map_err(|reason| format!("the stream of table {table}: {reason}"))?;
        Ok(Self { database, event, function, iterator: Mutex::new(iterator) })
    }

    /// Delivers all records. Returns false if the function failed; the next delivery begins with the page of records in
    /// which it failed.
    pub(crate) async fn deliver(&self) -> bool {
        let mut iterator = self.iterator.lock().await;
        loop {
            let request = GetRecordsRequest { shard_iterator: iterator.clone(), limit: Some(self.event.batch_size) };
            let Ok(page) = self.database.get_records(request) else { return false };
            if page.records.is_empty() {
                return true;
            }
            let records = page.records.iter().filter_map(|record| serde_json::to_value(record).ok());
            let wanted: Vec<Value> = records.filter(|record| self.event.matches(record)).collect();
            if !wanted.is_empty() && !self.call(&wanted).await {
                return false;
            }
            let Some(next) = page.next_shard_iterator else { return true };
            *iterator = next;
        }
    }

    /// Delivers the changes as soon as the table has them, until the stack ends.
    pub(crate) async fn run(self: Arc<Self>, changed: Arc<Notify>) {
        loop {
            let mut wait = WAIT;
            while !self.deliver().await {
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(WAIT_MAX);
            }
            changed.notified().await;
        }
    }

    /// Calls the function with the records, and repeats from the record that failed. Returns false if the first record of a
    /// call fails, or the call itself.
    async fn call(&self, mut records: &[Value]) -> bool {
        while !records.is_empty() {
            let answer = (self.function)(json!({"Records": records}).to_string()).await;
            let Ok(response) = serde_json::from_str::<Response>(&answer) else { return false };
            let Some(failed) = response.batch_item_failures.first() else { return true };
            let place = records.iter().position(|record| {
                record.pointer("/dynamodb/SequenceNumber").is_some_and(|number| *number == failed.item_identifier)
            });
            match place {
                Some(place) if place > 0 => records = records.get(place..).unwrap_or_default(),
                _ => return false,
            }
        }
        true
    }
}

fn oldest(database: &Database, table: &str) -> Result<String, String> {
    let list = ListStreamsRequest { table_name: Some(table.to_owned()), ..ListStreamsRequest::default() };
    let streams = database.list_streams(list).map_err(|error| error.to_string())?.streams;
    let stream_arn = streams.into_iter().next().ok_or("there is none")?.stream_arn;
    let describe = DescribeStreamRequest { stream_arn: stream_arn.clone(), ..DescribeStreamRequest::default() };
    let stream = database.describe_stream(describe).map_err(|error| error.to_string())?.stream_description;
    let shard_id = stream.shards.into_iter().next().ok_or("it has no shard")?.shard_id;
    let start = GetShardIteratorRequest {
        stream_arn,
        shard_id,
        shard_iterator_type: "TRIM_HORIZON".to_owned(),
        sequence_number: None,
    };
    let answer = database.get_shard_iterator(start).map_err(|error| error.to_string())?;
    answer.shard_iterator.ok_or_else(|| "it has no start".to_owned())
}
