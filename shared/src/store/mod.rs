//! The tables, and the rules for writing to them.
//!
//! Each write has a condition on its item, so that no write depends on an earlier read. All items of an account are in
//! one partition of the accounts table, under a key derived from its email address:
//!
//! | sort key | item |
//! |---|---|
//! | `profile` | the account, its password's hash, its reset token's hash |
//! | `session#<hash>` | one session; the hash is the SHA-256 of its secret |
//! | `failures` | the times of failed logins, if they are limited |
//!
//! The table has two more kinds of items: `google#<sub>` / `identity` (the key of the linked account) and `counter` /
//! `user-id` (the last leased id).

mod account_page;
mod accounts;
mod attempts;
mod entries;
mod exports;
mod identities;
mod ids;
#[cfg(feature = "operator")]
pub mod operator;
mod profile;
mod resets;
mod sessions;
mod table;

pub use account_page::AccountPage;
pub use accounts::{Accounts, Erased, NewAccount, ProfileChanges};
pub use attempts::Attempts;
pub use entries::{ENTRY_BYTES_MAX, Entries, NoPosition, Objects, Position, StoredEntry};
pub use exports::{Exports, Held, HeldProfile, HeldSession};
pub use identities::{Found, Identities, Identity, Linked, Obstacle};
pub use ids::{ID_MAX, Ids};
pub use resets::{Issued, Resets};
pub(crate) use sessions::absolute_seconds;
pub use sessions::{ListedSession, Opener, Partition, SESSION_ID_LENGTH, Session, Sessions, session_id};
