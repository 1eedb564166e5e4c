//! The tables, and every rule about what may be written to them.
//!
//! Each write states its condition in the item itself; nothing reads and then writes on faith. What
//! an account owns lies in one partition of the accounts table, under a key derived from its email:
//!
//! | sort key | holds |
//! |---|---|
//! | `profile` | the account, its password's hash, its reset token's hash |
//! | `session#<hash>` | one session, by the SHA-256 of its secret |
//! | `failures` | the times of failed logins, when they are limited |
//!
//! and beside the accounts, `google#<sub>` / `identity` (whose account) and `counter` / `user-id`
//! (the last leased id).

mod account_page;
mod accounts;
mod attempts;
mod entries;
mod identities;
mod ids;
mod profile;
mod resets;
mod sessions;
mod table;

pub use account_page::AccountPage;
pub use accounts::{Accounts, Erased, NewAccount, ProfileChanges};
pub use attempts::Attempts;
pub use entries::{ENTRY_BYTES_MAX, Entries, Objects};
pub use identities::{Found, Identities, Identity, Linked, Obstacle};
pub use ids::Ids;
pub use resets::Resets;
pub(crate) use sessions::absolute_seconds;
pub use sessions::{Partition, Session, Sessions};
