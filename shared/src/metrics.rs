//! Metrics inside the log line, in `CloudWatch`'s embedded metric format: the log turns them into
//! metrics, so a call spends no time and no request on them.
//!
//! <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>

use serde::Serialize;

use crate::Setup;
use crate::json_object::JsonObject;
use crate::log::Line;

/// Namespace of the service's metrics; alarms and dashboard name it too.
const NAMESPACE: &str = "Accounts";
/// What is told of every call.
const CALL: Directive = Directive {
    namespace: NAMESPACE,
    dimensions: [&["FunctionName"]],
    metrics: &[
        Metric { name: "Calls", unit: "Count" },
        Metric { name: "ColdStarts", unit: "Count" },
        Metric { name: "Duration", unit: "Milliseconds" },
        Metric { name: "Faults", unit: "Count" },
    ],
};
/// What is told of a call that ended in a problem.
const PROBLEM: Directive = Directive {
    namespace: NAMESPACE,
    dimensions: [&["FunctionName", "Problem"]],
    metrics: &[Metric { name: "Problems", unit: "Count" }],
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
    /// The function's name at AWS: one service deployed twice has two sets of metrics.
    function_name: String,
}

impl Metrics {
    /// Metrics where Lambda names the function (`AWS_LAMBDA_FUNCTION_NAME`), none elsewhere: lines that
    /// people read stay short.
    pub(crate) fn new(setup: &Setup) -> Option<Self> {
        setup.optional("AWS_LAMBDA_FUNCTION_NAME").map(|function_name| Self { function_name })
    }

    /// Adds a call's metrics to its line.
    pub(crate) fn add_to(&self, line: &mut JsonObject, call: &Line) -> serde_json::Result<()> {
        line.add("FunctionName", &self.function_name)?;
        line.add("Calls", &1)?;
        line.add("ColdStarts", &u8::from(call.cold_start))?;
        line.add("Duration", &call.duration_ms)?;
        line.add("Faults", &u8::from(call.status >= 500))?;
        let mut directives: &[Directive] = &[CALL];
        if let Some(code) = call.outcome.problem {
            line.add("Problem", code)?;
            line.add("Problems", &1)?;
            directives = &[CALL, PROBLEM];
        }
        line.add("_aws", &Metadata { timestamp: call.started.milliseconds(), cloud_watch_metrics: directives })
    }
}
