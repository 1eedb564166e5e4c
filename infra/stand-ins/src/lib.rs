//! What takes the place of Google on this machine, for the local stack, the tests and the measurements.
//!
//! The fuzz targets and the measurements link this crate, so it depends on little.

mod signer;

pub use signer::{Signer, Unspecified, signing_input};
