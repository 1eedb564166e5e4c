//! Requests at the same time: `races` forces the order of two writes, `crowds` sends many requests at once.

mod crowds;
pub(crate) mod races;
