//! `docs/interleavings.md`, which has the numbers of the search.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use journeys::generated;

use crate::case::Case;
use crate::explore::Counts;
use crate::kinds::Kind;
use crate::run::Faults;

const DOCUMENT: &str = "docs/interleavings.md";

const HEAD: &str = "# Interleavings of two requests

Two processes answer one request each, on the same account at the same time. A gate in front of each process holds every call to the
table and to the mail service until the schedule lets it go on. The search runs every order of these calls, and every order with one fault at each
place. `make test` runs the orders without faults, and `make interleavings` everything. With `GENERATED=write` each writes its numbers to this page.

- A *lost* answer: the write or the mail is done, its answer is lost, and the SDK repeats it. A read whose answer is lost only reads again.
- A *refused* call: the service does nothing, and the SDK does not repeat it.
- A *conflict*: a write does nothing because of another transaction, and the store repeats it.

A schedule that reaches a known state ends there. A state is the rows of the account and what each request has seen, with names in place of tokens,
ids and times.

Each finished schedule must be explained: the two requests, as single steps in some order, give the same answers and leave the same rows in
[the specification](../tests/interleavings/model.rs). If one request was answered before the other made its first call, it comes first. A request that
was answered with 500 has been done or not. [The verdict](../tests/interleavings/judge.rs) also checks what must always hold: identity and profile agree, no
session lacks its account or has a later generation, an account is complete, a deleted account leaves nothing.

These weaker outcomes are allowed, only for requests that overlap:

- A deletion of an account that the other request has just deleted succeeds.
- A login that runs during a deletion may leave the row of a session. It gives no access ([decision 17](decisions/0017-deletion-erases-an-account-in-one-transaction.md)).
- If two browsers log in for the first time, one of them may stay unknown.
- The end of a session that has just ended succeeds, or is answered like an unknown session.
- A request whose write was done and whose answer was lost may be refused, if the other request writes the same item before the SDK repeats the write.
- A request for a verification mail succeeds without a mail if the address has just been proved or its account deleted.

Not covered: more than two requests, more than one fault, functions with several calls at the same time (a login with a limit of failures), a
deletion of more rows than one transaction takes, `notices`, and imports. The calls that lease ids are not held, because they touch no row of an account.
A wrong schedule is printed as one line, with as few steps as possible. `SCHEDULE='…' make interleavings` replays it.
";

/// Writes the document if that is asked for. The numbers are not compared: they change with every call of an endpoint.
pub(crate) fn write(found: &BTreeMap<Case, Counts>, triples: &BTreeMap<Case, Counts>, faults: Faults, took: Duration) {
    if generated::is_written() {
        generated::check_file(DOCUMENT, &document(found, triples, faults, took));
    }
}

fn document(
    found: &BTreeMap<Case, Counts>,
    triples: &BTreeMap<Case, Counts>,
    faults: Faults,
    took: Duration,
) -> String {
    let what = match faults {
        Faults::None => "without faults",
        Faults::Lost => "and every order with one lost answer",
        Faults::All => "and every order with one fault",
    };
    let total = total(found.values());
    let mut text = format!(
        "{HEAD}
These are the numbers of every order {what}. The run took {} seconds on 2 cores.

| request | pairs | orders | with one fault | ended in a known state | states |
|---|---|---|---|---|---|
",
        took.as_secs()
    );
    for kind in Kind::ALL {
        let pairs = found.iter().filter(|(pair, _)| pair.kinds.contains(kind)).map(|(_, counts)| counts);
        row(&mut text, kind.name(), pairs.clone().count(), &self::total(pairs));
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
