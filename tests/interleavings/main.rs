//! Every interleaving of two requests on one account. A schedule decides whose call to the table or to the mail service
//! comes next, and what becomes of it. Each finished schedule must be explained by some order of the two requests as
//! single steps.
//!
//! `make test` runs every order without faults; `make interleavings` also runs every order with one lost answer, one
//! refusal or one conflict at each place.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

mod accounts;
mod explore;
mod judge;
mod kinds;
mod model;
mod names;
mod report;
mod run;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use journeys::Embedded;
use shared::system::clock::{Clock, SystemClock};
use tokio::task::JoinSet;

use accounts::Accounts;
use explore::{Counts, explore, replay};
use kinds::Pair;
use run::Lane;

/// The functions' allocator. It saves a tenth of the tests' time.
#[global_allocator]
static ALLOCATOR: shared::lambda::Allocator = shared::lambda::Allocator;

/// The pairs that are searched at the same time. A search waits when a repeated call does.
const LANES: usize = 4;

async fn search(pairs: Vec<Pair>, with_faults: bool) -> BTreeMap<Pair, Counts> {
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    let accounts = Arc::new(Accounts::of(&stack).await);
    let left = Arc::new(Mutex::new(pairs));
    let mut lanes = JoinSet::new();
    for _ in 0..LANES {
        let lane = Lane::start(&stack, Arc::clone(&accounts)).await;
        let left = Arc::clone(&left);
        lanes.spawn(async move {
            let mut found = Vec::new();
            loop {
                let next = left.lock().unwrap().pop();
                let Some(pair) = next else { return found };
                let counts = explore(&lane, pair, with_faults).await;
                counts.wrong.iter().for_each(|(line, why)| println!("SCHEDULE='{line}'\n{why}"));
                found.push((pair, counts));
            }
        });
    }
    lanes.join_all().await.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_order_of_two_requests_explains_every_interleaving() {
    let began = SystemClock.now().milliseconds();
    if let Ok(line) = std::env::var("SCHEDULE") {
        let stack = Embedded::start(&[("NOTICES", "on")]).await;
        let accounts = Accounts::of(&stack).await;
        let verdict = replay(&Lane::start(&stack, Arc::new(accounts)).await, &line).await;
        verdict.expect("the schedule can be replayed").unwrap_or_else(|wrong| panic!("SCHEDULE='{line}': {wrong}"));
        return;
    }
    let with_faults = std::env::var("INTERLEAVINGS").is_ok_and(|value| value == "all");
    let found = search(Pair::all(), with_faults).await;
    let wrong: Vec<_> = found.values().flat_map(|counts| &counts.wrong).collect();
    let lines: Vec<String> = wrong.iter().map(|(line, why)| format!("SCHEDULE='{line}'\n{why}")).collect();
    assert!(lines.is_empty(), "{} wrong schedules\n{}", lines.len(), lines.join("\n\n"));
    assert_eq!(found.len(), Pair::all().len());
    let took = SystemClock.now().milliseconds().saturating_sub(began);
    report::write(&found, with_faults, Duration::from_millis(took));
}
