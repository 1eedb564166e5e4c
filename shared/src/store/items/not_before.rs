//! The time before which no login counts: `sessions` / `not-before`. An operator ends all sessions with it.

use crate::Fault;
use crate::store::table::{Item, Key, key, number};
#[cfg(feature = "operator")]
use crate::{
    store::table::{Guard, Write, n},
    system::clock::Timestamp,
};

/// The partition key and the sort key.
pub(in crate::store) const KEY: (&str, &str) = ("sessions", "not-before");
/// The attribute with the time, in seconds since 1970.
const TIME: &str = "not_before";

/// A time: no session is live whose owner signed in before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotBefore(u64);

impl NotBefore {
    /// The time in an item; 1970 if there is no item. It fails if the item is broken, so that nobody counts as signed in.
    pub(in crate::store) fn read(item: Option<&Item>) -> Result<Self, Fault> {
        let broken = || Fault::new("table.not-before", "broken");
        item.map_or(Ok(Self(0)), |item| number(item, TIME).map(Self).ok_or_else(broken))
    }

    /// Whether it ends a session whose owner signed in at this time, in seconds since 1970.
    pub(in crate::store) fn ends(self, signed_in: u64) -> bool {
        signed_in < self.0
    }
}

#[cfg(feature = "operator")]
impl NotBefore {
    /// Ends the sessions whose owners signed in before this time. Logins are stored in whole seconds, so a part of a second
    /// counts as a whole one.
    pub fn at(time: Timestamp) -> Self {
        Self(time.milliseconds().div_ceil(1000))
    }

    /// The time.
    pub fn time(self) -> Timestamp {
        Timestamp::from_seconds(self.0)
    }

    /// Stores this time in place of the item that was read, if there was one.
    pub(in crate::store) fn replace(self, read: Option<&Item>) -> Write {
        let mut item = key_of();
        item.insert(TIME.to_owned(), n(self.0));
        Write::put(item).when(Guard::still(TIME, read.and_then(|read| read.get(TIME)).cloned()))
    }
}

pub(in crate::store) fn key_of() -> Key {
    key(KEY.0, KEY.1)
}
