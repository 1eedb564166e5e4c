//! Randomness, as an injected dependency. No other code of the service uses the system's generator.

use crate::Fault;

/// A cryptographically secure random number generator.
pub trait Random: Send + Sync {
    /// Fills `buffer`.
    ///
    /// # Errors
    /// The generator failed, and the call must fail.
    fn fill(&self, buffer: &mut [u8]) -> Result<(), Fault>;
}

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the system for bytes")]
    fn fill(&self, buffer: &mut [u8]) -> Result<(), Fault> {
        getrandom::fill(buffer).map_err(|_| Fault::new("random.fill", "unavailable"))
    }
}

/// `N` fresh random bytes.
///
/// # Errors
/// As [`Random::fill`].
pub fn bytes<const N: usize>(random: &dyn Random) -> Result<[u8; N], Fault> {
    let mut buffer = [0; N];
    random.fill(&mut buffer)?;
    Ok(buffer)
}
