//! The two items of a passkey: `passkey#<id>` in the account's partition, and a pointer from the credential to the
//! account, `credential#<id>` / `credential`. The id is the hash of the credential's id.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::account::{Account, AccountKey};
use crate::store::table::{self, Guard, Item, Key, Update, Write, key, n, s};
use crate::system::clock::Timestamp;
use crate::{Fault, FullName};

pub(in crate::store) const PREFIX: &str = "passkey#";
pub(in crate::store) const POINTER_PREFIX: &str = "credential#";
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

/// A passkey that the library has verified.
pub struct NewPasskey {
    /// The id of its credential.
    pub credential: Vec<u8>,
    /// Its public key, in the library's encoding.
    pub public_key: Vec<u8>,
    /// The WebAuthn user handle of the account.
    pub user_handle: String,
    /// The authenticator's counter of signatures.
    pub counter: u32,
    /// Whether its private key is or can be copied to other devices.
    pub backup: Backup,
    /// How browsers reach its authenticator.
    pub transports: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(in crate::store) struct Row {
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
struct Pointer {
    pk: String,
    sk: String,
    account: AccountKey,
}

impl NewPasskey {
    /// The id that the passkey will have.
    pub fn id(&self) -> String {
        id_of(&self.credential)
    }

    /// Puts the passkey and its pointer.
    pub(in crate::store) fn insert(
        &self,
        account: &Account,
        name: &FullName,
        now: Timestamp,
    ) -> Result<[Write; 2], Fault> {
        let id = self.id();
        let row = Row {
            pk: account.key.clone(),
            sk: sort_key(&id),
            id: account.id,
            name: name.as_str().to_owned(),
            credential: URL_SAFE_NO_PAD.encode(&self.credential),
            public_key: URL_SAFE_NO_PAD.encode(&self.public_key),
            counter: self.counter,
            backup: self.backup,
            transports: self.transports.clone(),
            created_at: now.seconds(),
            last_used_at: None,
        };
        Ok([Write::put(table::item(&row)?).when(Guard::absent()), insert_pointer(&id, &account.key)?])
    }
}

impl StoredPasskey {
    /// The passkey in an item; `None` if it belongs to another account, such as an earlier one of the same address.
    pub(in crate::store) fn read(item: Item, account: &Account) -> Result<Option<Self>, Fault> {
        let row: Row = table::read(item)?;
        let Some(id) = row.sk.strip_prefix(PREFIX).filter(|_| row.id == account.id) else { return Ok(None) };
        let decoded = URL_SAFE_NO_PAD.decode(row.credential).ok().zip(URL_SAFE_NO_PAD.decode(row.public_key).ok());
        let Some((credential, public_key)) = decoded else { return Ok(None) };
        Ok(Some(Self {
            id: id.to_owned(),
            name: row.name,
            credential,
            public_key,
            counter: row.counter,
            backup: row.backup,
            transports: row.transports,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
        }))
    }

    /// Stores the counter of a signature. The passkey must still be the one whose signature was verified, and no other
    /// signature may have moved its counter.
    pub(in crate::store) fn sign(
        &self,
        account: &Account,
        (counter, backup): (u32, Backup),
        now: Timestamp,
    ) -> Result<Write, Fault> {
        let update = Update::new()
            .set("counter", n(counter.into()))
            .set("backup", table::attribute(&backup)?)
            .set("last_used_at", n(now.seconds()));
        let is_same = Guard::Equals("id", n(account.id)).and(Guard::Equals("counter", n(self.counter.into())));
        Ok(Write::update(key_of(account, &self.id), update).when(is_same))
    }
}

/// Puts the pointer from a passkey to its account.
pub(in crate::store) fn insert_pointer(id: &str, account: &AccountKey) -> Result<Write, Fault> {
    let pointer = Pointer { pk: format!("{POINTER_PREFIX}{id}"), sk: POINTER.to_owned(), account: account.clone() };
    Ok(Write::put(table::item(&pointer)?).when(Guard::absent()))
}

/// Deletes a passkey and its pointer. If the pointer names another account, the transaction fails.
pub(in crate::store) fn delete(account: &Account, id: &str) -> [Write; 2] {
    [Write::delete(key_of(account, id)), delete_pointer(account, id)]
}

/// Deletes all passkeys of an account, which [`has_same_passkeys`](super::profile::has_same_passkeys) must guard.
pub(in crate::store) fn delete_all(account: &Account) -> impl Iterator<Item = Write> {
    account.passkeys.iter().flat_map(|id| delete(account, id))
}

/// Deletes the pointers to all passkeys of an account.
pub(in crate::store) fn delete_pointers(account: &Account) -> impl Iterator<Item = Write> {
    account.passkeys.iter().map(|id| delete_pointer(account, id))
}

fn delete_pointer(account: &Account, id: &str) -> Write {
    let is_own = Guard::Any(vec![Guard::absent(), Guard::Equals("account", s(account.key.as_str()))]);
    Write::delete(pointer_key(id)).when(is_own)
}

/// The id of the passkey with this credential: its hash, 256 bits. The ids of credentials may have 1,023 bytes.
pub(in crate::store) fn id_of(credential: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(credential))
}

/// The sort key of a passkey.
pub(in crate::store) fn sort_key(id: &str) -> String {
    format!("{PREFIX}{id}")
}

pub(in crate::store) fn key_of(account: &Account, id: &str) -> Key {
    key(account.key.as_str(), &sort_key(id))
}

pub(in crate::store) fn pointer_key(id: &str) -> Key {
    key(&format!("{POINTER_PREFIX}{id}"), POINTER)
}

/// The account that a pointer names.
pub(in crate::store) fn account_of(pointer: Item) -> Result<AccountKey, Fault> {
    Ok(table::read::<Pointer>(pointer)?.account)
}

/// Whether an item is a passkey that can be read.
#[cfg(feature = "operator")]
pub(in crate::store) fn is_readable(item: Item) -> bool {
    table::read::<Row>(item).is_ok()
}
