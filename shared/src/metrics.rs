//! Metrics inside the log line, in `CloudWatch`'s embedded metric format: the log turns them into
//! metrics, so a call spends no time and no request on them.
//!
//! <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>

use serde_json::{Map, Value, json};

use crate::Setup;
use crate::log::Line;

/// Namespace of the service's metrics; alarms and dashboard name it too.
const NAMESPACE: &str = "Accounts";

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

    /// Adds a call's metrics to the members of its line.
    pub(crate) fn add_to(&self, members: &mut Map<String, Value>, line: &Line) {
        let metric = |name: &str, unit: &str| json!({"Name": name, "Unit": unit});
        let calls = [
            metric("Calls", "Count"),
            metric("ColdStarts", "Count"),
            metric("Duration", "Milliseconds"),
            metric("Faults", "Count"),
        ];
        let mut directives = vec![json!({
            "Namespace": NAMESPACE, "Dimensions": [["FunctionName"]], "Metrics": calls,
        })];
        let mut values = vec![
            ("FunctionName", json!(self.function_name)),
            ("Calls", json!(1)),
            ("ColdStarts", json!(u8::from(line.cold_start))),
            ("Duration", json!(line.duration_ms)),
            ("Faults", json!(u8::from(line.status >= 500))),
        ];
        if let Some(code) = line.problem {
            let problems = [metric("Problems", "Count")];
            directives.push(json!({
                "Namespace": NAMESPACE, "Dimensions": [["FunctionName", "Problem"]], "Metrics": problems,
            }));
            values.extend([("Problem", json!(code)), ("Problems", json!(1))]);
        }
        members.extend(values.into_iter().map(|(name, value)| (name.to_owned(), value)));
        members.insert(
            "_aws".to_owned(),
            json!({"Timestamp": line.started.milliseconds(), "CloudWatchMetrics": directives}),
        );
    }
}
