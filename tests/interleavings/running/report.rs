//! The numbers of a search, which are written to `target/interleavings.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use journeys::generated;

use crate::case::Case;
use crate::kinds::Kind;
use crate::running::explore::Counts;

/// Writes a row for each kind, with the sums of the pairs that contain it, and a row for all pairs and for all triples.
pub(crate) fn write(pairs: &BTreeMap<Case, Counts>, triples: &BTreeMap<Case, Counts>) {
    let mut text = "| request | cases | orders | with one fault | ended in a known state | states |\n".to_owned();
    text += "|---|---|---|---|---|---|\n";
    for kind in Kind::ALL {
        row(&mut text, kind.name(), pairs.iter().filter(|(pair, _)| pair.has(*kind)).map(|(_, counts)| counts));
    }
    row(&mut text, "all pairs", pairs.values());
    row(&mut text, "triples", triples.values());
    generated::report("interleavings.md", &text);
}

fn row<'a>(text: &mut String, name: &str, counts: impl Iterator<Item = &'a Counts>) {
    let counts: Vec<_> = counts.collect();
    let sum = |of: fn(&Counts) -> usize| counts.iter().copied().map(of).sum::<usize>();
    let [judged, orders] = [sum(|counts| counts.judged), sum(|counts| counts.orders)];
    let [known, states] = [sum(|counts| counts.known), sum(|counts| counts.states)];
    let _ = writeln!(text, "| {name} | {} | {orders} | {} | {known} | {states} |", counts.len(), judged - orders);
}
