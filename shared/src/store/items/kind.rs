//! The rows of the accounts table as they are stored, valid or damaged.

use super::activity::Activity;
use super::erasure::Erasure;
use super::not_before::{self, NotBefore};
use super::profile::Profile;
use super::session::StoredSession;
use super::{
    activity, address, challenge, counter, delivery, erasure, failures, identity, mails, passkey, profile, proof,
};
use crate::Fault;
use crate::store::table::{self, Item, broken, number, text};

/// The key of a row: its partition key and its sort key.
pub type RowKey = (String, String);

/// A row of the accounts table. An attribute that it lacks, or that is of another type, is `None`.
#[derive(Clone)]
#[expect(missing_docs, reason = "the fields are attributes, as their names say")]
pub struct Row {
    pub key: RowKey,
    pub kind: Kind,
    pub id: Option<u64>,
    pub profile_id: Option<u64>,
    pub account: Option<String>,
    pub expires_at: Option<u64>,
}

/// What a row is.
#[derive(Clone)]
pub enum Kind {
    /// An account.
    Profile(Box<Profile>),
    /// A session, whole or broken.
    Session(StoredSession),
    /// The link of an identity to the account with the key `account`.
    Identity,
    /// A passkey.
    Passkey,
    /// The pointer from a credential to the account with the key `account`.
    Pointer,
    /// The pointer from an address to the account with the key `account`.
    Address,
    /// The last leased id.
    Counter(u64),
    /// A row that no other refers to: failed logins, what has happened, counts of mails, a delivery, an erasure, a proof of work, a challenge,
    /// the end of all sessions.
    Alone,
    /// A row that the service cannot read.
    Broken,
    /// A row that the service does not write.
    Unknown,
}

impl Kind {
    /// The error is that the service cannot read it.
    fn of((pk, sk): &RowKey, item: Item) -> Result<Self, Fault> {
        match sk.as_str() {
            profile::PROFILE => profile::read(item).map(|profile| Self::Profile(Box::new(profile))),
            address::ADDRESS => address::account_of(item).map(|_| Self::Address),
            _ if failures::is_here(&item) => failures::read(item).map(|_| Self::Alone),
            _ if pk.starts_with(activity::PREFIX) => Activity::read(&item).map(|_| Self::Alone),
            _ if pk.starts_with(mails::PREFIX) => number(&item, "expires_at").map(|_| Self::Alone).ok_or_else(broken),
            delivery::DELIVERY if pk.starts_with(delivery::PREFIX) => {
                number(&item, "expires_at").map(|_| Self::Alone).ok_or_else(broken)
            }
            erasure::ERASURE if pk.starts_with(erasure::PREFIX) => {
                table::read(item).and_then(|erasure: Erasure| erasure.of_account()).map(|_| Self::Alone)
            }
            proof::SPENT if pk.starts_with(proof::PREFIX) => Ok(Self::Alone),
            challenge::CHALLENGE if pk.starts_with(challenge::PREFIX) => {
                table::read(item).map(|_: challenge::Row| Self::Alone)
            }
            identity::IDENTITY if pk.starts_with(identity::PREFIX) => {
                identity::account_of(item).map(|_| Self::Identity)
            }
            passkey::POINTER if pk.starts_with(passkey::POINTER_PREFIX) => {
                passkey::account_of(item).map(|_| Self::Pointer)
            }
            sk if (pk.as_str(), sk) == counter::KEY => {
                number(&item, counter::TOTAL).map(Self::Counter).ok_or_else(broken)
            }
            sk if (pk.as_str(), sk) == not_before::KEY => NotBefore::read(Some(&item)).map(|_| Self::Alone),
            sk if sk.starts_with(passkey::PREFIX) => {
                passkey::is_readable(item).then_some(Self::Passkey).ok_or_else(broken)
            }
            _ => Ok(StoredSession::read(&item).map_or(Self::Unknown, Self::Session)),
        }
    }
}

impl Row {
    /// Reads an item as the service does.
    pub fn of(item: Item) -> Self {
        let [pk, sk] = ["pk", "sk"].map(|name| text(&item, name).unwrap_or_default().to_owned());
        let [id, profile_id, expires_at] = ["id", "profile_id", "expires_at"].map(|name| number(&item, name));
        let (key, account) = ((pk, sk), text(&item, "account").map(str::to_owned));
        Self { kind: Kind::of(&key, item).unwrap_or(Kind::Broken), key, id, profile_id, account, expires_at }
    }

    /// Whether the service cannot read it.
    pub fn is_broken(&self) -> bool {
        matches!(self.kind, Kind::Broken) || matches!(&self.kind, Kind::Session(session) if session.is_broken)
    }

    /// The key of an account's profile.
    pub fn profile_key(key: &str) -> RowKey {
        (key.to_owned(), profile::PROFILE.to_owned())
    }

    /// The key of the pointer of an address. `key` is that of the address.
    pub fn address_key(key: &str) -> RowKey {
        (key.to_owned(), address::ADDRESS.to_owned())
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
