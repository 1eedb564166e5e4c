//! The time that measurements take.

use std::time::Instant;

/// This moment.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "what is measured here is time itself")]
pub fn now() -> Instant {
    Instant::now()
}
