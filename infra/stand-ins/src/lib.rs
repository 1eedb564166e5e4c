//! Replacements for Google and for Lambda on this machine. The local stack, the tests and the measurements use them.
//!
//! The fuzz targets and the measurements link this crate, so it has few dependencies. The Runtime API is an optional
//! feature.

#[cfg(feature = "runtime-api")]
pub mod runtime_api;
mod signer;

pub use signer::{Signer, signing_input};
