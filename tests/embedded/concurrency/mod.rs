//! Requests at the same time, besides those of the interleavings: what a late write meets, and the ids of processes.

mod ids;
pub(crate) mod races;
