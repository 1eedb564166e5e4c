//! Tests that need access to the stack.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

mod attacks;
mod concurrency;
mod costs;
mod deployment;
mod failures;
mod functions;
mod letters;
mod local_stack;
mod notices;
mod operations;
mod passkeys;
mod sessions;
mod tables;

/// The functions' allocator. It saves a tenth of the tests' time.
#[global_allocator]
static ALLOCATOR: shared::lambda::Allocator = shared::lambda::Allocator;
