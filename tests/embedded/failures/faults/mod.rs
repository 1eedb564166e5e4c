//! The fault sweep: each call that an endpoint makes to a backend fails in each way, once and permanently. An answer never
//! reports success for something that was not done, nothing is left half done, and a failed request can be retried.
//! `make generated` writes the results to `docs/faults.md`.

mod notices;
mod table;
mod ways;

use std::time::Duration;

use futures_util::future::join_all;
use journeys::{Answer, Embedded, Proxy};
use tokio::sync::Semaphore;

use self::table::Cell;
use self::ways::{Backend, Call, Fault, Outcome, Times, Way};
use crate::support::scenarios::{self, Actor, RETRY_PAUSE, Scenario, assert_sound, is_failure};

/// The longest that any answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// Operations of the table that change nothing.
const READS: [&str; 3] = ["BatchGetItem", "GetItem", "Query"];
/// Limits the concurrent runs of all sweeps. Runs that only wait for a delayed call do not count.
static BUSY: Semaphore = Semaphore::const_new(32);

/// Sends the request of the scenario. Panics if the answer takes longer than [`PATIENCE`].
async fn answer_in_time(actor: &mut Actor, case: &str) -> Answer {
    let answer = tokio::time::timeout(PATIENCE, actor.request()).await;
    answer.unwrap_or_else(|_| panic!("{case}: no answer in {PATIENCE:?}"))
}

/// Starts a separate stack and prepares everything but the request. Each run needs its own stack, because the state of
/// a process, such as leased ids, would save calls that must fail.
async fn start(scenario: Scenario) -> (Embedded, Actor) {
    let stack = scenario.start().await;
    let actor = Actor::ready(scenario, &stack).await;
    for backend in Backend::ALL {
        drop(backend.proxy(&stack).calls());
    }
    (stack, actor)
}

/// The calls of a run without faults.
async fn calls(scenario: Scenario) -> Vec<Call> {
    let _permit = BUSY.acquire().await.unwrap();
    let (stack, mut actor) = start(scenario).await;
    let answer = answer_in_time(&mut actor, "without faults").await;
    assert!(actor.is_success(&answer), "{scenario:?}, without faults: {answer:?}");
    let mut calls: Vec<Call> = Vec::new();
    for backend in Backend::ALL {
        for operation in backend.proxy(&stack).calls() {
            let place = calls.iter().filter(|call| (call.backend, &call.operation) == (backend, &operation)).count();
            calls.push(Call { backend, place, operation });
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

/// Makes every call of the scenario fail in every way, and compares the outcomes with the document.
async fn sweep(scenario: Scenario) {
    let calls = calls(scenario).await;
    let runs = Fault::all(scenario, &calls).into_iter().map(|fault| run(scenario, fault));
    table::check(scenario, &calls, &join_all(runs).await);
}

/// Makes the one call fail and checks the tables. If the request failed, retries it. Then checks its effect and the
/// tables again.
async fn run(scenario: Scenario, fault: Fault) -> Cell {
    let Fault { call, way, times, failure } = fault;
    let case = format!("{scenario:?}, {call:?} {failure:?} {times:?}");
    let mut permit = Some(BUSY.acquire().await.unwrap());
    let (stack, mut actor) = start(scenario).await;
    let proxy = call.backend.proxy(&stack);
    let before = proxy.failed();
    proxy.fail_call_of(&call.operation, call.place, failure, times == Times::ForGood);
    if way == Way::Delayed {
        permit = None;
    }
    let answer = answer_in_time(&mut actor, &case).await;
    proxy.heal();
    let failed = proxy.failed() - before;
    assert_ne!(failed, 0, "{case}: no such call");
    if way == Way::Delayed {
        until_executed(proxy, failed).await;
        permit = Some(BUSY.acquire().await.unwrap());
    }
    assert_sound(&stack).await;
    let outcome = if actor.is_success(&answer) {
        Outcome::Done
    } else {
        assert!(is_failure(&answer), "{case}: {answer:?}");
        stack.advance(RETRY_PAUSE);
        let again = answer_in_time(&mut actor, &case).await;
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
    let allowed = way.allowed_outcomes(call.backend, times);
    let log = stack.log();
    assert!(allowed.contains(&outcome), "{case}: {outcome:?} instead of {allowed:?}, {log:#?}");
    drop(permit);
    Cell { call, way, times, outcome }
}

/// Waits until the backend has executed this number of delayed calls.
async fn until_executed(proxy: &Proxy, calls: usize) {
    while proxy.late() < calls {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Runs the sweeps of an endpoint's scenarios in parallel.
async fn sweep_all(path: &str) {
    let scenarios = scenarios::all().into_iter().filter(|scenario| scenario.path() == path);
    join_all(scenarios.map(sweep)).await;
}

macro_rules! sweeps {
    ($($module:ident $path:ident)*) => {
        $(mod $module {
            #[tokio::test]
            async fn the_service_withstands_every_fault() {
                super::sweep_all(journeys::paths::$path).await;
            }
        })*
    };
}
journeys::for_each_endpoint!(sweeps);
