//! The fault sweep: each call of each endpoint fails in each way, once and for good. Nothing is said
//! to be done that is not, nothing is half done, and what failed can be done again. `docs/faults.md` is its
//! table, which `make faults` writes.

mod table;
mod ways;

use std::time::Duration;

use futures_util::future::join_all;
use journeys::{Answer, Embedded, Failure, Proxy};
use tokio::sync::Semaphore;

use self::table::Cell;
use self::ways::{Call, Outcome, Peer, Times, Way};
use crate::support::scenarios::{self, Actor, Scenario, assert_sound, is_failure};

/// Longer than any answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long somebody waits before trying again: longer than a failed fetch of keys, or a letter that was not sent,
/// keeps anything back. The clock is moved; nothing waits.
const PAUSE: Duration = Duration::from_secs(15);
/// Operations that change nothing.
const READS: [&str; 3] = ["BatchGetItem", "GetItem", "Query"];
/// Runs of all sweeps at once, but for those that wait for a delayed call and do nothing else.
static BUSY: Semaphore = Semaphore::const_new(4);

/// One run: a call of a scenario, and how it fails.
#[derive(Clone)]
struct Point {
    scenario: Scenario,
    call: Call,
    way: Way,
    times: Times,
    failure: Failure,
}

async fn ask(actor: &mut Actor, case: &str) -> Answer {
    let answer = tokio::time::timeout(PATIENCE, actor.request()).await;
    answer.unwrap_or_else(|_| panic!("{case}: no answer in {PATIENCE:?}"))
}

/// A stack of its own, with everything ready but the request: what a process keeps, such as leased ids, must not
/// make a call disappear.
async fn start(scenario: Scenario) -> (Embedded, Actor) {
    let stack = scenario.start().await;
    let actor = Actor::ready(scenario, &stack).await;
    for peer in Peer::ALL {
        drop(peer.of(&stack).calls());
    }
    (stack, actor)
}

/// The calls of an undisturbed run.
async fn calls(scenario: Scenario) -> Vec<Call> {
    let _permit = BUSY.acquire().await.unwrap();
    let (stack, mut actor) = start(scenario).await;
    let answer = ask(&mut actor, "undisturbed").await;
    assert!(actor.is_success(&answer), "{scenario:?}, undisturbed: {answer:?}");
    let mut calls: Vec<Call> = Vec::new();
    for peer in Peer::ALL {
        for operation in peer.of(&stack).calls() {
            let place = calls.iter().filter(|call| (call.peer, &call.operation) == (peer, &operation)).count();
            calls.push(Call { peer, place, operation });
        }
    }
    assert!(!calls.is_empty());
    if let Scenario::Read(path) = scenario {
        let only_reads = calls.iter().all(|call| READS.contains(&&*call.operation));
        assert!(only_reads, "{path} writes: add its scenarios and their effects to tests/embedded/support/scenarios");
    }
    actor.assert_done(&stack).await;
    assert_sound(&stack).await;
    calls
}

/// Fails every call of the scenario in every way, and holds the outcomes to the table.
async fn sweep(scenario: Scenario) {
    let calls = calls(scenario).await;
    let mut runs = Vec::new();
    for call in &calls {
        for way in Way::ALL {
            for times in [Times::Once, Times::ForGood] {
                for failure in way.failures(scenario, call, times) {
                    runs.push(run(Point { scenario, call: call.clone(), way, times, failure }));
                }
            }
        }
    }
    table::check(scenario, &calls, &join_all(runs).await);
}

/// Fails the one call, looks at the tables, asks again if need be, and looks once more.
async fn run(point: Point) -> Cell {
    let Point { scenario, call, way, times, failure } = point;
    let case = format!("{scenario:?}, {call:?} {failure:?} {times:?}");
    let mut permit = Some(BUSY.acquire().await.unwrap());
    let (stack, mut actor) = start(scenario).await;
    let proxy = call.peer.of(&stack);
    // What was made ready may have failed too.
    let before = proxy.failed();
    proxy.fail_call_of(&call.operation, call.place, failure, times == Times::ForGood);
    if way == Way::Delayed {
        permit = None;
    }
    let answer = ask(&mut actor, &case).await;
    proxy.heal();
    let failed = proxy.failed() - before;
    assert_ne!(failed, 0, "{case}: no such call");
    if way == Way::Delayed {
        arrival(proxy, failed).await;
        permit = Some(BUSY.acquire().await.unwrap());
    }
    assert_sound(&stack).await;
    let outcome = if actor.is_success(&answer) {
        Outcome::Done
    } else {
        assert!(is_failure(&answer), "{case}: {answer:?}");
        stack.advance(PAUSE);
        let again = ask(&mut actor, &case).await;
        if actor.is_success(&again) {
            Outcome::FailedThenDone
        } else {
            assert!(actor.had_been_done(&again), "{case}, again: {again:?}");
            Outcome::FailedYetDone
        }
    };
    match outcome {
        Outcome::FailedYetDone => actor.assert_in_force(&stack).await,
        Outcome::Done | Outcome::FailedThenDone => actor.assert_done(&stack).await,
    }
    assert_sound(&stack).await;
    let promise = way.promise(call.peer, times);
    let log = stack.log();
    assert!(promise.contains(&outcome), "{case}: {outcome:?} instead of {promise:?}, {log:#?}");
    drop(permit);
    Cell { call, way, times, outcome }
}

/// Waits until what was held up has been carried out.
async fn arrival(proxy: &Proxy, calls: usize) {
    while proxy.late() < calls {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The sweeps of an endpoint's scenarios, side by side: most of a sweep is waiting.
async fn sweep_all(path: &str) {
    let scenarios = scenarios::all().into_iter().filter(|scenario| scenario.path() == path);
    join_all(scenarios.map(sweep)).await;
}

macro_rules! sweeps {
    ($($module:ident $path:ident)*) => {
        $(mod $module {
            #[tokio::test]
            async fn every_fault_is_withstood() {
                super::sweep_all(journeys::paths::$path).await;
            }
        })*
    };
}
journeys::for_each_endpoint!(sweeps);
