//! The rows of the accounts table as they are stored, valid or damaged.

use super::profile::Profile;
use super::session::StoredSession;
use super::{challenge, counter, delivery, erasure, failures, identity, passkey, profile, proof, session};
use crate::account::AccountKey;
use crate::store::table::{Item, number, text};

/// The key of a row: its partition key and its sort key.
pub type RowKey = (String, String);

/// The kind of an item of the accounts table.
pub enum Row {
    /// An account.
    Profile(Box<Profile>),
    /// A session.
    Session,
    /// The times of failed logins.
    Failures,
    /// The link of an identity to the account with this key.
    Identity(AccountKey),
    /// The record that a notice was sent.
    Delivery,
    /// A deleted account whose entries are being erased.
    Erasure,
    /// A proof of work that a login has used.
    SpentProof,
    /// A passkey.
    Passkey,
    /// The pointer from a credential to the account with this key.
    Pointer(AccountKey),
    /// A challenge that a passkey has to sign.
    Challenge,
    /// The last leased id.
    Counter,
    /// A row that the service cannot read.
    Broken,
    /// A row that the service does not write.
    Unknown,
}

impl Row {
    /// Reads an item as the service does.
    pub fn of(item: Item) -> Self {
        let (pk, sk) = (text(&item, "pk").unwrap_or_default(), text(&item, "sk").unwrap_or_default());
        let readable = |is_readable: bool, row: Self| if is_readable { row } else { Self::Broken };
        match sk {
            profile::PROFILE => profile::read(item).map_or(Self::Broken, |profile| Self::Profile(Box::new(profile))),
            _ if failures::is_here(&item) => readable(failures::read(item).is_ok(), Self::Failures),
            delivery::DELIVERY if pk.starts_with(delivery::PREFIX) => {
                readable(number(&item, "expires_at").is_some(), Self::Delivery)
            }
            erasure::ERASURE if pk.starts_with(erasure::PREFIX) => {
                readable(erasure::read(item).and_then(|erasure| erasure.of_account()).is_ok(), Self::Erasure)
            }
            identity::IDENTITY if pk.starts_with(identity::PREFIX) => {
                identity::account_of(item).map_or(Self::Broken, Self::Identity)
            }
            proof::SPENT if pk.starts_with(proof::PREFIX) => Self::SpentProof,
            passkey::POINTER if pk.starts_with(passkey::POINTER_PREFIX) => {
                passkey::account_of(item).map_or(Self::Broken, Self::Pointer)
            }
            challenge::CHALLENGE if pk.starts_with(challenge::PREFIX) => {
                readable(challenge::is_readable(item), Self::Challenge)
            }
            _ if (pk, sk) == counter::KEY => readable(number(&item, counter::TOTAL).is_some(), Self::Counter),
            _ if sk.starts_with(passkey::PREFIX) => readable(passkey::is_readable(item), Self::Passkey),
            _ if sk.starts_with(session::PREFIX) => readable(StoredSession::whole(&item).is_ok(), Self::Session),
            _ => Self::Unknown,
        }
    }

    /// The key of an account's profile.
    pub fn profile_key(key: &str) -> RowKey {
        (key.to_owned(), profile::PROFILE.to_owned())
    }

    /// The key of an identity.
    pub fn identity_key(sub: &str) -> RowKey {
        (format!("{}{sub}", identity::PREFIX), identity::IDENTITY.to_owned())
    }

    /// The key of a passkey. `key` is its account's partition key.
    pub fn passkey_key(key: &str, id: &str) -> RowKey {
        (key.to_owned(), passkey::sort_key(id))
    }

    /// The key of the pointer from a passkey to its account.
    pub fn pointer_key(id: &str) -> RowKey {
        (format!("{}{id}", passkey::POINTER_PREFIX), passkey::POINTER.to_owned())
    }

    /// The id of the passkey in the key of a passkey or of its pointer.
    pub fn passkey_id<'a>(pk: &'a str, sk: &'a str) -> Option<&'a str> {
        sk.strip_prefix(passkey::PREFIX).or_else(|| pk.strip_prefix(passkey::POINTER_PREFIX))
    }

    /// The key of the counter of ids.
    pub fn counter_key() -> RowKey {
        (counter::KEY.0.to_owned(), counter::KEY.1.to_owned())
    }

    /// The subject identifier in the partition key of an identity.
    pub fn subject(pk: &str) -> Option<&str> {
        pk.strip_prefix(identity::PREFIX)
    }
}
