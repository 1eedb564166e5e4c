//! The changes that the stream of the accounts table reports, and what the function `notices` stores about its work.

pub(super) mod changes;
pub(super) mod deliveries;
pub(super) mod erasures;

pub use changes::{Change, Record, Report};
pub use deliveries::Deliveries;
pub use erasures::{Deleted, Erasures};
