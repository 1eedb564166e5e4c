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
place. With `GENERATED=write` each run writes its numbers to this page.

| Command | Searches |
|---|---|
| `make test` | the orders of pairs of plain requests, and a short storm that is always the same |
| `INTERLEAVINGS=orders make interleavings` | the orders of all pairs |
| `INTERLEAVINGS=lost make interleavings` | then also one lost answer at each place. `.ci/run` does this as a part of `make test` |
| `make interleavings` | then also one fault of any kind at each place |
| `TRIPLES=60 make interleavings` | then also the orders of three requests, for a minute; `TRIPLES=all` runs all of them |
| `make storm SECONDS=60` | random orders of two to four random requests with any number of faults. `SEED` repeats the requests and choices |
| `scripts/test/mutants orders` | inserts the bugs that concern the order of writes; the search has to find each |

- A *lost* answer: the write or the mail is done, its answer is lost, and the SDK repeats it. A read whose answer is lost only reads again.
- A *refused* call: the service does nothing, and the SDK does not repeat it.
- A *conflict*: a write does nothing because of another transaction, and the store repeats it.

Some requests need more, and some actors are no plain request:

- `limited-login` and `limited-wrong` log in with a limit of two failures, one of which is counted already. They make two calls at the same time. Both wait
  at the gate, and either may go on.
- The account of `passkey-register`, `passkey-login` and `remove-passkey` has a passkey. All registrations of a case answer the same challenge, each with
  its own credential, and all logins send the same answer.
- `hear-password`, `hear-registration` and `hear-deletion` are the function `notices`, which hears of a change.
- `import` reads one row, compares and writes it with the operations of `accounts import`.
- `time` moves the clock past the lifetime of everything that exists at the start. Then TTL deletes what has expired. With it, a request begins with its
  first call, and it has to record the use of its session.

A schedule that reaches a known state ends there. A state is the rows of the account and what each request has seen, with names in place of tokens,
ids and times.

Each finished schedule must be explained: the requests, as single steps in some order, give the same answers and leave the same rows in
[the specification](../tests/interleavings/model.rs). If one request was answered before another made its first call, it comes first. A request that
was answered with 500 has been done or not. [The verdict](../tests/interleavings/judge.rs) also checks what must always hold: identity and profile agree, no
session lacks its account or has a later generation, profile, rows and pointers of passkeys agree, an account is complete, a deleted account leaves
nothing, no more failures count than the limit.
`notices` has sent its letter and deleted the sessions that the change ended. Of a round of the storm with more than one fault, only this is checked.

These weaker outcomes are allowed, only for requests that overlap:

- A deletion of an account that the other request has just deleted succeeds.
- A login that runs during a deletion may leave the row of a session. It gives no access ([decision 17](decisions/0017-deletion-erases-an-account-in-one-transaction.md)),
  unless an import makes the same account again. Then a request that the deletion has overtaken may also be done, in the new account.
- If two browsers log in for the first time, one of them may stay unknown.
- A request whose session is logged out, ended or expires after it was checked may still be done. If the session has expired, the record of its use
  makes it live again. A request that fails or is refused may have recorded the use.
- The end of a session that has just ended or expired succeeds, or is answered like an unknown session.
- A request whose write was done and whose answer was lost may be refused, if the other request writes the same item before the SDK repeats the write.
- A request for a verification mail succeeds without a mail if the address has just been proved or its account deleted.
- A login may be refused because of the other attempt, which counts before its password is checked ([decision 18](decisions/0018-login-limits-count-attempts-before-they-are-made.md)). A login whose
  password was right when it was checked ends the count even if the other request then changes the password. Attempts that follow the check count.
- An import leaves an account that the other request has just made, changed or deleted. A login during an import may answer with the earlier name.

Not covered: deletions of more rows than one transaction takes; a second delivery of another change. The calls that lease ids are not held, because they touch no row of an account.
A wrong schedule is printed as one line, with as few steps as possible. `SCHEDULE='…' make interleavings` replays it. `make test` replays
[those that storms have reported](../tests/interleavings/schedules.txt). Each round of a storm has an account of its own,
so what it begins with is known, and it can be judged and repeated alone.
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
        // A search of some kinds only lacks the others.
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
