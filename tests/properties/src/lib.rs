//! What holds of every input, whoever made it: one module for each thing that the service reads from strangers,
//! one function `holds` in it, which panics when an input breaks the property.
//!
//! Each property is written once and tried in three ways: by `generated/` on inputs that proptest makes and on the
//! files in `seeds/`, in `make test`; and by `targets/` on inputs that libFuzzer looks for, in `make fuzz`.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a property that does not hold panics, as tests do; clippy spares the test functions alone"
)]

pub mod cookie;
pub mod credential;
pub mod email;
pub mod entries;
pub mod event;
pub mod form;
mod json;
pub mod multipart;
mod request;
mod signer;
pub mod token;
