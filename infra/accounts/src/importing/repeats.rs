//! Addresses, ids and identities that more than one row has. All these rows are refused.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::report::Remark;
use super::row::Keys;

/// The keys of all rows so far, with their lines: 48 bytes for each row, and 16 more if it has an identity.
#[derive(Default)]
pub(crate) struct Seen {
    accounts: Vec<(u128, u64)>,
    ids: Vec<(u64, u64)>,
    subs: Vec<(u64, u64)>,
}

/// The keys that more than one row has, with the first two lines of each.
pub(crate) struct Repeats {
    accounts: HashMap<u128, [u64; 2]>,
    ids: HashMap<u64, [u64; 2]>,
    /// Hashes. About once in 4 × 10^7 files of a million rows, two different identities have the same hash and are
    /// refused.
    subs: HashMap<u64, [u64; 2]>,
    /// The number of ids that no row has, below the largest id.
    pub(crate) gaps: u64,
}

impl Seen {
    pub(crate) fn add(&mut self, line: u64, keys: &Keys) {
        self.accounts.extend(keys.account.as_ref().map(|key| (wide(key.as_str()), line)));
        self.ids.extend(keys.id.map(|id| (id, line)));
        self.subs.extend(keys.sub.as_deref().map(|sub| (short(sub), line)));
    }

    pub(crate) fn repeats(mut self) -> Repeats {
        self.ids.sort_unstable();
        let different = self.ids.chunk_by(|(one, _), (other, _)| one == other).count();
        let largest = self.ids.last().map(|(id, _)| *id).unwrap_or_default();
        Repeats {
            accounts: repeated(self.accounts),
            ids: repeated(self.ids),
            subs: repeated(self.subs),
            gaps: largest.saturating_sub(different as u64),
        }
    }
}

impl Repeats {
    /// The reasons to refuse the row on a line with these keys.
    pub(crate) fn of(&self, line: u64, keys: &Keys) -> Vec<Remark> {
        let account = keys.account.as_ref().and_then(|key| self.accounts.get(&wide(key.as_str())));
        let id = keys.id.and_then(|id| self.ids.get(&id));
        let sub = keys.sub.as_deref().and_then(|sub| self.subs.get(&short(sub)));
        let found = [
            (account, Remark::new("address-repeats", "several rows have this address, ignoring case: keep one")),
            (id, Remark::new("id-repeats", "several rows have this id: give each user its own")),
            (sub, Remark::new("identity-repeats", "several rows have this google_sub: keep one")),
        ];
        let remark = |(lines, remark): (Option<&[u64; 2]>, Remark)| {
            let [first, second] = *lines?;
            Some(Remark { other_line: Some(if line == first { second } else { first }), ..remark })
        };
        found.into_iter().filter_map(remark).collect()
    }
}

fn repeated<T: Ord + Hash + Copy>(mut all: Vec<(T, u64)>) -> HashMap<T, [u64; 2]> {
    all.sort_unstable();
    let same = all.chunk_by(|(one, _), (other, _)| one == other);
    same.filter_map(
        |same| if let [(key, first), (_, second), ..] = same { Some((*key, [*first, *second])) } else { None },
    )
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
