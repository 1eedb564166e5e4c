//! The time of day, passed in: no other code of the service asks the system for it.
//!
//! How long something may take is measured by tokio's timer, which time servers do not set and tests can pause.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

/// A moment, in milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The moment `milliseconds` after 1970-01-01 UTC.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// Whole seconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0 / 1000
    }

    /// Milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn milliseconds(self) -> u64 {
        self.0
    }

    /// The moment as RFC 3339 has it, in UTC; empty beyond the year 9999.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        let moment = DateTime::from_millis(i64::try_from(self.0).unwrap_or(i64::MAX));
        moment.fmt(Format::DateTime).unwrap_or_default()
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_moment_is_written_as_rfc_3339_or_not_at_all() {
        assert_eq!(Timestamp::from_milliseconds(1_700_000_000_000).to_rfc3339(), "2023-11-14T22:13:20Z");
        assert_eq!(Timestamp::from_milliseconds(1_700_000_000_045).to_rfc3339(), "2023-11-14T22:13:20.045Z");
        assert_eq!(Timestamp::from_milliseconds(u64::MAX).to_rfc3339(), "");
    }
}
