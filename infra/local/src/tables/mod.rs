//! The tables: the embedded engine, its storage and its port.

pub(crate) mod creation;
pub(crate) mod data;
pub(crate) mod engine;
