//! Properties that hold for every input. Each parser of untrusted input has a function that panics if an input
//! breaks the property. Its name is `holds` or ends in `_holds`.
//!
//! Each property is checked with three kinds of input. In `make test`, `generated/` uses inputs from proptest and the
//! files in `seeds/`. In `make fuzz`, `targets/` uses inputs from libFuzzer.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a property that does not hold panics like a test, but clippy excepts only test functions"
)]

pub mod assertion;
pub mod cookie;
pub mod credential;
pub mod email;
pub mod entries;
pub mod event;
pub mod form;
mod json;
mod key_set;
pub mod multipart;
pub mod passkey;
pub mod position;
pub mod proof;
mod request;
pub mod token;
