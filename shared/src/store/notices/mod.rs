//! The changes that the stream of the accounts table reports, the records whose letters were sent, and the deleted
//! accounts whose entries are being erased.

pub(super) mod changes;
pub(super) mod deliveries;
pub(super) mod erasures;

pub use changes::{Change, Record, Report};
pub use deliveries::Deliveries;
pub use erasures::{Deleted, Erasures};
