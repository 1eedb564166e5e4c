//! The tables, and the rules for writing to them.
//!
//! A write that depends on an earlier read has a condition on its item. The links from Google identities
//! and the pointers from passkeys to an account have partitions of their own. All other items of an account are in one
//! partition of the accounts table, under a key derived from its email address:
//!
//! | sort key | item |
//! |---|---|
//! | `profile` | the account, its password's hash, its reset token's hash |
//! | `session#<hash>` | one session; the hash is the SHA-256 of its secret |
//! | `passkey#<hash>` | one passkey; the hash is the SHA-256 of its credential's id |
//! | `failures`, `failures#<hash>` | the times of failed logins, if limited: of all unknown browsers, of one known browser |
//!
//! `ARCHITECTURE.md` has all kinds of items and their attributes.

mod account;
mod entries;
mod login;
mod mailed_tokens;
mod notices;
#[cfg(feature = "operator")]
pub mod operator;
mod passkeys;
mod sessions;
mod table;

pub use account::{
    Accounts, Erased, Exports, Found, Held, HeldProfile, HeldSession, ID_MAX, Identities, Identity, Ids, Linked,
    NewAccount, Obstacle, ProfileChanges,
};
pub use entries::{ENTRY_BYTES_MAX, Entries, NoPosition, Objects, Position, StoredEntry};
pub use login::{AccountPage, Attempts, BrowserCookie, Count, Opener, SpentProofs};
pub use mailed_tokens::{Consumed, Issued, Resets, Verifications};
pub use notices::{Change, Deleted, Deliveries, Erasures, Record, Report};
pub use passkeys::{
    Backup, Candidate, Challenges, Created, NewPasskey, PASSKEYS_MAX, Passkeys, Purpose, Removed, StoredPasskey,
};
pub(crate) use sessions::absolute_seconds;
pub use sessions::{ListedSession, Opened, Partition, SESSION_ID_LENGTH, Session, Sessions, session_id};
