//! What one scan of the table remembers: the ids and keys that it compares, and the damaged rows.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::num::NonZeroU64;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::AccountKey;
use shared::password::legacy;
use shared::store::COUNTER_MAX;
use shared::store::operator::{Kind as Is, Profile, Row, RowKey};

use crate::{Damage, Kind, Repair};

/// How long after its expiry a row is expected to be deleted: seven days, in seconds. It usually takes
/// a few days.
const LATE_SECONDS: u64 = 7 * 24 * 60 * 60;

/// The bytes of an account's key.
type Key = [u8; 16];
/// The bytes of a passkey's id.
type PasskeyId = [u8; 32];

/// The parts of a passkey: its id in the profile, its row, and the pointer to its account.
const NAME: u8 = 1;
const ROW: u8 = 2;
const POINTER: u8 = 4;

/// What is remembered of an account.
struct Seen {
    id: u64,
    /// The hash of its `google_sub`, until the identity is found.
    sub: Option<NonZeroU64>,
}

/// What a scan has read. `confirm` reads those rows again that may be damaged.
#[derive(Default)]
pub struct Ledger {
    accounts: HashMap<Key, Seen>,
    /// The keys of profiles that cannot be read.
    broken: HashSet<String>,
    /// Subject identifiers, and the keys of their accounts.
    identities: Vec<(Box<str>, Option<Key>)>,
    /// Sessions whose profile had not been read before them.
    sessions: Vec<RowKey>,
    /// The keys of addresses that have a pointer, and of the accounts that have another key than their address.
    addresses: Vec<String>,
    moved: Vec<String>,
    /// The parts of each passkey that were found.
    passkeys: HashMap<(Key, PasskeyId), u8>,
    /// The largest id that the counter may have reached.
    pub(crate) largest: u64,
    /// Damage that a row shows by itself.
    pub(crate) damages: Vec<Damage>,
    hasher: RandomState,
}

/// The rows that look damaged in the scan. Some of them have only changed during the scan.
pub(crate) struct Suspects {
    pub(crate) sessions: Vec<RowKey>,
    /// Subject identifiers of identities.
    pub(crate) identities: Vec<Box<str>>,
    /// Keys of accounts whose identity was not found, and whether no other of these has the same `google_sub`.
    pub(crate) unlinked: Vec<(String, bool)>,
    /// Keys of accounts that share an id.
    pub(crate) repeated: Vec<String>,
    /// Keys of accounts, and ids of their passkeys.
    pub(crate) passkeys: Vec<(String, String)>,
    /// The keys of addresses that have a pointer.
    pub(crate) addresses: Vec<String>,
    /// The keys of accounts that have another key than their address.
    pub(crate) moved: Vec<String>,
}

impl Ledger {
    /// Reads a row. `now` is in seconds since 1970.
    pub fn add(&mut self, row: Row, now: u64) {
        let is_broken = row.is_broken();
        let Row { key: (pk, sk), kind, id, profile_id, account, expires_at } = row;
        let is_profile = Row::profile_key(&pk).1 == sk;
        if is_profile {
            self.largest = self.largest.max(id.filter(|id| *id <= COUNTER_MAX).unwrap_or_default());
        }
        if is_broken {
            self.damages.push(Damage::new(Kind::Unreadable, shown(&pk, &sk)));
            if is_profile {
                self.broken.insert(pk);
            }
            return;
        }
        let is_late = expires_at.is_some_and(|end| end.saturating_add(LATE_SECONDS) < now);
        if is_late && !matches!(kind, Is::Unknown) {
            self.damages.push(Damage::new(Kind::Expired, pk.clone()));
        }
        let account = account.unwrap_or_default();
        match kind {
            Is::Profile(profile) => self.account(&profile, profile_id),
            Is::Session(_) => {
                if pack(&pk).is_none_or(|key| !self.accounts.contains_key(&key)) {
                    self.sessions.push((pk, sk));
                }
            }
            Is::Identity => {
                if let Some(sub) = Row::subject(&pk) {
                    self.identities.push((sub.into(), pack(&account)));
                }
            }
            Is::Address => self.addresses.push(pk),
            Is::Passkey => self.passkey(&pk, Row::passkey_id(&pk, &sk), ROW),
            Is::Pointer => self.passkey(&account, Row::passkey_id(&pk, &sk), POINTER),
            Is::Unknown => self.damages.push(Damage::new(Kind::Unknown, shown(&pk, &sk))),
            Is::Alone | Is::Counter(_) | Is::Broken => {}
        }
    }

    fn account(&mut self, profile: &Profile, profile_id: Option<u64>) {
        let account = &profile.account;
        let sub = account.google_sub.as_deref().map(|sub| self.hash(sub));
        if let Some(key) = pack(account.key.as_str()) {
            self.accounts.insert(key, Seen { id: account.id, sub });
        }
        if AccountKey::of(&account.email) != account.key {
            self.moved.push(account.key.as_str().to_owned());
        }
        for id in &account.passkeys {
            self.passkey(account.key.as_str(), Some(id), NAME);
        }
        if profile_id != Some(account.id) {
            let kind = if profile_id.is_none() { Kind::NoProfileId } else { Kind::OtherProfileId };
            let repair = Repair::SetProfileId { key: account.key.clone(), id: account.id, found: profile_id };
            self.damages.push(Damage::new(kind, account.id.to_string()).with(repair));
        }
        if account.password.hash().is_some_and(|stored| legacy::read(stored.as_str(), false).is_err()) {
            self.damages.push(Damage::new(Kind::Password, account.id.to_string()));
        }
    }

    fn passkey(&mut self, key: &str, id: Option<&str>, part: u8) {
        let id = id.and_then(|id| URL_SAFE_NO_PAD.decode(id).ok()?.try_into().ok());
        if let (Some(key), Some(id)) = (pack(key), id) {
            *self.passkeys.entry((key, id)).or_default() |= part;
        }
    }

    fn hash(&self, sub: &str) -> NonZeroU64 {
        NonZeroU64::MIN | self.hasher.hash_one(sub)
    }

    /// Compares what the scan has read. Returns the suspects, and the damage that is already certain.
    pub(crate) fn close(mut self) -> (Suspects, Vec<Damage>) {
        let is_account = |ledger: &Self, pk: &str| {
            pack(pk).is_some_and(|key| ledger.accounts.contains_key(&key)) || ledger.broken.contains(pk)
        };
        let mut sessions = std::mem::take(&mut self.sessions);
        sessions.retain(|(pk, _)| !is_account(&self, pk));

        let mut identities = Vec::new();
        for (sub, key) in std::mem::take(&mut self.identities) {
            let hash = self.hash(&sub);
            match key.and_then(|key| self.accounts.get_mut(&key)) {
                Some(seen) if seen.sub == Some(hash) => seen.sub = None,
                _ => identities.push(sub),
            }
        }
        let mut owners: HashMap<NonZeroU64, u32> = HashMap::new();
        for hash in self.accounts.values().filter_map(|seen| seen.sub) {
            *owners.entry(hash).or_default() += 1;
        }
        let unlinked = self.accounts.iter().filter_map(|(key, seen)| {
            let is_sub_unique = owners.get(&seen.sub?) == Some(&1);
            Some((unpack(key), is_sub_unique))
        });
        let unlinked = unlinked.collect();

        let mut ids: Vec<u64> = self.accounts.values().map(|seen| seen.id).collect();
        ids.sort_unstable();
        let pairs = ids.iter().zip(ids.iter().skip(1));
        let repeated: HashSet<u64> = pairs.filter(|(one, other)| one == other).map(|(id, _)| *id).collect();
        let repeated = self.accounts.iter().filter(|(_, seen)| repeated.contains(&seen.id));
        let repeated = repeated.map(|(key, _)| unpack(key)).collect();
        let passkeys = self.passkeys.iter().filter(|(_, parts)| **parts != NAME | ROW | POINTER);
        let passkeys = passkeys.map(|((key, id), _)| (unpack(key), URL_SAFE_NO_PAD.encode(id))).collect();
        let Self { addresses, moved, damages, .. } = self;
        (Suspects { sessions, identities, unlinked, repeated, passkeys, addresses, moved }, damages)
    }
}

/// The bytes of a key; `None` if the text is not the key of any address.
fn pack(key: &str) -> Option<Key> {
    let key = AccountKey::parse(key)?;
    URL_SAFE_NO_PAD.decode(key.as_str()).ok()?.try_into().ok()
}

fn unpack(key: &Key) -> String {
    URL_SAFE_NO_PAD.encode(key)
}

/// The key of a row, without the hash in its sort key.
fn shown(pk: &str, sk: &str) -> String {
    match sk.split_once('#') {
        Some((kind, _)) => format!("{pk} {kind}#…"),
        None => format!("{pk} {sk}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_row_is_shown_without_the_hash_of_a_session() {
        assert_eq!(shown("key", "session#secret"), "key session#…");
        assert_eq!(shown("key", "profile"), "key profile");
    }

    #[test]
    fn the_entries_of_an_account_and_its_identity_take_at_most_72_bytes() {
        assert!(size_of::<(Key, Seen)>() <= 32);
        assert!(size_of::<(Box<str>, Option<Key>)>() <= 40);
    }
}
