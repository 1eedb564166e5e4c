//! The tables, and the rules for writing to them.
//!
//! Each write has a condition on its item, so that no write depends on an earlier read. All items of an account are in
//! one partition of the accounts table, under a key derived from its email address:
//!
//! | sort key | item |
//! |---|---|
//! | `profile` | the account, its password's hash, its reset token's hash |
//! | `session#<hash>` | one session; the hash is the SHA-256 of its secret |
//! | `passkey#<hash>` | one passkey; the hash is the SHA-256 of its credential's id |
//! | `failures`, `failures#<hash>` | the times of failed logins, if they are limited: of unknown browsers, of a known one |
//!
//! The table has seven more kinds of items: `google#<sub>` / `identity` (the key of the linked account),
//! `credential#<hash>` / `credential` (the key of a passkey's account), `challenge#<challenge>` / `challenge` (a challenge
//! that a passkey has to sign), `counter` / `user-id` (the last leased id), `notice#<event>` / `delivery` (a letter that was
//! sent), `erasure#<id>` / `erasure` (a deleted account whose entries are being erased), and `captcha#<nonce>` / `spent` (a
//! proof of work that a login has used).

mod account_page;
mod accounts;
mod attempts;
mod browsers;
mod challenges;
mod changes;
mod deliveries;
mod entries;
mod erasures;
mod exports;
mod identities;
mod ids;
mod mailed_tokens;
#[cfg(feature = "operator")]
pub mod operator;
mod passkeys;
mod profile;
mod resets;
mod sessions;
mod spent_proofs;
mod table;
mod verifications;

pub use account_page::AccountPage;
pub use accounts::{Accounts, Erased, NewAccount, ProfileChanges};
pub use attempts::{Attempts, Count};
pub use browsers::{BrowserCookie, Opener};
pub use challenges::{Challenges, Purpose};
pub use changes::{Change, Record, Report};
pub use deliveries::Deliveries;
pub use entries::{ENTRY_BYTES_MAX, Entries, NoPosition, Objects, Position, StoredEntry};
pub use erasures::Erasures;
pub use exports::{Exports, Held, HeldProfile, HeldSession};
pub use identities::{Found, Identities, Identity, Linked, Obstacle};
pub use ids::{ID_MAX, Ids};
pub use passkeys::{Backup, Candidate, Created, NewPasskey, PASSKEYS_MAX, Passkeys, Removed, StoredPasskey};
pub use resets::{Consumed, Issued, Resets};
pub(crate) use sessions::absolute_seconds;
pub use sessions::{ListedSession, Opened, Partition, SESSION_ID_LENGTH, Session, Sessions, session_id};
pub use spent_proofs::SpentProofs;
pub use verifications::Verifications;
