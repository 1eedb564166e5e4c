//! What takes the place of Google and of Lambda on this machine, for the local stack, the tests and the measurements.
//!
//! The fuzz targets and the measurements link this crate, so it depends on little; the server of the Runtime API is a
//! feature.

#[cfg(feature = "runtime-api")]
pub mod runtime_api;
mod signer;

pub use signer::{Signer, Unspecified, signing_input};
