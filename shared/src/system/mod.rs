//! Access to the outside: the time, randomness, and HTTPS.

pub mod clock;
pub(crate) mod https;
pub mod random;
