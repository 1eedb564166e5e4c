//! Addresses, ids and identities that more than one row has. All these rows are refused.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::report::Remark;
use super::row::Keys;

/// The keys of all rows so far: 24 bytes for each row, and 8 more if it has an identity.
#[derive(Default)]
pub(crate) struct Seen {
    accounts: Vec<u128>,
    ids: Vec<u64>,
    subs: Vec<u64>,
}

/// The keys that more than one row has.
pub(crate) struct Repeats {
    accounts: HashSet<u128>,
    ids: HashSet<u64>,
    /// Hashes. About once in 4 × 10^7 files of a million rows, two different identities have the same hash and are
    /// refused.
    subs: HashSet<u64>,
    /// The number of ids that no row has, below the largest id.
    pub(crate) gaps: u64,
}

impl Seen {
    pub(crate) fn add(&mut self, keys: &Keys) {
        self.accounts.extend(keys.account.as_ref().map(|key| wide(key.as_str())));
        self.ids.extend(keys.id);
        self.subs.extend(keys.sub.as_deref().map(short));
    }

    pub(crate) fn repeats(mut self) -> Repeats {
        self.ids.sort_unstable();
        let different = self.ids.chunk_by(|one, other| one == other).count();
        let largest = self.ids.last().copied().unwrap_or_default();
        Repeats {
            accounts: repeated(self.accounts),
            ids: repeated(self.ids),
            subs: repeated(self.subs),
            gaps: largest.saturating_sub(different as u64),
        }
    }
}

impl Repeats {
    /// The reasons to refuse a row with these keys.
    pub(crate) fn of(&self, keys: &Keys) -> Vec<Remark> {
        let mut remarks = Vec::new();
        if keys.account.as_ref().is_some_and(|key| self.accounts.contains(&wide(key.as_str()))) {
            remarks.push(Remark::new("address-repeats", "several rows have this address, ignoring case: keep one"));
        }
        if keys.id.is_some_and(|id| self.ids.contains(&id)) {
            remarks.push(Remark::new("id-repeats", "several rows have this id: give each user its own"));
        }
        if keys.sub.as_deref().is_some_and(|sub| self.subs.contains(&short(sub))) {
            remarks.push(Remark::new("identity-repeats", "several rows have this google_sub: keep one"));
        }
        remarks
    }
}

fn repeated<T: Ord + Hash + Copy>(mut all: Vec<T>) -> HashSet<T> {
    all.sort_unstable();
    all.windows(2)
        .filter_map(|pair| if let [one, other] = pair { (one == other).then_some(*one) } else { None })
        .collect()
}

/// The hash of a text in 64 bits.
fn short(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The hash of a text in 128 bits.
fn wide(text: &str) -> u128 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let high = hasher.finish();
    text.hash(&mut hasher);
    u128::from(high) << 64 | u128::from(hasher.finish())
}
