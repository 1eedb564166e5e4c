//! Replacements for Google, for Lambda and for an authenticator on this machine. The local stack, the tests and the measurements use them.
//!
//! The fuzz targets and the measurements link this crate, so it has few dependencies. The Runtime API is an optional
//! feature.

pub mod authenticator;
#[cfg(feature = "runtime-api")]
pub mod runtime_api;
mod signer;

pub use signer::{Signer, signing_input};
