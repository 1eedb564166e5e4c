//! A limit of units a second.

#![expect(clippy::disallowed_methods, reason = "the rate is measured against the process's monotonic clock")]

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// The small writes that a command runs in parallel.
pub(crate) const AT_ONCE: usize = 16;

/// Spreads units evenly over time.
pub(crate) struct Rate {
    a_second: f64,
    next: Mutex<Instant>,
}

impl Rate {
    /// At most this many units a second.
    pub(crate) fn new(a_second: u32) -> Self {
        Self { a_second: f64::from(a_second), next: Mutex::new(Instant::now()) }
    }

    /// Waits until this many units may be used.
    pub(crate) async fn take(&self, units: f64) {
        let start = {
            let mut next = self.next.lock().await;
            let start = (*next).max(Instant::now());
            *next = start + Duration::from_secs_f64(units / self.a_second);
            start
        };
        sleep_until(start).await;
    }
}
