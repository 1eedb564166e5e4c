//! Concurrent registrations and logins with passkeys.

use futures_util::future::{join, join_all};
use journeys::authenticator::Algorithm;
use journeys::sentences::{INVALID_PASSKEY, LOGGED_IN, PASSKEY_CREATED, PASSKEY_REFUSED, assert_says, owned_sentence};
use journeys::{Answer, Embedded, Failure};

use super::with_passkey;
use crate::concurrency::races::held_up;
use journeys::rows;

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
    let stack = Embedded::start(&[]).await;
    let (_, mut authenticator) = with_passkey(&stack).await;
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
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    let (_, mut authenticator) = with_passkey(&stack).await;
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

#[tokio::test]
async fn of_two_first_passkeys_at_once_one_is_stored_and_the_other_can_be_created_again() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let mut tabs = Vec::new();
    for _ in 0..2 {
        let mut device = ana.authenticator(Algorithm::Es256).await;
        let answer = device.create(&ana.passkey_options().await).json();
        tabs.push((device, answer));
    }
    assert_ne!(tabs[0].0.user, tabs[1].0.user, "each tab has a handle of its own");
    let outcomes = join_all(tabs.iter().map(|(_, answer)| {
        let mut tab = ana.clone();
        async move { tab.register_passkey(answer).await.sentence() }
    }))
    .await;
    let is_first_stored = outcomes[0] == owned_sentence(PASSKEY_CREATED);
    assert_eq!(outcomes[usize::from(!is_first_stored)], owned_sentence(PASSKEY_CREATED));
    assert_eq!(outcomes[usize::from(is_first_stored)], owned_sentence(PASSKEY_REFUSED));
    assert_eq!(ana.passkeys().await.len(), 1);
    let (mut second, mut first) = (tabs.pop().unwrap().0, tabs.pop().unwrap().0);
    let (stored, refused) = if is_first_stored { (&mut first, &mut second) } else { (&mut second, &mut first) };
    assert_says(&stack.service.visitor().passkey_login(stored).await, LOGGED_IN, "the stored one");
    assert_says(&stack.service.visitor().passkey_login(refused).await, INVALID_PASSKEY, "the refused one");
    assert_says(&ana.add_passkey(refused).await, PASSKEY_CREATED, "again");
    assert_eq!(refused.user, stored.user, "both are of one account");
}
