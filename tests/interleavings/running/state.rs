//! The state of a run: what its further course and its verdict depend on.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::case::Who;
use crate::running::names::swapped;

/// A request's part of a state.
#[derive(Clone, Hash)]
pub(crate) struct Seen<'a> {
    pub(crate) is_started: bool,
    /// Its calls that are done and their answers, with names in place of random values.
    pub(crate) calls: &'a [Value],
    /// The operations of its calls that wait.
    pub(crate) waiting: Vec<&'a str>,
    pub(crate) is_answered: bool,
    /// Whether it may not have recognised the first attempt of a repeated write.
    pub(crate) is_unclear: bool,
}

/// The hash of a state: the rows, what each request has seen, and which requests came before which. Two states that differ
/// only by an exchange of the two equal requests are one state.
pub(crate) fn state(
    seen: &[Seen<'_>],
    rows: Option<&Value>,
    before: &BTreeSet<(Who, Who)>,
    equals: Option<(Who, Who)>,
) -> u64 {
    let as_it_is = hash(&(seen, rows, before));
    let Some((one, other)) = equals else { return as_it_is };
    let swap = |who: Who| match who {
        who if who == one => other,
        who if who == other => one,
        who => who,
    };
    let calls: Vec<Vec<Value>> =
        seen.iter().map(|seen| seen.calls.iter().map(|call| swapped(call, one, other)).collect()).collect();
    let part = |who: Who| Seen { calls: &calls[who as usize], ..seen[who as usize].clone() };
    let seen: Vec<Seen<'_>> = Who::ALL.into_iter().take(seen.len()).map(|who| part(swap(who))).collect();
    let before: BTreeSet<(Who, Who)> = before.iter().map(|(first, second)| (swap(*first), swap(*second))).collect();
    let rows = rows.map(|rows| swapped(rows, one, other));
    as_it_is.min(hash(&(seen.as_slice(), rows.as_ref(), &before)))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
