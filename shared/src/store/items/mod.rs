//! What lies in the tables: one file for each kind of item, with its key, its row, how it is read, and its single
//! writes. Nothing here sends anything. The prefixes of partition keys have a character that no account's key has.

pub(in crate::store) mod activity;
pub(in crate::store) mod address;
pub(in crate::store) mod challenge;
pub(in crate::store) mod counter;
pub(in crate::store) mod delivery;
pub(in crate::store) mod entry;
pub(in crate::store) mod erasure;
pub(in crate::store) mod failures;
pub(in crate::store) mod identity;
#[cfg(feature = "operator")]
mod kind;
pub(in crate::store) mod mails;
pub(in crate::store) mod not_before;
pub(in crate::store) mod passkey;
pub(in crate::store) mod profile;
pub(in crate::store) mod proof;
pub(in crate::store) mod session;

#[cfg(feature = "operator")]
pub use kind::{Kind, Row, RowKey};

use crate::system::clock::Timestamp;

/// How long after a change the sessions and entries that it ends may have been created, in seconds: 7 for a request in
/// progress, 1 because the stream rounds its times down, and 2 because clocks differ. An import takes longer to create a
/// deleted account again.
const LATE_SECONDS: u64 = 10;

/// The latest time of a session or an entry that a change at this time ends. Later ones belong to an account that an
/// import has created since with the same id.
pub(in crate::store) fn last_ended_by(at: Timestamp) -> Timestamp {
    Timestamp::from_milliseconds(at.milliseconds().saturating_add(LATE_SECONDS * 1000))
}
