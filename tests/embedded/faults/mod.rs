//! The fault sweep: each call of each endpoint fails in each way, once and for good. Nothing is said
//! to be done that is not, nothing is half done, and what failed can be done again. `docs/faults.md` is its
//! table, which `make faults` writes.

mod table;
mod ways;

use std::pin::Pin;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use journeys::{Answer, Embedded, Failure, Proxy, paths};

use self::table::Cell;
use self::ways::{Call, Outcome, Peer, Times, Way};
use crate::scenarios::{self, Actor, Scenario, assert_sound, is_failure};

/// Longer than any answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long somebody waits before trying again: longer than a failed fetch of keys, or a letter that was not sent,
/// keeps anything back. The clock is moved; nothing waits.
const PAUSE: Duration = Duration::from_secs(15);
/// Runs of one sweep at once.
const PARALLEL: usize = 4;
/// Runs at once that wait for seconds and do nothing else.
const PARALLEL_DELAYED: usize = 16;

/// One run: a call of a scenario, and how it fails.
#[derive(Clone)]
struct Point {
    scenario: Scenario,
    call: Call,
    way: Way,
    times: Times,
    failure: Failure,
}

type Run = Pin<Box<dyn Future<Output = Cell>>>;

async fn ask(actor: &mut Actor, case: &str) -> Answer {
    let answer = tokio::time::timeout(PATIENCE, actor.request()).await;
    answer.unwrap_or_else(|_| panic!("{case}: no answer in {PATIENCE:?}"))
}

/// A stack of its own, with everything ready but the request: what a process keeps, such as leased ids, must not
/// make a call disappear.
async fn start(scenario: Scenario) -> (Embedded, Actor) {
    let stack = Embedded::start(scenario.settings()).await;
    let actor = Actor::ready(scenario, &stack).await;
    for peer in Peer::ALL {
        drop(peer.of(&stack).calls());
    }
    (stack, actor)
}

/// The calls of an undisturbed run.
async fn calls(scenario: Scenario) -> Vec<Call> {
    let (stack, mut actor) = start(scenario).await;
    let answer = ask(&mut actor, "undisturbed").await;
    assert!(actor.is_success(&answer), "{scenario:?}, undisturbed: {answer:?}");
    let calls = Peer::ALL.iter().flat_map(|&peer| {
        let operations = peer.of(&stack).calls().into_iter().enumerate();
        operations.map(move |(place, operation)| Call { peer, place, operation })
    });
    let calls: Vec<Call> = calls.collect();
    assert!(!calls.is_empty());
    actor.assert_done(&stack).await;
    assert_sound(&stack).await;
    calls
}

/// Fails every call of the scenario in every way, and holds the outcomes to the table.
async fn sweep(scenario: Scenario) {
    let calls = calls(scenario).await;
    let (mut quick, mut delayed): (Vec<Run>, Vec<Run>) = (Vec::new(), Vec::new());
    for call in &calls {
        for way in Way::ALL {
            for times in [Times::Once, Times::ForGood] {
                for failure in way.failures(scenario, call, times) {
                    let run = Box::pin(run(Point { scenario, call: call.clone(), way, times, failure }));
                    if way == Way::Delayed { delayed.push(run) } else { quick.push(run) }
                }
            }
        }
    }
    let quick = stream::iter(quick).buffer_unordered(PARALLEL).collect::<Vec<Cell>>();
    let delayed = stream::iter(delayed).buffer_unordered(PARALLEL_DELAYED).collect::<Vec<Cell>>();
    let (quick, delayed) = tokio::join!(quick, delayed);
    table::check(scenario, &calls, &[quick, delayed].concat());
}

/// Fails the one call, looks at the tables, asks again if need be, and looks once more.
async fn run(point: Point) -> Cell {
    let Point { scenario, call, way, times, failure } = point;
    let case = format!("{scenario:?}, {} of {:?} {failure:?} {times:?}", call.place, call.peer);
    let (stack, mut actor) = start(scenario).await;
    let proxy = call.peer.of(&stack);
    match times {
        Times::Once => proxy.fail_call(call.place, failure),
        Times::ForGood => proxy.fail_from(call.place, failure),
    }
    let answer = ask(&mut actor, &case).await;
    proxy.heal();
    let met = proxy.calls().len().saturating_sub(call.place);
    assert_ne!(met, 0, "{case}: no such call");
    if way == Way::Delayed {
        arrival(proxy, if times == Times::Once { 1 } else { met }).await;
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
    Cell { peer: call.peer, place: call.place, way, times, outcome }
}

/// Waits until what was held up has been carried out.
async fn arrival(proxy: &Proxy, calls: usize) {
    while proxy.late() < calls {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn every_endpoint_is_swept() {
    for path in paths::ALL {
        assert!(scenarios::ALL.iter().any(|scenario| scenario.path() == *path), "{path}");
    }
}

macro_rules! sweeps {
    ($($name:ident: $scenario:ident,)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                sweep(Scenario::$scenario).await;
            }
        )*

        #[test]
        fn every_scenario_is_swept() {
            assert_eq!(scenarios::ALL, [$(Scenario::$scenario,)*]);
        }
    };
}
sweeps! {
    a_registration_withstands_every_fault: Register,
    a_login_withstands_every_fault: Login,
    a_login_in_place_of_a_session_withstands_every_fault: LoginInPlaceOfASession,
    a_login_that_replaces_a_hash_withstands_every_fault: LoginWithAnOutdatedHash,
    a_login_with_a_captcha_withstands_every_fault: LoginWithCaptcha,
    a_login_within_a_limit_withstands_every_fault: LoginWithinALimit,
    a_look_at_the_session_withstands_every_fault: Session,
    a_look_at_a_session_after_a_rest_withstands_every_fault: SessionAfterARest,
    a_logout_withstands_every_fault: Logout,
    settings_withstand_every_fault: Settings,
    settings_with_a_password_withstand_every_fault: SettingsWithPassword,
    a_deletion_withstands_every_fault: DeleteAccount,
    a_reset_link_withstands_every_fault: SendResetLink,
    a_reset_withstands_every_fault: ResetPassword,
    a_first_google_login_withstands_every_fault: GoogleNew,
    a_google_login_withstands_every_fault: GoogleKnown,
    a_google_link_withstands_every_fault: GoogleLink,
    a_google_login_after_a_lost_letter_withstands_every_fault: GoogleUntold,
    a_google_login_after_a_change_of_address_withstands_every_fault: GoogleMoved,
    a_google_redirect_withstands_every_fault: GoogleRedirect,
    entries_withstand_every_fault: ReceiveData,
}
