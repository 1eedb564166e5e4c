//! Every interleaving of two requests on one account. A schedule decides which request's call to the table or to the
//! mail service comes next, and whether it succeeds. Some order of the requests as single steps must explain the
//! outcome of each schedule.
//!
//! `make test` runs every order of two plain requests without faults. `make interleavings` runs the orders of all
//! pairs, also with one lost answer, one refusal or one conflict at each call. With `TRIPLES`, it also runs the orders
//! of three requests. `make storm` runs random orders of up to four requests with any number of faults.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

mod accounts;
mod case;
/// The verdict about a finished run, and the specification that it compares the run with.
mod judging {
    pub(crate) mod judge;
    pub(crate) mod model;
    pub(crate) mod outcomes;
    pub(crate) mod rows;
    pub(crate) mod world;
}
mod kinds;
mod passkeys;
/// Runs of schedules, the search through all of them, and the storm.
mod running {
    pub(crate) mod actors;
    pub(crate) mod explore;
    pub(crate) mod names;
    pub(crate) mod run;
    pub(crate) mod storm;
}
mod subject;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use journeys::events::{Known, known_after};
use journeys::{Embedded, rows};
use shared::system::clock::{Clock, SystemClock};
use tokio::task::JoinSet;

use accounts::Accounts;
use case::{Case, Who};
use judging::judge::Wrong;
use running::explore::{Counts, Faults, explore, replay};
use running::run::Lane;
use running::storm::Seen;

/// The functions' allocator. It saves a tenth of the tests' time.
#[global_allocator]
static ALLOCATOR: shared::lambda::Allocator = shared::lambda::Allocator;

/// The number of cases that are searched in parallel. A search waits while a call backs off before its retry.
const LANES: usize = 8;
/// The number of rounds of a storm that run in parallel. Each round uses a new account.
const STORM_LANES: usize = 10;
/// The rounds of the storm that `make test` runs on each lane.
const ROUNDS_MIN: usize = 2;

async fn stack() -> (Embedded, Arc<Accounts>) {
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    let accounts = Accounts::of(&stack).await;
    (stack, Arc::new(accounts))
}

/// Searches these cases, the last one first, and starts no further case after `until`, in milliseconds since 1970.
async fn search(cases: Vec<Case>, faults: Faults, until: Option<u64>) -> BTreeMap<Case, Counts> {
    let (stack, accounts) = stack().await;
    let requests = cases.iter().map(|case| case.kinds.len()).max().unwrap_or_default();
    let total = cases.len();
    let left = Arc::new(Mutex::new(cases));
    let mut lanes = JoinSet::new();
    for _ in 0..LANES {
        let lane = Lane::start(&stack, Arc::clone(&accounts), requests).await;
        let left = Arc::clone(&left);
        lanes.spawn(async move {
            let mut found = Vec::new();
            loop {
                let (next, searched) = {
                    let mut left = left.lock().unwrap();
                    (left.pop(), total - left.len())
                };
                // `make interleavings` takes up to an hour.
                if searched % 50 == 0 {
                    println!("case {searched} of {total}");
                }
                let Some(case) = next.filter(|_| until.is_none_or(|until| now() < until)) else { return found };
                let counts = explore(&lane, &case, faults).await;
                counts.wrong.iter().for_each(|(line, why)| println!("SCHEDULE='{line}'\n{why}"));
                if !counts.wrong.is_empty() && variable("FIRST").is_some() {
                    left.lock().unwrap().clear();
                }
                found.push((case, counts));
            }
        });
    }
    lanes.join_all().await.into_iter().flatten().collect()
}

fn now() -> u64 {
    SystemClock.now().milliseconds()
}

fn assert_right(found: &BTreeMap<Case, Counts>) {
    let sum = |of: fn(&Counts) -> usize| found.values().map(of).sum::<usize>();
    let [judged, known] = [sum(|counts| counts.judged), sum(|counts| counts.known)];
    println!("{} cases, {judged} schedules, {known} that ended in a known state", found.len());
    assert_none(found.values().flat_map(|counts| &counts.wrong));
}

/// Fails with these wrong schedules, if there are any.
fn assert_none<'a>(wrong: impl Iterator<Item = &'a (String, Wrong)>) {
    let lines: Vec<String> = wrong.map(|(line, why)| format!("SCHEDULE='{line}'\n{why}")).collect();
    assert!(lines.is_empty(), "{} wrong schedules\n{}", lines.len(), lines.join("\n\n"));
}

/// The value of an environment variable; `None` if it is empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_order_of_two_requests_explains_every_interleaving() {
    if let Some(lines) = variable("SCHEDULE") {
        return replay_all(&lines).await;
    }
    let faults = match variable("INTERLEAVINGS").as_deref() {
        Some("all") => Faults::All,
        Some("lost") => Faults::Lost,
        _ => Faults::None,
    };
    let mut pairs = Case::pairs();
    if variable("INTERLEAVINGS").is_none() {
        pairs.retain(Case::is_plain);
    }
    if let Some(text) = variable("CASE") {
        match Case::named(&text) {
            Some(case) => pairs = vec![case],
            None => pairs.retain(|pair| pair.name().contains(&text)),
        }
    }
    let found = search(pairs.clone(), faults, None).await;
    assert_right(&found);
    assert_eq!(found.len(), pairs.len(), "all pairs were searched");
    search_triples().await;
}

/// Replays schedules that searches and storms have reported, one or more for each reason.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_order_explains_the_schedules_that_storms_have_reported() {
    replay_all(include_str!("schedules.txt")).await;
}

/// Replays schedules, one on each line.
async fn replay_all(lines: &str) {
    let (stack, accounts) = stack().await;
    let lane = Lane::start(&stack, accounts, Who::ALL.len()).await;
    let mut wrong: Vec<(String, Wrong)> = Vec::new();
    // A line that begins with `#` explains the lines after it.
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        let (case, steps) = running::explore::schedule(line).expect("the schedule can be read");
        let verdict = replay(&lane, &case, &steps).await.unwrap_or_else(Err);
        wrong.extend(verdict.err().map(|why| (line.to_owned(), why)));
    }
    assert_none(wrong.iter());
    assert_announced(&stack).await;
}

/// Asserts that whoever has received all events of a stack knows what the table has.
async fn assert_announced(stack: &Embedded) {
    assert!(stack.deliver_changes().await, "{:?}", stack.log().last());
    let mut events = stack.events().await;
    // The cases have called the function with changes of their own, which the stream does not have.
    events.retain(|event| event["detail"]["id"].as_str().is_some_and(|id| !id.starts_with("event-")));
    let items = stack.items("accounts").await;
    let profiles = items.iter().filter(|item| rows::text(item, "sk") == "profile").map(|item| {
        let is_verified =
            item.get("email_verified").and_then(|value| value.as_bool().ok()).copied().unwrap_or_default();
        let id = item["id"].as_n().unwrap().parse::<u64>().unwrap();
        (id, Known { is_verified, is_disabled: item.contains_key("disabled_at") })
    });
    assert_eq!(known_after(&events), profiles.collect::<BTreeMap<_, _>>());
}

/// Searches the triples without faults if `TRIPLES` is set to `all` or to a time limit in seconds: those whose names contain
/// the text `CASE`, or all.
async fn search_triples() {
    let Some(bound) = variable("TRIPLES") else { return };
    let until = (bound != "all").then(|| now() + bound.parse::<u64>().expect("TRIPLES is a number or all") * 1000);
    let mut triples = Case::triples();
    triples.retain(|triple| variable("CASE").is_none_or(|text| triple.name().contains(&text)));
    println!("{} triples", triples.len());
    assert_right(&search(triples, Faults::None, until).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_requests_and_faults_breaks_no_rule() {
    let seconds = variable("STORM_SECONDS").map_or(0, |seconds| seconds.parse().expect("a number of seconds"));
    // `make test` repeats the same few rounds of two requests, so that it fails only after a change.
    let most = if seconds == 0 { 2 } else { Who::ALL.len() };
    let first = || if seconds == 0 { 1 } else { now() };
    let start: u64 = variable("SEED").map_or_else(first, |text| text.parse().expect("a number"));
    println!("SEED={start}");
    let until = now() + seconds * 1000;
    let (stack, accounts) = stack().await;
    let next = Arc::new(AtomicU64::new(start));
    let mut tasks = JoinSet::new();
    for _ in 0..STORM_LANES {
        let lane = Lane::start(&stack, Arc::clone(&accounts), Who::ALL.len()).await;
        let next = Arc::clone(&next);
        tasks.spawn(async move {
            let mut seen = Seen::default();
            while seen.rounds < ROUNDS_MIN || now() < until {
                let known = seen.wrong.len();
                running::storm::round(&lane, next.fetch_add(1, Ordering::Relaxed), most, &mut seen).await;
                // Printed immediately, because a storm of an hour may be interrupted.
                seen.wrong[known..].iter().for_each(|(line, why)| println!("SCHEDULE='{line}'\n{why}"));
            }
            seen
        });
    }
    let seen: Vec<Seen> = tasks.join_all().await;
    let sum = |of: fn(&Seen) -> usize| seen.iter().map(of).sum::<usize>();
    let [rounds, faults, explained] = [sum(|seen| seen.rounds), sum(|seen| seen.faults), sum(|seen| seen.explained)];
    println!("{rounds} rounds with {faults} faults; {explained} had to be explained");
    assert_none(seen.iter().flat_map(|seen| &seen.wrong));
    assert_announced(&stack).await;
}
