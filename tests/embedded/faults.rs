//! The fault sweep: each call of each endpoint fails in each way, once and for good. Nothing is said
//! to be done that is not, and what failed can be done again.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use journeys::{Answer, Embedded, Failure};
use serde_json::json;

use crate::scenarios::{Actor, Scenario, assert_sound, is_failure};

/// Longer than any answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// Runs of one sweep at once.
const PARALLEL: usize = 4;
/// What updates no more than the counter of ids.
const LEASING: [Scenario; 3] = [Scenario::Register, Scenario::GoogleNew, Scenario::GoogleRedirect];

/// A transaction that the table has cancelled for this reason.
fn cancelled(reason: &str) -> Failure {
    let reasons = json!([{"Code": "None"}, {"Code": reason, "Message": "so told"}]);
    let kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
    let body = json!({"__type": kind, "Message": "Transaction cancelled", "CancellationReasons": reasons});
    Failure::Answer(400, body.to_string())
}

fn refused(kind: &str) -> Failure {
    let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{kind}"), "message": "so told"});
    Failure::Answer(400, body.to_string())
}

/// A single write that has met a transaction.
fn conflict() -> Failure {
    refused("TransactionConflictException")
}

/// What the table may do to a call of this operation and do right the next time.
fn passing(operation: &str) -> Vec<Failure> {
    let every = [Failure::Throttle, Failure::Error, Failure::DropBefore, Failure::DropAfter];
    let own = match operation {
        "TransactWriteItems" => vec![
            cancelled("TransactionConflict"),
            cancelled("ThrottlingError"),
            refused("TransactionInProgressException"),
        ],
        "PutItem" | "UpdateItem" | "DeleteItem" => vec![conflict()],
        "BatchGetItem" | "BatchWriteItem" => vec![Failure::Unprocessed],
        _ => vec![],
    };
    every.into_iter().chain(own).collect()
}

/// What it may go on doing. None of these lets a call be carried out.
fn lasting(operation: &str) -> Vec<Failure> {
    let every = [Failure::Throttle, Failure::DropBefore, refused("AccessDeniedException")];
    let own = match operation {
        "TransactWriteItems" => vec![cancelled("TransactionConflict")],
        "BatchGetItem" | "BatchWriteItem" => vec![Failure::Unprocessed],
        _ => vec![],
    };
    every.into_iter().chain(own).collect()
}

async fn ask(actor: &mut Actor, case: &str) -> Answer {
    let answer = tokio::time::timeout(PATIENCE, actor.request()).await;
    answer.unwrap_or_else(|_| panic!("{case}: no answer in {PATIENCE:?}"))
}

async fn start(scenario: Scenario) -> (Embedded, Actor) {
    let stack = Embedded::start(&[]).await;
    let actor = Actor::ready(scenario, &stack).await;
    drop(stack.table.calls());
    (stack, actor)
}

/// Fails every call of the scenario in every way, on a stack of its own each time: what a process
/// keeps, such as leased ids, must not make a call disappear. The `shared` first calls are those of
/// another scenario, whose sweep fails them.
async fn sweep(scenario: Scenario, shared: usize) {
    let (stack, mut actor) = start(scenario).await;
    let answer = ask(&mut actor, "undisturbed").await;
    assert!(actor.is_success(&answer), "{answer:?}");
    let calls = stack.table.calls();
    assert!(calls.len() > shared);
    actor.assert_done(&stack).await;
    assert_sound(&stack).await;

    let mut runs: Vec<Pin<Box<dyn Future<Output = ()>>>> = Vec::new();
    for (place, operation) in calls.iter().enumerate().skip(shared) {
        // The counter of ids is never part of a transaction that it could meet.
        let leases = operation == "UpdateItem" && LEASING.contains(&scenario);
        for failure in passing(operation).into_iter().filter(|failure| !(leases && *failure == conflict())) {
            runs.push(Box::pin(once(scenario, place, failure)));
        }
        for failure in lasting(operation) {
            runs.push(Box::pin(for_good(scenario, place, failure)));
        }
        runs.push(Box::pin(answers_lost(scenario, place)));
    }
    // Most of a run is waiting between two attempts.
    stream::iter(runs).buffer_unordered(PARALLEL).collect::<()>().await;
}

/// A call that fails once is not noticed.
async fn once(scenario: Scenario, place: usize, failure: Failure) {
    let case = format!("{scenario:?}, call {place}, once {failure:?}");
    let (stack, mut actor) = start(scenario).await;
    stack.table.fail_call(place, failure);
    let answer = ask(&mut actor, &case).await;
    stack.table.heal();
    assert!(stack.table.calls().len() > place, "{case}: no such call");
    assert!(actor.is_success(&answer), "{case}: {answer:?}");
    actor.assert_done(&stack).await;
    assert_sound(&stack).await;
}

/// Calls that go on failing end in the one failure, and the same request is completed afterwards.
async fn for_good(scenario: Scenario, place: usize, failure: Failure) {
    let case = format!("{scenario:?}, from call {place} on {failure:?}");
    let (stack, mut actor) = start(scenario).await;
    stack.table.fail_from(place, failure);
    let answer = ask(&mut actor, &case).await;
    assert!(is_failure(&answer), "{case}: {answer:?}");
    stack.table.heal();
    assert_sound(&stack).await;
    let again = ask(&mut actor, &case).await;
    assert!(actor.is_success(&again), "{case}, again: {again:?}");
    actor.assert_done(&stack).await;
    assert_sound(&stack).await;
}

/// Calls that are carried out but never answered: a success is one, and a failure leaves nothing
/// half done.
async fn answers_lost(scenario: Scenario, place: usize) {
    let case = format!("{scenario:?}, answers lost from call {place} on");
    let (stack, mut actor) = start(scenario).await;
    stack.table.fail_from(place, Failure::DropAfter);
    let answer = ask(&mut actor, &case).await;
    stack.table.heal();
    assert_sound(&stack).await;
    if actor.is_success(&answer) {
        actor.assert_done(&stack).await;
    } else {
        assert!(is_failure(&answer), "{case}: {answer:?}");
        let again = ask(&mut actor, &case).await;
        assert_ne!(again.status, 500, "{case}, again: {again:?}");
        assert_sound(&stack).await;
    }
}

macro_rules! sweeps {
    ($($name:ident: $scenario:ident after $shared:literal,)*) => {$(
        #[tokio::test]
        async fn $name() {
            sweep(Scenario::$scenario, $shared).await;
        }
    )*};
}
sweeps! {
    a_registration_withstands_every_fault: Register after 0,
    a_login_withstands_every_fault: Login after 0,
    a_login_in_place_of_a_session_withstands_every_fault: LoginInPlaceOfASession after 1,
    a_look_at_the_session_withstands_every_fault: Session after 0,
    a_look_at_a_session_after_a_rest_withstands_every_fault: SessionAfterARest after 1,
    a_logout_withstands_every_fault: Logout after 0,
    settings_withstand_every_fault: Settings after 0,
    settings_with_a_password_withstand_every_fault: SettingsWithPassword after 1,
    a_deletion_withstands_every_fault: DeleteAccount after 0,
    a_reset_link_withstands_every_fault: SendResetLink after 0,
    a_reset_withstands_every_fault: ResetPassword after 0,
    a_first_google_login_withstands_every_fault: GoogleNew after 0,
    a_google_login_withstands_every_fault: GoogleKnown after 0,
    a_google_link_withstands_every_fault: GoogleLink after 1,
    a_google_login_after_a_change_of_address_withstands_every_fault: GoogleMoved after 1,
    a_google_redirect_withstands_every_fault: GoogleRedirect after 2,
    entries_withstand_every_fault: ReceiveData after 0,
}
