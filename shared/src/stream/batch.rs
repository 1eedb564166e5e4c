//! A batch of records: each is handled on its own, and the response names the first that has to be delivered again.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{FutureExt, StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::record::{Record, Report};
use super::{BusEvent, DeadLetter, DeadLetters, Failure, Listener, Outcome};
use crate::log::{BatchLine, Invocation, Log, Metrics};
use crate::system::clock::Clock;
use crate::{Fault, SettingsError, Setup};

/// How many accounts are handled at the same time. Outside the sandbox, a new SES account may send 14 emails per
/// second. The changes of one account are handled in their order.
const AT_ONCE: usize = 4;

/// A batch of the stream. Each record is read on its own, so that a broken one does not stop the others.
#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow, rename = "Records")]
    records: Vec<&'a RawValue>,
}

/// The response that Lambda expects with `ReportBatchItemFailures`: the records that have to be delivered again. Lambda
/// delivers all records again, from the first of these on.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The failed records. Only the first is named, because Lambda does not use the others.
    pub batch_item_failures: Vec<FailedRecord>,
}

/// A record that has to be delivered again.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedRecord {
    /// The record's sequence number in its shard.
    pub item_identifier: String,
}

/// A listener, and what it needs to handle batches.
pub struct Batches<L> {
    listener: L,
    dead_letters: DeadLetters,
    clock: Arc<dyn Clock>,
    log: Arc<dyn Log>,
    metrics: Option<Metrics>,
}

/// The outcome of a record.
enum Handled {
    /// The listener has handled it.
    Done(Outcome),
    /// It is in the dead-letter queue.
    DeadLettered(Fault),
    /// It has to be delivered again.
    Failed(Fault),
    /// It has to be delivered again, because only its letter was handled.
    Unpublished(Fault, Outcome),
    /// It was not handled, because another record had failed.
    Postponed,
}

impl<L: Listener> Batches<L> {
    /// Builds the listener.
    ///
    /// # Errors
    /// The list of all faulty settings.
    pub fn start(setup: &Setup) -> Result<Self, SettingsError> {
        let batches = Self {
            listener: L::new(setup),
            dead_letters: DeadLetters::new(setup),
            clock: setup.clock(),
            log: setup.log(),
            metrics: Metrics::new(setup.settings()),
        };
        setup.settings().check().map(|()| batches)
    }

    /// Handles the batch in an event, which is JSON text, and logs it.
    ///
    /// # Errors
    /// The event is no batch. Lambda delivers it again.
    pub async fn handle(&self, event: &str, invocation: &Invocation) -> Result<Response, Fault> {
        let mut line = BatchLine::new(L::NAME, self.clock.now(), invocation);
        let response = self.handle_records(event, &mut line).await;
        if let Err(fault) = &response {
            line.fault = Some(fault.clone());
        }
        line.duration_ms = self.clock.now().milliseconds().saturating_sub(line.started.milliseconds());
        line.write(self.log.as_ref(), self.metrics.as_ref());
        response
    }

    async fn handle_records(&self, event: &str, line: &mut BatchLine<'_>) -> Result<Response, Fault> {
        let batch: Batch<'_> = serde_json::from_str(event).map_err(|_| Fault::new("stream.batch", "broken"))?;
        let records: Vec<Record<'_>> = batch.records.iter().map(|record| Record::read(record.get())).collect();
        let has_failed = AtomicBool::new(false);
        let handling: Vec<_> =
            by_account(&records).into_values().map(|records| self.handle_in_order(records, &has_failed)).collect();
        let mut handled: Vec<_> = stream::iter(handling).buffer_unordered(AT_ONCE).concat().await;
        handled.sort_by_key(|(index, _)| *index);
        let mut response = Response::default();
        line.records = handled.len();
        for (index, handled) in handled {
            let is_none_named = response.batch_item_failures.is_empty();
            match handled {
                Handled::Done(Outcome::Notified) => line.letters += 1,
                Handled::Done(Outcome::NothingToDo) => {}
                Handled::DeadLettered(fault) => {
                    line.dead_letters += 1;
                    line.fault.get_or_insert(fault);
                }
                Handled::Unpublished(fault, told) => {
                    line.letters += usize::from(told == Outcome::Notified);
                    line.failures += 1;
                    line.fault.get_or_insert(fault);
                }
                Handled::Failed(fault) => {
                    line.failures += 1;
                    line.fault.get_or_insert(fault);
                }
                Handled::Postponed => line.failures += 1,
            }
            if is_none_named && line.failures > 0 {
                let item_identifier = records.get(index).map(Record::sequence_number).unwrap_or_default().to_owned();
                response.batch_item_failures.push(FailedRecord { item_identifier });
            }
        }
        Ok(response)
    }

    /// Handles the records of one account, each with its index in the batch.
    async fn handle_in_order(
        &self,
        records: Vec<(usize, &Record<'_>)>,
        has_failed: &AtomicBool,
    ) -> Vec<(usize, Handled)> {
        let mut handled = Vec::with_capacity(records.len());
        for (index, record) in records {
            handled.push((index, self.handle_record(record, has_failed).await));
        }
        handled
    }

    async fn handle_record(&self, record: &Record<'_>, has_failed: &AtomicBool) -> Handled {
        // While a dependency is down, further attempts would only wait for its timeouts.
        if has_failed.load(Ordering::Relaxed) {
            return Handled::Postponed;
        }
        let handling = async {
            match record.report().map_err(Failure::Permanent)? {
                Report::Change(change) => self.listener.handle(&change).await,
                Report::Erasure { account_id, deleted_at } => {
                    self.listener.erase(account_id, deleted_at).await.map(|()| Outcome::NothingToDo)
                }
                Report::Login(login) => self.listener.handle_login(&login).await.map(|()| Outcome::NothingToDo),
                Report::Nothing => Ok(Outcome::NothingToDo),
            }
        };
        let outcome = AssertUnwindSafe(handling).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::Permanent(Fault::new("stream.record", "panic"))));
        let handled = match outcome {
            Ok(outcome) => Handled::Done(outcome),
            Err(Failure::Unpublished(fault, told)) => return Handled::Unpublished(fault, told),
            Err(Failure::Transient(fault)) => Handled::Failed(fault),
            Err(Failure::Permanent(fault)) => self.put_into_queue(record, fault, &[]).await,
            Err(Failure::Unpublishable(fault, events)) => self.put_into_queue(record, fault, &events).await,
        };
        if matches!(handled, Handled::Failed(_)) {
            has_failed.store(true, Ordering::Relaxed);
        }
        handled
    }

    /// Puts a record that cannot be handled into the dead-letter queue.
    async fn put_into_queue(&self, record: &Record<'_>, fault: Fault, events: &[BusEvent]) -> Handled {
        let letter = DeadLetter {
            function: L::NAME,
            event_id: &record.event_id,
            account_key: record.partition_key(),
            operation: fault.operation,
            cause: &fault.cause,
            events,
        };
        match self.dead_letters.put(&letter).await {
            Ok(()) => Handled::DeadLettered(fault),
            Err(fault) => Handled::Failed(fault),
        }
    }
}

/// The records of each account, with their places in the batch.
fn by_account<'a>(records: &'a [Record<'a>]) -> BTreeMap<&'a str, Vec<(usize, &'a Record<'a>)>> {
    let mut accounts: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (place, record) in records.iter().enumerate() {
        accounts.entry(record.partition_key()).or_default().push((place, record));
    }
    accounts
}
