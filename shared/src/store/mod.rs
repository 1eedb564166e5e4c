//! The tables, in floors. What lies in the table is below what is done with it, and a session is opened in one place.
//! A module uses only the floors below its own; a test checks this.
//!
//! 1. `table`: reads, guarded writes, transactions, retries. It alone owns the client.
//! 2. `items`: one file for each kind of item, with its key, its row and its single writes.
//! 3. `partition`, `activities`, `addresses`, `browsers` and `counting`: the one reader of an account's items, what has
//!    happened to an account, the account of an address, whether an account knows a browser, and counts with a limit.
//! 4. `opening`, `sessions`, `exports`, `mailed`, `limits`, `proofs`, `ids`, `entries` and `changes`: the opening of
//!    sessions, and what is done with what exists.
//! 5. `accounts`, `google`, `passkeys`: what opens or ends sessions with something else. They do not use each other.
//! 6. `operator`: what only the operator's tool does.
//!
//! A write that depends on an earlier read has a guard on its item. The links from Google identities and the pointers
//! from passkeys to an account have partitions of their own. All other items of an account are in one partition of the
//! accounts table, under a key derived from its first email address; if its address has changed, a pointer under the key of
//! the new one names it. `ARCHITECTURE.md` lists the kinds of items.
//!
//! Every function that reads or writes fails if the table or the random number generator does, or if a row that it needs
//! is broken. Its documentation names only other errors, and what holds after a failure.

#![expect(clippy::missing_errors_doc, reason = "the errors that all functions share are described once, above")]
#![expect(clippy::must_use_candidate, reason = "constructors and plain reads, which nobody calls for nothing")]

mod accounts;
mod activities;
mod addresses;
mod browsers;
mod changes;
mod counting;
mod entries;
mod exports;
mod google;
mod ids;
mod items;
mod limits;
mod mailed;
mod opening;
#[cfg(feature = "operator")]
pub mod operator;
mod partition;
mod passkeys;
mod proofs;
mod sessions;
mod table;

pub use accounts::{Accounts, Erased, ProfileChanges};
pub use activities::Activities;
pub use browsers::{Browser, BrowserCookie};
pub use changes::{Changed, Deliveries, Erasures};
pub use entries::{Entries, Objects, Position};
pub use exports::{Exports, Held};
pub use google::{Found, Identities, Identity, Loss, Obstacle, Unlinked};
pub use ids::Ids;
pub use items::activity::{Activity, Happened};
pub use items::address::FormerEmail;
pub use items::challenge::Purpose;
pub use items::counter::{COUNTER_MAX, ID_MARGIN, ID_MAX, IMPORT_ID_MAX};
pub use items::entry::{ENTRY_BYTES_MAX, StoredEntry};
pub use items::erasure::Deleted;
pub use items::failures::{Bucket, Failures};
pub use items::mails::MailShare;
pub use items::passkey::{Backup, NewPasskey, StoredPasskey};
pub use items::profile::{EmailChange, Imported, Profile};
pub(crate) use items::session::absolute_seconds;
pub use items::session::{SESSION_ID_LENGTH, Session, StoredSession, session_id};
pub use limits::LoginLimit;
pub use mailed::{Asked, Consumed, EmailChanges, Issued, Locks, MailBudget, NewReset, Resets, Verifications};
pub use opening::{Opened, Opening, Removed};
pub use partition::Partition;
pub use passkeys::{Answered, Candidate, Created, PASSKEYS_MAX, Passkeys};
pub use proofs::{PasskeyChallenges, SpentProofs};
pub use sessions::Sessions;
pub use table::again;
