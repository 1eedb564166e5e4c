//! One JSON line a call. Names, codes and numbers alone: no email, password,
//! token, cookie or body ever gets here.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::aws;
use crate::clock::{Clock, SystemClock, Timestamp};
use crate::endpoint::Outcome;
use crate::json_object::JsonObject;
use crate::metrics::Metrics;

/// Where the lines go.
pub trait Log: Send + Sync {
    /// Takes one line, without its end. It cannot fail: a log that cannot be written must not fail a
    /// call.
    fn write(&self, line: &str);
}

/// Standard output, which Lambda hands to `CloudWatch`.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardOutput;

impl Log for StandardOutput {
    fn write(&self, line: &str) {
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }
}

/// What is said of a call.
pub(crate) struct Line {
    function: &'static str,
    pub(crate) cold_start: bool,
    pub(crate) started: Timestamp,
    pub(crate) request_id: String,
    pub(crate) status: u16,
    pub(crate) duration_ms: u64,
    pub(crate) outcome: Outcome,
}

impl Line {
    pub(crate) fn new(function: &'static str, started: Timestamp) -> Self {
        static WARM: AtomicBool = AtomicBool::new(false);
        Self {
            function,
            cold_start: !WARM.swap(true, Ordering::Relaxed),
            started,
            request_id: String::new(),
            status: 0,
            duration_ms: 0,
            outcome: Outcome::default(),
        }
    }

    pub(crate) fn write(&self, log: &dyn Log, metrics: Option<&Metrics>) {
        log.write(&self.to_json(metrics).unwrap_or_default());
    }

    fn to_json(&self, metrics: Option<&Metrics>) -> serde_json::Result<String> {
        let level = if self.outcome.fault.is_some() { "ERROR" } else { "INFO" };
        let mut line = started(self.started, level, self.function, &self.request_id)?;
        line.add("http.status", &self.status)?;
        line.add("duration_ms", &self.duration_ms)?;
        if self.cold_start {
            line.add("cold_start", &true)?;
        }
        if let Some(id) = self.outcome.account_id {
            line.add("account.id", &id)?;
        }
        if let Some(code) = self.outcome.problem {
            line.add("problem.code", code)?;
        }
        if let Some(fault) = &self.outcome.fault {
            line.add("fault.operation", fault.operation)?;
            line.add("fault.cause", &fault.cause)?;
            if let Some(advice) = aws::advice(&fault.cause) {
                line.add("fault.advice", advice)?;
            }
        }
        if let Some(metrics) = metrics {
            metrics.add_to(&mut line, self)?;
        }
        Ok(line.into_text())
    }
}

/// What every line of a call begins with. Lambda reads the first two: a line without them it takes for INFO.
pub(crate) fn started(
    timestamp: Timestamp,
    level: &str,
    function: &str,
    request_id: &str,
) -> serde_json::Result<JsonObject> {
    let mut line = JsonObject::new();
    line.add("timestamp", &timestamp.to_rfc3339())?;
    line.add("level", level)?;
    line.add("function", function)?;
    line.add("request.id", request_id)?;
    Ok(line)
}

/// A line that belongs to no call, such as settings that are not usable.
pub(crate) fn error(message: &str) {
    StandardOutput.write(&notice(SystemClock.now(), message));
}

/// The text of such a line.
pub(crate) fn notice(timestamp: Timestamp, message: &str) -> String {
    json!({"timestamp": timestamp.to_rfc3339(), "level": "ERROR", "message": message}).to_string()
}

/// Makes a panic one JSON line that tells where, and nothing of the data that it met.
pub(crate) fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let timestamp = SystemClock.now().to_rfc3339();
        let line = json!({"timestamp": timestamp, "level": "ERROR", "message": "panic", "panic.location": place});
        StandardOutput.write(&line.to_string());
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fault;

    #[test]
    fn a_fault_of_the_credentials_says_which_variable_is_to_blame_and_what_to_do() {
        let mut line = Line::new("login", Timestamp::from_milliseconds(0));
        line.outcome.fault = Some(Fault::new("table.GetItem", "ExpiredTokenException"));
        let text = line.to_json(None).unwrap();
        assert!(text.contains("AWS_SESSION_TOKEN has expired") && text.contains("export-credentials"), "{text}");
    }

    #[test]
    fn a_line_is_one_line_whatever_the_gateway_calls_the_request() {
        let mut line = Line::new("login", Timestamp::from_milliseconds(0));
        line.request_id = "a\r\nb\u{1b}[31m".to_owned();
        line.outcome.fault = Some(Fault::new("table.GetItem", "timeout"));
        let text = line.to_json(None).unwrap();
        assert!(text.chars().all(|c| !c.is_control()), "{text}");
        assert!(text.contains(r#""level":"ERROR""#) && text.contains(r#""fault.cause":"timeout""#), "{text}");
    }
}
