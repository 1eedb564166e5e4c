//! Metrics in the log line, in `CloudWatch`'s embedded metric format. `CloudWatch` extracts the metrics from the log,
//! so a call needs no request for them.
//!
//! <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>

use serde::Serialize;

#[cfg(feature = "stream")]
use super::BatchLine;
use super::Line;
use crate::settings::Settings;

/// The namespace of the service's metrics. Alarms and the dashboard also use it.
const NAMESPACE: &str = "Accounts";
/// The metrics of every call. Lambda itself counts calls, and measures them.
const CALL: Directive = Directive {
    namespace: NAMESPACE,
    dimensions: [&["FunctionName"]],
    metrics: &[Metric { name: "ColdStarts", unit: "Count" }, Metric { name: "Faults", unit: "Count" }],
};
/// The metrics of a call that ended in a problem.
const PROBLEM: Directive = Directive {
    namespace: NAMESPACE,
    dimensions: [&["FunctionName", "Problem"]],
    metrics: &[Metric { name: "Problems", unit: "Count" }],
};

/// The metrics of a batch of the stream, in addition to those of every call.
#[cfg(feature = "stream")]
const BATCH: Directive = Directive {
    namespace: NAMESPACE,
    dimensions: [&["FunctionName"]],
    metrics: &[Metric { name: "Letters", unit: "Count" }, Metric { name: "DeadLetters", unit: "Count" }],
};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata {
    timestamp: u64,
    cloud_watch_metrics: &'static [Directive],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive {
    namespace: &'static str,
    dimensions: [&'static [&'static str]; 1],
    metrics: &'static [Metric],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metric {
    name: &'static str,
    unit: &'static str,
}

/// The metrics of a function.
pub(crate) struct Metrics {
    /// The function's name on AWS, so that each deployment of the service has its own metrics.
    function_name: String,
}

/// The metrics of a call, as members of its line.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct CallMetrics<'a> {
    function_name: &'a str,
    cold_starts: u8,
    faults: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<u8>,
    #[serde(rename = "_aws")]
    metadata: Metadata,
}

/// The metrics of a batch, as members of its line.
#[cfg(feature = "stream")]
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct BatchMetrics<'a> {
    function_name: &'a str,
    cold_starts: u8,
    faults: u8,
    letters: usize,
    dead_letters: usize,
    #[serde(rename = "_aws")]
    metadata: Metadata,
}

impl Metrics {
    /// The metrics of a function on Lambda, which sets `AWS_LAMBDA_FUNCTION_NAME`. `None` elsewhere, where people read
    /// the lines.
    pub(crate) fn new(settings: &Settings) -> Option<Self> {
        settings.outside_template("AWS_LAMBDA_FUNCTION_NAME").map(|function_name| Self { function_name })
    }

    /// The metrics of a call.
    pub(super) fn of(&self, call: &Line) -> CallMetrics<'_> {
        let problem = call.outcome.problem;
        let directives: &[Directive] = if problem.is_some() { &[CALL, PROBLEM] } else { &[CALL] };
        CallMetrics {
            function_name: &self.function_name,
            cold_starts: call.cold_start.into(),
            faults: u8::from(call.status >= 500 || call.outcome.fault.is_some()),
            problem,
            problems: problem.map(|_| 1),
            metadata: Metadata { timestamp: call.started.milliseconds(), cloud_watch_metrics: directives },
        }
    }

    /// The metrics of a batch.
    #[cfg(feature = "stream")]
    pub(super) fn of_batch(&self, batch: &BatchLine<'_>) -> BatchMetrics<'_> {
        BatchMetrics {
            function_name: &self.function_name,
            cold_starts: batch.cold_start.into(),
            faults: u8::from(batch.fault.is_some()),
            letters: batch.letters,
            dead_letters: batch.dead_letters,
            metadata: Metadata { timestamp: batch.started.milliseconds(), cloud_watch_metrics: &[CALL, BATCH] },
        }
    }
}
