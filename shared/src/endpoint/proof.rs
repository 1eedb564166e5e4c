//! How old the last proof of a session may be. The proof is the login, or a later confirmation (`confirm.php`). So
//! whoever finds an open session or steals its cookie changes no credential with it, and ends nobody else's session.

use std::sync::Arc;

use crate::problem::Problem;
use crate::store::Session;
use crate::system::clock::Clock;
use crate::Setup;

/// The longest age that may be set: a day, in seconds.
const DAY: u64 = 24 * 60 * 60;

/// The highest age of a proof.
pub struct ProofAge {
    clock: Arc<dyn Clock>,
    /// In seconds; 0 means that no proof is required.
    max: u64,
}

impl ProofAge {
    /// Reads `CONFIRM_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { clock: setup.clock(), max: setup.settings().number("CONFIRM_SECONDS", 0..=DAY) }
    }

    /// As [`ProofAge::new`], for an endpoint whose contract knows no proofs: none is required unless
    /// `CONFIRM_INTERFACE` is `on`.
    #[must_use]
    pub fn of_interface(setup: &Setup) -> Self {
        let is_on = setup.settings().choice("CONFIRM_INTERFACE", [("on", true), ("off", false)]);
        let age = Self::new(setup);
        Self { max: if is_on { age.max } else { 0 }, ..age }
    }

    /// Requires that the last proof of a session is not too old.
    ///
    /// # Errors
    /// [`Problem::Unproved`]
    pub fn require(&self, session: &Session) -> Result<(), Problem> {
        let age = self.clock.now().seconds().saturating_sub(session.proved_at.seconds());
        if self.max > 0 && age > self.max { Err(Problem::Unproved) } else { Ok(()) }
    }
}
