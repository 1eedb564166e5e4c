//! The account itself: its profile, its id, its link to an identity, and its export.

pub(super) mod accounts;
mod exports;
pub(super) mod identities;
pub(super) mod ids;
pub(super) mod profile;

pub use accounts::{Accounts, Erased, NewAccount, ProfileChanges};
pub use exports::{Exports, Held, HeldProfile, HeldSession};
pub use identities::{Found, Identities, Identity, Linked, Obstacle};
pub use ids::{ID_MAX, Ids};
