//! Concurrent registrations and logins with passkeys.

use futures_util::future::{join, join_all};
use journeys::sentences::{INVALID_PASSKEY, LOGGED_IN, assert_says};
use journeys::{Answer, Embedded, Failure, rows};

use super::start;
use crate::concurrency::races::held_up;

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
