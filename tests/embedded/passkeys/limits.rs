//! The number of passkeys of an account, the origins that may use them, and concurrent registrations and logins.

use futures_util::future::{join, join_all};
use journeys::authenticator::{Algorithm, Authenticator};
use journeys::sentences::{
    INVALID_PARAMETERS, INVALID_PASSKEY, LOGGED_IN, PASSKEY_CREATED, PASSKEY_REMOVED, TOO_MANY_PASSKEYS, assert_says,
};
use journeys::{Answer, Embedded, FRONT_END, Failure, paths, rows};
use serde_json::{Value, json};
use shared::store::PASSKEYS_MAX;

use super::start;
use crate::concurrency::held_up;

#[tokio::test]
async fn an_account_has_at_most_20_passkeys_even_if_they_are_created_at_once() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut first = ana.with_passkey().await;
    for _ in 0..PASSKEYS_MAX - 5 {
        ana.with_passkey().await;
    }
    // The user handle exists since the first passkey, so only the limit refuses a registration.
    let mut answers = Vec::new();
    for _ in 0..8 {
        let mut authenticator = Authenticator::new(Algorithm::EdDsa, FRONT_END);
        answers.push(authenticator.create(&ana.passkey_options().await).json());
    }
    let outcomes = join_all(answers.iter().map(|answer| {
        let mut ana = ana.clone();
        async move { ana.register_passkey(answer).await }
    }))
    .await;
    assert_eq!(outcomes.iter().filter(|answer| answer.success() == true).count(), 4, "{outcomes:?}");
    assert_eq!(ana.passkeys().await.len(), PASSKEYS_MAX);
    let mut one_more = ana.authenticator(Algorithm::Es256).await;
    assert_says(&ana.add_passkey(&mut one_more).await, TOO_MANY_PASSKEYS, "the 21st");
    assert_says(&stack.service.visitor().passkey_login(&mut first).await, LOGGED_IN, "with twenty");
    let id = ana.first_passkey().await;
    assert_says(&ana.delete_passkey(&id).await, PASSKEY_REMOVED, "removal");
    assert_says(&ana.add_passkey(&mut one_more).await, PASSKEY_CREATED, "the 20th");
}

#[tokio::test]
async fn a_front_end_at_an_ip_address_has_no_passkeys() {
    let (_stack, mut ana) = Embedded::signed_in(&[("FRONT_END_URL", "http://127.0.0.1:5173")]).await;
    for path in [paths::PASSKEY_REGISTER_OPTIONS, paths::PASSKEY_LOGIN_OPTIONS] {
        assert_says(&ana.form(path, &[]).await, INVALID_PARAMETERS, path);
    }
    assert_says(&ana.register_passkey(&json!({})).await, INVALID_PARAMETERS, "register");
    assert_says(&ana.answer_passkey(&json!({})).await, INVALID_PARAMETERS, "login");
    let listed = ana.form(paths::LIST_PASSKEYS, &[]).await.json();
    assert_eq!((&listed["passkeys"], &listed["rp_id"]), (&json!([]), &Value::Null));
    assert_says(&ana.delete_passkey("x").await, INVALID_PARAMETERS, "remove");
}

#[tokio::test]
async fn a_listed_origin_under_the_host_of_the_front_end_uses_the_same_passkeys() {
    let more = [("PASSKEY_ORIGINS", "http://localhost:8000")];
    let (stack, mut ana) = Embedded::signed_in(&more).await;
    let mut authenticator = ana.with_passkey().await;
    authenticator.origin = "http://localhost:8000".to_owned();
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "listed");
}

#[tokio::test]
async fn a_listed_origin_elsewhere_is_a_fault_of_the_settings() {
    let stack = Embedded::start(&[]).await;
    for function in ["PasskeyRegisterOptions", "PasskeyRegister", "PasskeyLoginOptions", "PasskeyLogin"] {
        let started = local::start_function(function, &stack.setup(&[("PASSKEY_ORIGINS", "https://app.example.com")]));
        let faults = started.err().map(|error| error.faults().join("\n")).unwrap_or_default();
        assert_eq!(faults, "PASSKEY_ORIGINS must be origins under the host of FRONT_END_URL");
    }
}

/// The number of times that the store attempts a transaction.
const TRIES: usize = 6;

/// The counter of the only passkey.
async fn counter(stack: &Embedded) -> u32 {
    let items = stack.items("accounts").await;
    let row = items.iter().find(|item| rows::text(item, "sk").starts_with("passkey#")).unwrap();
    row["counter"].as_n().unwrap().parse().unwrap()
}

/// Logs in with two answers that have these counters. Both are verified before either is written, and the second is
/// written first. Returns the stack and the response to the first.
async fn verified_at_once(first: u32, second: u32) -> (Embedded, Answer) {
    let (stack, _, mut authenticator) = start(&[]).await;
    let (mut slow, mut fast) = (stack.service.visitor(), stack.service.visitor());
    let mut signed = Vec::new();
    for counter in [first, second] {
        let mut answer = authenticator.get(&slow.passkey_login_options().await);
        answer.data.counter = counter;
        signed.push(authenticator.sign(&answer));
    }
    let meanwhile = async {
        assert_says(&fast.answer_passkey(&signed[1]).await, LOGGED_IN, "the second");
    };
    let outcome = held_up(&stack, 2, slow.answer_passkey(&signed[0]), meanwhile).await;
    (stack, outcome)
}

#[tokio::test]
async fn a_counter_is_compared_with_that_of_a_concurrent_login() {
    let mut outcomes = join_all([Box::pin(verified_at_once(5, 6)), Box::pin(verified_at_once(6, 5))]).await;
    let (risen, fallen) = (outcomes.pop().unwrap(), outcomes.pop().unwrap());
    assert_says(&fallen.1, INVALID_PASSKEY, "5 after 6");
    assert_eq!(counter(&fallen.0).await, 6);
    assert_says(&risen.1, LOGGED_IN, "6 after 5");
    assert_eq!(counter(&risen.0).await, 6);
}

#[tokio::test]
async fn a_login_amid_too_many_others_succeeds_and_leaves_its_browser_unknown() {
    let (stack, _, mut authenticator) = start(&[("NOTICES", "on")]).await;
    let mut phone = stack.service.visitor();
    drop(stack.table.calls());
    stack.table.fail_call_of("TransactWriteItems", 0, Failure::cancelled("TransactionConflict"), true);
    let others = async {
        let mut refused = 0;
        while refused < TRIES {
            refused += stack.table.calls().iter().filter(|call| *call == "TransactWriteItems").count();
            tokio::task::yield_now().await;
        }
        stack.table.heal();
    };
    let (login, ()) = join(phone.passkey_login(&mut authenticator), others).await;
    assert_says(&login, LOGGED_IN, "amid others");
    assert_eq!((login.known_browser(), phone.session().await.status), (None, 200));
    assert!(phone.passkey_login(&mut authenticator).await.known_browser().is_some(), "alone");
}
