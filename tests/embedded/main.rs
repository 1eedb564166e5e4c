//! Tests that need access to the stack.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a claim that cannot be examined fails, as tests do; clippy spares the test functions alone"
)]

mod attacks;
mod concurrency;
mod costs;
mod deployment;
mod documents;
mod failures;
mod local_stack;
mod operations;
mod sessions;
mod support;
mod tables;
