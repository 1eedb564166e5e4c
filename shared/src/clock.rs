//! The time, passed in: nothing else in the project asks the system for it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
