//! The log line of a batch of the stream.

use serde::Serialize;

use super::invocation::Invocation;
use super::line::{Entry, is_cold_start};
use super::metrics::BatchMetrics;
use super::{Log, Metrics};
use crate::problem::Fault;
use crate::system::clock::Timestamp;

/// The data of a batch's line, which is completed while the batch is handled.
pub(crate) struct BatchLine<'a> {
    function: &'static str,
    invocation: &'a Invocation,
    pub(super) cold_start: bool,
    pub(crate) started: Timestamp,
    pub(crate) duration_ms: u64,
    pub(crate) records: usize,
    pub(crate) letters: usize,
    pub(crate) dead_letters: usize,
    /// The records that have to be delivered again.
    pub(crate) failures: usize,
    /// The first fault of the batch.
    pub(crate) fault: Option<Fault>,
}

/// The members of a batch's line.
#[derive(Serialize)]
struct Batch<'a> {
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cold_start: Option<bool>,
    records: usize,
    letters: usize,
    dead_letters: usize,
    failures: usize,
    #[serde(rename = "fault.operation", skip_serializing_if = "Option::is_none")]
    fault_operation: Option<&'static str>,
    #[serde(rename = "fault.cause", skip_serializing_if = "Option::is_none")]
    fault_cause: Option<&'a str>,
    #[serde(flatten)]
    metrics: Option<BatchMetrics<'a>>,
}

impl<'a> BatchLine<'a> {
    /// The line of a new batch.
    pub(crate) fn new(function: &'static str, started: Timestamp, invocation: &'a Invocation) -> Self {
        Self {
            function,
            invocation,
            cold_start: is_cold_start(),
            started,
            duration_ms: 0,
            records: 0,
            letters: 0,
            dead_letters: 0,
            failures: 0,
            fault: None,
        }
    }

    /// Writes the line, with metrics if the function has any.
    pub(crate) fn write(&self, log: &dyn Log, metrics: Option<&Metrics>) {
        let members = Batch {
            duration_ms: self.duration_ms,
            cold_start: self.cold_start.then_some(true),
            records: self.records,
            letters: self.letters,
            dead_letters: self.dead_letters,
            failures: self.failures,
            fault_operation: self.fault.as_ref().map(|fault| fault.operation),
            fault_cause: self.fault.as_ref().map(|fault| fault.cause.as_str()),
            metrics: metrics.map(|metrics| metrics.of_batch(self)),
        };
        let level = if self.fault.is_some() { "ERROR" } else { "INFO" };
        let (function, invocation) = (self.function, self.invocation);
        let request_id = invocation.request_id.as_deref().unwrap_or_default();
        Entry { timestamp: self.started.to_rfc3339(), level, function, request_id, invocation, members }.write(log);
    }
}
