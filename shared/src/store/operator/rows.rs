//! The rows of the accounts table as they are stored, valid or damaged.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::{Operator, Profile, text};
use crate::Fault;
use crate::account::AccountKey;
use crate::store::account::{identities, ids, profile};
use crate::store::login::{attempts, spent_proofs};
use crate::store::notices::{deliveries, erasures};
use crate::store::passkeys::challenges;
use crate::store::table::Item;
use crate::store::{passkeys, sessions};

/// The maximum number of keys in one `BatchGetItem` (DynamoDB's limit).
const BATCH: usize = 100;

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
    #[must_use]
    pub fn of(item: Item) -> Self {
        let (pk, sk) = (text(&item, "pk").unwrap_or_default(), text(&item, "sk").unwrap_or_default());
        let readable = |is_readable: bool, row: Self| if is_readable { row } else { Self::Broken };
        match sk {
            profile::PROFILE => Profile::read(item).map_or(Self::Broken, |profile| Self::Profile(Box::new(profile))),
            _ if attempts::is_count(sk) => readable(attempts::is_readable(item), Self::Failures),
            deliveries::DELIVERY if pk.starts_with(deliveries::DELIVERY_PREFIX) => {
                readable(deliveries::is_readable(item), Self::Delivery)
            }
            erasures::ERASURE if pk.starts_with(erasures::ERASURE_PREFIX) => {
                readable(erasures::is_readable(item), Self::Erasure)
            }
            identities::IDENTITY if pk.starts_with(identities::PREFIX) => {
                identities::account_of(item).map_or(Self::Broken, Self::Identity)
            }
            spent_proofs::SPENT if pk.starts_with(spent_proofs::PREFIX) => Self::SpentProof,
            passkeys::POINTER if pk.starts_with(passkeys::POINTER_PREFIX) => {
                passkeys::account_of(item).map_or(Self::Broken, Self::Pointer)
            }
            challenges::CHALLENGE if pk.starts_with(challenges::PREFIX) => {
                readable(challenges::is_readable(item), Self::Challenge)
            }
            _ if (pk, sk) == ids::COUNTER => readable(number(&item, "total").is_some(), Self::Counter),
            _ if sk.starts_with(passkeys::PREFIX) => readable(passkeys::is_readable(item), Self::Passkey),
            _ if sk.starts_with(sessions::PREFIX) => readable(sessions::is_readable(item), Self::Session),
            _ => Self::Unknown,
        }
    }

    /// The key of an account's profile.
    #[must_use]
    pub fn profile_key(key: &str) -> RowKey {
        (key.to_owned(), profile::PROFILE.to_owned())
    }

    /// The key of an identity.
    #[must_use]
    pub fn identity_key(sub: &str) -> RowKey {
        (identities::partition_key(sub), identities::IDENTITY.to_owned())
    }

    /// The key of a passkey. `key` is its account's partition key.
    #[must_use]
    pub fn passkey_key(key: &str, id: &str) -> RowKey {
        (key.to_owned(), passkeys::sort_key(id))
    }

    /// The key of the pointer from a passkey to its account.
    #[must_use]
    pub fn pointer_key(id: &str) -> RowKey {
        (passkeys::pointer_key(id), passkeys::POINTER.to_owned())
    }

    /// The id of the passkey in the key of a passkey or of its pointer.
    #[must_use]
    pub fn passkey_id<'a>(pk: &'a str, sk: &'a str) -> Option<&'a str> {
        sk.strip_prefix(passkeys::PREFIX).or_else(|| pk.strip_prefix(passkeys::POINTER_PREFIX))
    }

    /// The key of the counter of ids.
    #[must_use]
    pub fn counter_key() -> RowKey {
        (ids::COUNTER.0.to_owned(), ids::COUNTER.1.to_owned())
    }

    /// The subject identifier in the partition key of an identity.
    #[must_use]
    pub fn subject(pk: &str) -> Option<&str> {
        pk.strip_prefix(identities::PREFIX)
    }
}

/// A whole-number attribute of an item.
#[must_use]
pub fn number(item: &Item, name: &str) -> Option<u64> {
    item.get(name).and_then(|value: &AttributeValue| value.as_n().ok()?.parse().ok())
}

impl Operator {
    /// The existing rows with these keys, by key. `keys` may contain a key more than once.
    ///
    /// # Errors
    /// The table failed.
    pub async fn rows(&self, mut keys: Vec<RowKey>) -> Result<HashMap<RowKey, Item>, Fault> {
        keys.sort_unstable();
        keys.dedup();
        let mut rows = HashMap::new();
        for some in keys.chunks(BATCH) {
            let keys: Vec<_> = some.iter().map(|(pk, sk)| (pk.as_str(), sk.as_str())).collect();
            let found = self.table.items(&keys).await?;
            rows.extend(some.iter().cloned().zip(found).filter_map(|(key, item)| Some((key, item?))));
        }
        Ok(rows)
    }
}
