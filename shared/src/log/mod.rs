//! The log: one JSON line for each call, for each batch of the stream and for each security event. Lines contain names,
//! codes and numbers, and never an email address, password, token, cookie or body.
//!
//! All functions share one log group. Lambda's own START and REPORT lines are off: they would triple the cost and
//! contain nothing new. Alarms and the dashboard depend on the names in the lines.

pub mod audit;
#[cfg(feature = "stream")]
mod batch;
mod invocation;
mod line;
mod metrics;

#[cfg(feature = "stream")]
pub(crate) use batch::BatchLine;
pub use invocation::Invocation;
pub(crate) use line::{Entry, Line, Outcome};
pub(crate) use metrics::Metrics;

use std::io::Write;

use serde_json::json;

use crate::system::clock::{Clock, SystemClock, Timestamp};

/// The destination of log lines.
pub trait Log: Send + Sync {
    /// Writes one line; `line` has no line break. It cannot fail, because a broken log must not fail a call.
    fn write(&self, line: &str);
}

/// Standard output, which Lambda sends to `CloudWatch`.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardOutput;

impl Log for StandardOutput {
    fn write(&self, line: &str) {
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }
}

/// Writes the line of an error that belongs to no call, such as faulty settings.
pub(crate) fn error(message: &str) {
    StandardOutput.write(&error_line(SystemClock.now(), message));
}

/// The line of an error that belongs to no call.
pub(crate) fn error_line(timestamp: Timestamp, message: &str) -> String {
    json!({"timestamp": timestamp.to_rfc3339(), "level": "ERROR", "message": message}).to_string()
}

/// Installs a panic hook that writes one JSON line with the panic's location. The panic's message is left out, because
/// it may contain personal data.
pub(crate) fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let timestamp = SystemClock.now().to_rfc3339();
        let line = json!({"timestamp": timestamp, "level": "ERROR", "message": "panic", "panic.location": place});
        StandardOutput.write(&line.to_string());
    }));
}
