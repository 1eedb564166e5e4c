//! The record that the letter about an event of the stream was sent: `notice#<event>` / `delivery`. It contains no data
//! of the account, so it may outlive it.

use crate::store::table::{Guard, Item, Key, Write, key, n};
use crate::system::clock::Timestamp;

pub(in crate::store) const PREFIX: &str = "notice#";
pub(in crate::store) const DELIVERY: &str = "delivery";
/// How long a delivery is remembered: two days, in seconds. The stream keeps a record for one day.
const LIFETIME_SECONDS: u64 = 2 * 24 * 60 * 60;

/// The key of the delivery of an event.
pub(in crate::store) fn key_of(event_id: &str) -> Key {
    key(&format!("{PREFIX}{event_id}"), DELIVERY)
}

/// Puts a delivery, unless another delivery of the event was first.
pub(in crate::store) fn insert(event_id: &str, now: Timestamp) -> Write {
    let mut item: Item = key_of(event_id);
    item.insert("expires_at".to_owned(), n(now.seconds().saturating_add(LIFETIME_SECONDS)));
    Write::put(item).when(Guard::absent())
}
