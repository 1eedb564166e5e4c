//! The log: one JSON line a call, and one for each security event. Names, codes and numbers alone: no email, password,
//! token, cookie or body ever gets here.

pub mod audit;
mod line;
mod metrics;

pub(crate) use line::{Entry, Line, Outcome};
pub(crate) use metrics::Metrics;

use std::io::Write;

use serde_json::json;

use crate::system::clock::{Clock, SystemClock, Timestamp};

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

/// Writes a line that belongs to no call, such as settings that are not usable.
pub(crate) fn error(message: &str) {
    StandardOutput.write(&error_line(SystemClock.now(), message));
}

/// The text of such a line.
pub(crate) fn error_line(timestamp: Timestamp, message: &str) -> String {
    json!({"timestamp": timestamp.to_rfc3339(), "level": "ERROR", "message": message}).to_string()
}

/// Makes a panic one JSON line that tells where, and nothing of the data that it met.
pub(crate) fn panics_as_lines() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let timestamp = SystemClock.now().to_rfc3339();
        let line = json!({"timestamp": timestamp, "level": "ERROR", "message": "panic", "panic.location": place});
        StandardOutput.write(&line.to_string());
    }));
}
