//! A proof of work that a login has used: `captcha#<nonce>` / `spent`. Each is accepted once.

use crate::store::table::{Guard, Write, key, n};

pub(in crate::store) const PREFIX: &str = "captcha#";
pub(in crate::store) const SPENT: &str = "spent";
/// How much longer than its challenge a row is kept, in seconds, because clocks differ.
const MARGIN_SECONDS: u64 = 60;

/// Puts a proof, unless it was used before. `expires_at` is when its challenge expires, in seconds since 1970.
pub(in crate::store) fn insert(nonce: &str, expires_at: u64) -> Write {
    let mut item = key(&format!("{PREFIX}{nonce}"), SPENT);
    item.insert("expires_at".to_owned(), n(expires_at + MARGIN_SECONDS));
    Write::put(item).when(Guard::absent())
}
