//! `docs/interleavings.md`, which has the numbers of the search.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use journeys::generated;

use crate::case::Case;
use crate::kinds::Kind;
use crate::running::explore::{Counts, Faults};

const DOCUMENT: &str = "docs/interleavings.md";

/// Writes the numbers into the document if `GENERATED=write` is set. They are not compared, because each new call of an
/// endpoint changes them.
pub(crate) fn write(found: &BTreeMap<Case, Counts>, triples: &BTreeMap<Case, Counts>, faults: Faults, took: Duration) {
    if generated::is_written() {
        let (prose, _) = generated::split(DOCUMENT);
        generated::check_file(DOCUMENT, &format!("{prose}\n{}", numbers(found, triples, faults, took)));
    }
}

fn numbers(found: &BTreeMap<Case, Counts>, triples: &BTreeMap<Case, Counts>, faults: Faults, took: Duration) -> String {
    let what = match faults {
        Faults::None => "without faults",
        Faults::Lost => "and every order with one lost answer",
        Faults::All => "and every order with one fault",
    };
    let total = total(found.values());
    let mut text = format!(
        "\
The search ran every order, {what}. It took {} seconds on 2 cores.

| request | pairs | orders | with one fault | ended in a known state | states |
|---|---|---|---|---|---|
",
        took.as_secs()
    );
    for kind in Kind::ALL {
        let pairs = found.iter().filter(|(pair, _)| pair.kinds.contains(kind)).map(|(_, counts)| counts);
        // A search of only some kinds lacks the others.
        if pairs.clone().next().is_some() {
            row(&mut text, kind.name(), pairs.clone().count(), &self::total(pairs));
        }
    }
    row(&mut text, "all", found.len(), &total);
    let _ = writeln!(text, "\nA pair is in the rows of both its requests. Wrong schedules: {}.", total.wrong.len());
    if !triples.is_empty() {
        let all = Case::triples().len();
        let Counts { orders, known, states, .. } = self::total(triples.values());
        let _ = writeln!(
            text,
            "\nOf {all} triples, {} were searched without faults: {orders} orders, {known} ended in a known state, {states} states. \
             Wrong schedules: none.",
            triples.len()
        );
    }
    text
}

fn row(text: &mut String, name: &str, pairs: usize, counts: &Counts) {
    let Counts { judged, orders, known, states, .. } = counts;
    let _ = writeln!(text, "| {name} | {pairs} | {orders} | {} | {known} | {states} |", judged - orders);
}

fn total<'a>(counts: impl Iterator<Item = &'a Counts>) -> Counts {
    counts.fold(Counts::default(), |mut sum, counts| {
        sum.judged += counts.judged;
        sum.orders += counts.orders;
        sum.known += counts.known;
        sum.states += counts.states;
        sum.wrong.extend(counts.wrong.iter().cloned());
        sum
    })
}
