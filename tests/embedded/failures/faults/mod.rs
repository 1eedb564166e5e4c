//! The fault sweep: each call that an endpoint makes to a backend fails in each way, once and permanently. An answer never
//! reports success for something that was not done, nothing is left half done, and a failed request can be retried.
//! The outcomes are written to `target/faults`.

mod notices;
mod ways;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use journeys::requests::{Actor, RETRY_PAUSE, SessionAfter, is_failure};
use journeys::sound::assert_sound;
use journeys::{Answer, Embedded, Endpoint, Request, generated};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use self::ways::{Call, Fault, Outcome};

/// Operations that change nothing.
const READS: [&str; 4] = ["BatchGetItem", "GetItem", "GetSecretValue", "Query"];
/// The longest that any answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// Limits the concurrent runs of all sweeps. Runs that only wait for a delayed call do not count.
static BUSY: Semaphore = Semaphore::const_new(32);

/// Sends the request. Panics if the answer takes longer than [`PATIENCE`].
pub(super) async fn answer_in_time(actor: &mut Actor, case: &str) -> Answer {
    let answer = tokio::time::timeout(PATIENCE, actor.send()).await;
    answer.unwrap_or_else(|_| panic!("{case}: no answer in {PATIENCE:?}"))
}

/// Starts a separate stack and prepares everything but the request. Each run needs its own stack, because the state of
/// a process, such as leased ids, would save calls that must fail.
async fn start(request: &'static Request) -> (Embedded, Actor) {
    let stack = request.start().await;
    let actor = Actor::ready(request, &stack).await;
    drop(Call::of(&stack));
    (stack, actor)
}

/// The calls of a run without faults.
async fn calls(request: &'static Request) -> Vec<Call> {
    let _permit = BUSY.acquire().await.unwrap();
    let (stack, mut actor) = start(request).await;
    let answer = answer_in_time(&mut actor, "without faults").await;
    assert!(actor.is_success(&answer), "{}, without faults: {answer:?}", request.name);
    let calls = Call::of(&stack);
    assert!(!calls.is_empty());
    let is_without_effect = request.effect.is_none() && request.session == SessionAfter::Same;
    let only_reads = calls.iter().all(|call| READS.contains(&&*call.operation));
    assert!(only_reads || !is_without_effect, "{} writes: add its effect to tests/support/requests", request.name);
    actor.assert_done(&stack).await;
    assert_sound(&stack).await;
    calls
}

/// Makes every call of the request fail in every way.
async fn sweep(request: &'static Request) {
    let calls = unless_stalled(|| calls(request)).await;
    let faults = Fault::all(&calls, request.leases_an_id());
    let outcomes = join_all(faults.iter().map(|fault| unless_stalled(move || run(request, fault)))).await;
    let lines: Vec<_> = faults.iter().zip(outcomes).map(|(fault, outcome)| format!("{fault:?}: {outcome:?}")).collect();
    generated::report(&format!("faults/{}.txt", request.name), &lines.join("\n"));
}

/// Makes the one call fail and checks the tables. If the request failed, retries it. Then checks its effect and the
/// tables again.
async fn run(request: &'static Request, fault: &Fault) -> Outcome {
    let case = format!("{}, {fault:?}", request.name);
    let mut permit = Some(BUSY.acquire().await.unwrap());
    let (stack, mut actor) = start(request).await;
    let (answer, _) = fault.during(&stack, &mut permit, answer_in_time(&mut actor, &case)).await;
    assert_sound(&stack).await;
    let outcome = if actor.is_success(&answer) {
        Outcome::Done
    } else {
        assert!(is_failure(&answer), "{case}: {answer:?}");
        stack.advance(RETRY_PAUSE);
        let again = answer_in_time(&mut actor, &case).await;
        let is_done = actor.is_success(&again);
        assert!(is_done || actor.had_been_done(&again), "{case}, again: {again:?}");
        if is_done { Outcome::FailedThenDone } else { Outcome::FailedYetDone }
    };
    match outcome {
        Outcome::FailedYetDone => actor.assert_in_force(&stack).await,
        Outcome::Done | Outcome::FailedThenDone => actor.assert_done(&stack).await,
    }
    assert_sound(&stack).await;
    let allowed = fault.allowed_outcomes(request);
    assert!(allowed.contains(&outcome), "{case}: {outcome:?} instead of {allowed:?}, {:#?}", stack.log());
    outcome
}

/// Runs the sweeps of an endpoint's requests in parallel.
async fn sweep_all(path: &str) {
    let swept = Endpoint::at(path).requests.iter().filter(|request| request.is_swept);
    assert_ne!(join_all(swept.map(sweep)).await.len(), 0, "a request of {path} is swept");
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

/// How often the machine is observed.
const TICK: Duration = Duration::from_millis(100);
/// If the machine stops for longer than this, an attempt of the SDK or the whole request may miss its deadline: an answer
/// comes at most 1 second before it is missed.
const STALL: Duration = Duration::from_millis(500);
/// How often a run is repeated.
const TRIES: u32 = 5;

/// Does the work, and tells the longest time for which the machine stopped meanwhile.
#[expect(clippy::disallowed_methods, reason = "it measures the machine, not the service")]
async fn observed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let mut work = pin!(work);
    let mut longest = Duration::ZERO;
    loop {
        let due = Instant::now() + TICK;
        let done = tokio::time::timeout_at(due, &mut work).await;
        longest = longest.max(due.elapsed());
        if let Ok(done) = done {
            return (done, longest);
        }
    }
}

/// The result of a run. A run that fails while the machine stops says nothing about the service, and is repeated.
async fn unless_stalled<T, F: Future<Output = T>>(run: impl Fn() -> F) -> T {
    for attempt in 1.. {
        match observed(AssertUnwindSafe(run()).catch_unwind()).await {
            (Ok(done), _) => return done,
            (Err(_), stalled) if stalled > STALL && attempt < TRIES => {
                eprintln!("The machine stopped for {stalled:?}: the run is repeated.");
            }
            (Err(panic), _) => resume_unwind(panic),
        }
    }
    unreachable!("the loop returns or panics")
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_is_repeated_only_if_the_machine_has_stopped() {
    use std::sync::atomic::{AtomicU32, Ordering};

    let runs = AtomicU32::new(0);
    let stalls_once = unless_stalled(|| async {
        let is_first = runs.fetch_add(1, Ordering::Relaxed) == 0;
        tokio::time::sleep(TICK / 2).await;
        if is_first {
            tokio::time::advance(STALL + TICK).await;
        }
        assert!(!is_first, "a deadline was missed");
    });
    stalls_once.await;
    assert_eq!(runs.load(Ordering::Relaxed), 2);

    let fails = AssertUnwindSafe(unless_stalled(|| async {
        runs.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(TICK * 30).await;
        panic!("half done");
    }));
    assert!(FutureExt::catch_unwind(fails).await.is_err());
    assert_eq!(runs.load(Ordering::Relaxed), 3, "a real failure is not repeated");
}
