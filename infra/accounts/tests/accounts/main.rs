//! Tests of the operator's tool. Each starts a stack, runs the program as an operator does, and asks the service over
//! HTTP what has become of the account.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

mod operating;
mod recording;
mod support;
