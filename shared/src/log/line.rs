//! The log line of a call.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::invocation::Invocation;
use super::metrics::CallMetrics;
use super::{Log, Metrics};
use crate::problem::Fault;
use crate::system::clock::Timestamp;

/// A log line: the members that all lines of calls, batches and events begin with, and its own. Lambda reads the
/// timestamp and the level; without them it treats a line as INFO.
#[derive(Serialize)]
pub(crate) struct Entry<'a, T> {
    pub(crate) timestamp: String,
    pub(crate) level: &'static str,
    pub(crate) function: &'static str,
    #[serde(rename = "request.id")]
    pub(crate) request_id: &'a str,
    #[serde(flatten)]
    pub(crate) invocation: &'a Invocation,
    #[serde(flatten)]
    pub(crate) members: T,
}

impl<T: Serialize> Entry<'_, T> {
    /// Writes the line.
    pub(crate) fn write(&self, log: &dyn Log) {
        log.write(&self.to_json());
    }

    fn to_json(&self) -> String {
        // Strings and numbers always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Whether this is the first call of the process.
pub(super) fn is_cold_start() -> bool {
    static WARM: AtomicBool = AtomicBool::new(false);
    !WARM.swap(true, Ordering::Relaxed)
}

/// The outcome of a call, for the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The caller's account.
    pub(crate) account_id: Option<u64>,
    /// The code of the problem in the answer.
    pub(crate) problem: Option<&'static str>,
    /// The internal failure, which the log shows and the answer does not.
    pub(crate) fault: Option<Fault>,
}

/// The data of a call's line, which is completed during the call.
pub(crate) struct Line {
    function: &'static str,
    pub(super) cold_start: bool,
    pub(crate) started: Timestamp,
    pub(crate) request_id: String,
    pub(crate) invocation: Invocation,
    pub(crate) status: u16,
    pub(crate) duration_ms: u64,
    pub(crate) outcome: Outcome,
}

/// The members of a call's line.
#[derive(Serialize)]
struct Call<'a> {
    #[serde(rename = "http.status")]
    status: u16,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cold_start: Option<bool>,
    #[serde(rename = "account.id", skip_serializing_if = "Option::is_none")]
    account_id: Option<u64>,
    #[serde(rename = "problem.code", skip_serializing_if = "Option::is_none")]
    problem: Option<&'static str>,
    #[serde(rename = "fault.operation", skip_serializing_if = "Option::is_none")]
    fault_operation: Option<&'static str>,
    #[serde(rename = "fault.cause", skip_serializing_if = "Option::is_none")]
    fault_cause: Option<&'a str>,
    #[serde(rename = "fault.advice", skip_serializing_if = "Option::is_none")]
    fault_advice: Option<&'static str>,
    #[serde(flatten)]
    metrics: Option<CallMetrics<'a>>,
}

impl Line {
    /// The line of a new call.
    pub(crate) fn new(function: &'static str, started: Timestamp, invocation: Invocation) -> Self {
        Self {
            function,
            cold_start: is_cold_start(),
            started,
            request_id: String::new(),
            invocation,
            status: 0,
            duration_ms: 0,
            outcome: Outcome::default(),
        }
    }

    /// Writes the line, with metrics if the function has any.
    pub(crate) fn write(&self, log: &dyn Log, metrics: Option<&Metrics>) {
        self.entry(metrics).write(log);
    }

    fn entry<'a>(&'a self, metrics: Option<&'a Metrics>) -> Entry<'a, Call<'a>> {
        let Outcome { account_id, problem, fault } = &self.outcome;
        let fault = fault.as_ref();
        let call = Call {
            status: self.status,
            duration_ms: self.duration_ms,
            cold_start: self.cold_start.then_some(true),
            account_id: *account_id,
            problem: *problem,
            fault_operation: fault.map(|fault| fault.operation),
            fault_cause: fault.map(|fault| fault.cause.as_str()),
            fault_advice: fault.and_then(|fault| fault.advice),
            metrics: metrics.map(|metrics| metrics.of(self)),
        };
        Entry {
            timestamp: self.started.to_rfc3339(),
            level: if fault.is_some() { "ERROR" } else { "INFO" },
            function: self.function,
            request_id: &self.request_id,
            invocation: &self.invocation,
            members: call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fault: Fault) -> Line {
        let mut line = Line::new("login", Timestamp::from_milliseconds(0), Invocation::default());
        line.outcome.fault = Some(fault);
        line
    }

    #[test]
    fn a_fault_is_logged_with_its_advice() {
        let advised = Fault { advice: Some("set AWS_REGION"), ..Fault::new("table.GetItem", "unreachable") };
        let text = line(advised).entry(None).to_json();
        assert!(text.ends_with(r#""fault.cause":"unreachable","fault.advice":"set AWS_REGION"}"#), "{text}");
    }

    #[test]
    fn control_characters_in_a_request_id_do_not_break_the_line() {
        let mut line = line(Fault::timeout("table.GetItem"));
        line.request_id = "a\r\nb\u{1b}[31m".to_owned();
        let text = line.entry(None).to_json();
        assert!(text.chars().all(|c| !c.is_control()), "{text}");
        assert!(text.contains(r#""level":"ERROR""#) && text.contains(r#""fault.cause":"timeout""#), "{text}");
    }
}
