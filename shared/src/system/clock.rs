//! The time of day, as an injected dependency. No other code of the service reads the system clock.
//!
//! Timeouts use tokio's timer, which is monotonic, and which tests can pause.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

/// A time, in milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time `milliseconds` after 1970-01-01 UTC.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds)
    }

    /// The time this many seconds after 1970-01-01 UTC.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// The time this many seconds later.
    #[must_use]
    pub const fn plus_seconds(self, seconds: u64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
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

    /// The time in the format of RFC 3339, in UTC. The text is empty after the year 9999.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        let moment = DateTime::from_millis(i64::try_from(self.0).unwrap_or(i64::MAX));
        moment.fmt(Format::DateTime).unwrap_or_default()
    }
}

/// A clock.
pub trait Clock: Send + Sync {
    /// The current time.
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
    fn a_timestamp_is_formatted_as_rfc_3339() {
        assert_eq!(Timestamp::from_milliseconds(1_700_000_000_000).to_rfc3339(), "2023-11-14T22:13:20Z");
        assert_eq!(Timestamp::from_milliseconds(1_700_000_000_045).to_rfc3339(), "2023-11-14T22:13:20.045Z");
        assert_eq!(Timestamp::from_milliseconds(u64::MAX).to_rfc3339(), "");
    }
}
