//! The items of a passkey.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::NewPasskey;
use crate::account::{Account, AccountKey};
use crate::store::table::{self, Item};
use crate::system::clock::Timestamp;
use crate::{Fault, FullName};

/// The prefix of the sort keys of passkeys.
pub(in crate::store) const PREFIX: &str = "passkey#";
/// The prefix of the partition keys of pointers. It has a character that no account's key has.
pub(in crate::store) const POINTER_PREFIX: &str = "credential#";
/// The sort key of a pointer.
pub(in crate::store) const POINTER: &str = "credential";

/// Whether the private key of a passkey is or can be copied to other devices (WebAuthn's flags BE and BS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backup {
    /// It never leaves its authenticator.
    NotEligible,
    /// It can be copied, and is not.
    Eligible,
    /// It is copied.
    Exists,
}

/// A passkey of an account.
pub struct StoredPasskey {
    /// The hash of its credential's id. It is not a secret.
    pub id: String,
    /// The name that its owner gave it.
    pub name: String,
    /// The id of its credential.
    pub credential: Vec<u8>,
    /// Its public key, in the library's encoding.
    pub public_key: Vec<u8>,
    /// The counter of its last signature.
    pub counter: u32,
    /// Whether its private key is or can be copied to other devices.
    pub backup: Backup,
    /// How browsers reach its authenticator.
    pub transports: Vec<String>,
    /// When it was created, in seconds since 1970.
    pub created_at: u64,
    /// The last login with it, in seconds since 1970.
    pub last_used_at: Option<u64>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    pk: AccountKey,
    sk: String,
    /// The account's id.
    id: u64,
    name: String,
    credential: String,
    public_key: String,
    counter: u32,
    backup: Backup,
    #[serde(default)]
    transports: Vec<String>,
    created_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used_at: Option<u64>,
}

/// The item that names the account of a credential.
#[derive(Serialize, Deserialize)]
pub(super) struct Pointer {
    pk: String,
    sk: String,
    pub(super) account: AccountKey,
}

impl Row {
    pub(super) fn new(account: &Account, new: &NewPasskey, name: &FullName, now: Timestamp) -> Self {
        Self {
            pk: account.key.clone(),
            sk: sort_key(&new.id()),
            id: account.id,
            name: name.as_str().to_owned(),
            credential: URL_SAFE_NO_PAD.encode(&new.credential),
            public_key: URL_SAFE_NO_PAD.encode(&new.public_key),
            counter: new.counter,
            backup: new.backup,
            transports: new.transports.clone(),
            created_at: now.seconds(),
            last_used_at: None,
        }
    }

    /// The id of the passkey.
    pub(super) fn id(&self) -> &str {
        self.sk.strip_prefix(PREFIX).unwrap_or_default()
    }

    /// The passkey's pointer.
    pub(super) fn pointer(&self) -> Pointer {
        Pointer { pk: pointer_key(self.id()), sk: POINTER.to_owned(), account: self.pk.clone() }
    }

    /// The passkey, if the profile of this account names it.
    pub(super) fn into_passkey_of(self, account: &Account) -> Option<StoredPasskey> {
        let is_named = account.passkeys.contains(self.id());
        if is_named { self.into_passkey(account.id) } else { None }
    }

    /// The passkey, if it belongs to the account with this id.
    fn into_passkey(self, account_id: u64) -> Option<StoredPasskey> {
        let id = self.sk.strip_prefix(PREFIX).filter(|_| self.id == account_id)?;
        Some(StoredPasskey {
            id: id.to_owned(),
            name: self.name,
            credential: URL_SAFE_NO_PAD.decode(self.credential).ok()?,
            public_key: URL_SAFE_NO_PAD.decode(self.public_key).ok()?,
            counter: self.counter,
            backup: self.backup,
            transports: self.transports,
            created_at: self.created_at,
            last_used_at: self.last_used_at,
        })
    }
}

/// The passkey in an item, if it belongs to the account with this id.
pub(in crate::store) fn held(item: Item, account_id: u64) -> Result<Option<StoredPasskey>, Fault> {
    Ok(table::read::<Row>(item)?.into_passkey(account_id))
}

/// The id of the passkey with this credential: its hash, 256 bits. The ids of credentials may have 1,023 bytes.
pub(super) fn id_of(credential: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(credential))
}

/// The sort key of a passkey.
pub(in crate::store) fn sort_key(id: &str) -> String {
    format!("{PREFIX}{id}")
}

/// The partition key of a pointer.
pub(in crate::store) fn pointer_key(id: &str) -> String {
    format!("{POINTER_PREFIX}{id}")
}

/// Whether an item is a passkey that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: Item) -> bool {
    table::read::<Row>(item).is_ok()
}

/// The account that a pointer names.
#[cfg(feature = "operator")]
pub(in crate::store) fn account_of(item: Item) -> Result<AccountKey, Fault> {
    Ok(table::read::<Pointer>(item)?.account)
}
