//! Properties that hold for every input. Each parser of untrusted input has a function that panics if an input
//! breaks the property. Its name is `holds` or ends in `_holds`.
//!
//! Each property is checked with three kinds of input. In `make test`, `generated/` uses inputs from proptest and the
//! [`seeds`]. In `make fuzz`, `search.rs` uses inputs from libFuzzer.

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
pub mod multipart;
pub mod passkey;
pub mod position;
pub mod proof;
mod request;
pub mod seeds;
pub mod token;

/// A function that panics if an input breaks a property.
pub type Property = fn(&[u8]);

/// The targets of `make fuzz`: all properties by the names of their seeds.
pub const TARGETS: [(&str, Property); 13] = [
    ("assertion", assertion::holds),
    ("attestation", passkey::attestation_holds),
    ("client_data", passkey::client_data_holds),
    ("cookie", cookie::holds),
    ("credential", credential::holds),
    ("email", email::holds),
    ("entries", entries::holds),
    ("event", event::holds),
    ("form", form::holds),
    ("multipart", multipart::holds),
    ("position", position::holds),
    ("proof", proof::holds),
    ("token", token::holds),
];
