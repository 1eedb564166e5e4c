//! The counter of account ids: `counter` / `user-id`.

#[cfg(feature = "operator")]
use serde::Deserialize;

use crate::store::table::{Key, key};

/// The largest id of an account: 2^53 - 1, the largest integer that every JSON parser reads exactly (RFC 8259, 6).
pub const ID_MAX: u64 = (1 << 53) - 1;
/// The largest id that an import takes. As many more are kept for new accounts.
pub const IMPORT_ID_MAX: u64 = 1 << 52;
/// The largest id that the counter may have reached. Beyond it, a wrong id has raised it, and people could soon not register
/// any more.
pub const COUNTER_MAX: u64 = ID_MAX - (1 << 40);
/// How far above a known id the counter is set, if higher ids may have been given to accounts that no longer exist.
pub const ID_MARGIN: u64 = 1_000_000;
/// The partition key and the sort key.
pub(in crate::store) const KEY: (&str, &str) = ("counter", "user-id");
/// The attribute with the last leased id.
pub(in crate::store) const TOTAL: &str = "total";

/// The counter.
#[cfg(feature = "operator")]
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
