//! The counter of account ids: `counter` / `user-id`.

use serde::Deserialize;

#[cfg(feature = "operator")]
use crate::store::table::{Guard, Update, Write, n};
use crate::store::table::{Key, key};

/// The largest id of an account: 2^53 - 1, the largest integer that every JSON parser reads exactly (RFC 8259, 6).
pub const ID_MAX: u64 = (1 << 53) - 1;
/// The partition key and the sort key.
pub(in crate::store) const KEY: (&str, &str) = ("counter", "user-id");
/// The attribute with the last leased id.
pub(in crate::store) const TOTAL: &str = "total";

/// The counter.
#[derive(Default, Deserialize)]
pub(in crate::store) struct Counter {
    /// The last leased id.
    pub(in crate::store) total: u64,
    /// No new lease has an id up to this one.
    #[serde(default)]
    pub(in crate::store) closed: u64,
    /// No function has leased an id up to `closed` since this time, in seconds since 1970. It is 0 if no function had
    /// leased any id before.
    #[serde(default)]
    pub(in crate::store) closed_at: u64,
    /// The largest id of all completed imports.
    #[serde(default)]
    pub(in crate::store) imported: u64,
}

pub(in crate::store) fn key_of() -> Key {
    key(KEY.0, KEY.1)
}

/// Closes the ids up to `raised` since `since`, if the counter is still the one that was read.
#[cfg(feature = "operator")]
pub(in crate::store) fn close(read: Option<u64>, raised: u64, since: u64) -> Write {
    let update = Update::new().set(TOTAL, n(raised)).set("closed", n(raised)).set("closed_at", n(since));
    Write::update(key_of(), update).when(Guard::still(TOTAL, read.map(n)))
}

/// Notes the largest id of an import, unless a larger one is noted.
#[cfg(feature = "operator")]
pub(in crate::store) fn note_imported(last: u64) -> Write {
    let is_larger = Guard::Any(vec![Guard::Without("imported"), Guard::Below("imported", n(last))]);
    Write::update(key_of(), Update::new().set("imported", n(last))).when(Guard::exists().and(is_larger))
}

/// Forgets what [`note_imported`] noted.
#[cfg(feature = "operator")]
pub(in crate::store) fn forget_imported() -> Write {
    Write::update(key_of(), Update::new().remove(&["imported"])).when(Guard::Has("imported"))
}
