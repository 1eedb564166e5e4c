//! An operator gives an account another address, or proves its address.

use journeys::Visitor;
use journeys::sentences::{INVALID_PASSKEY, LOCKED, LOGGED_IN, WRONG_CREDENTIALS, assert_says};
use serde_json::json;

use super::{OTHER, PASSWORD, ask_for_a_reset, assert_done, change, start};
use crate::support::accounts;

#[tokio::test]
async fn an_account_gets_another_address_and_the_old_one_is_told_and_can_take_it_back() {
    let (stack, mut ana) = start().await;
    let (old, new) = (ana.email.clone(), ana.new_email());
    let dry = change(&stack, &["set-email", &old, &new, "--dry-run", "--json"]).await;
    assert_eq!((dry.code, &dry.json()["changed"]), (0, &json!(false)), "{dry:?}");
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "dry run");
    let run = change(&stack, &["set-email", &old, &new, "--yes"]).await;
    assert_done(&run);
    assert_eq!(run.trail(), ["email-set intended", "email-set done"]);
    assert_eq!(ana.session().await.status, 401, "all sessions end");
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the old address");
    let mut moved = Visitor { email: new.clone(), ..ana.elsewhere() };
    assert_says(&moved.login(PASSWORD).await, LOGGED_IN, "the new address");
    // Every command finds it by its new address, and by its old one no more.
    let id = moved.session().await.user("id").to_string();
    for who in [&*new, &*id] {
        let shown = accounts(&stack, &["show", who, "--json"]).await;
        assert_eq!((&shown.json()["email"], &shown.json()["former_emails"]), (&json!(new), &json!([old])), "{shown:?}");
    }
    assert_eq!(accounts(&stack, &["find", &old]).await.code, 4);
    assert!(stack.deliver_changes().await);
    let lock = ana.lock_tokens().await.swap_remove(0);
    assert_says(&ana.elsewhere().lock(&lock).await, LOCKED, "locked");
    assert_eq!(accounts(&stack, &["find", &old, "--json"]).await.json()["id"].to_string(), id);
    assert_eq!(accounts(&stack, &["doctor", "--data"]).await.code, 0);
}

#[tokio::test]
async fn an_address_that_has_an_account_or_is_none_is_refused() {
    let (stack, ana) = start().await;
    let eva = stack.service.visitor().registered().await;
    let taken = change(&stack, &["set-email", &ana.email, &eva.email, "--yes"]).await;
    assert!(taken.code == 1 && taken.err.contains("has an account already: nothing was changed"), "{taken:?}");
    let wrong = change(&stack, &["set-email", &ana.email, "ana", "--yes"]).await;
    assert!(wrong.code == 3 && wrong.err.contains("ana is not an address"), "{wrong:?}");
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "as before");
}

#[tokio::test]
async fn the_word_of_an_operator_hands_an_unproved_account_over_to_the_owner_of_its_address() {
    let (stack, mut thief) = start().await;
    let mut authenticator = thief.with_passkey().await;
    let run = change(&stack, &["verify", &thief.email, "--yes"]).await;
    assert_done(&run);
    assert_eq!(thief.session().await.status, 401);
    assert_says(&thief.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the password");
    assert_says(&thief.elsewhere().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the passkey");
    assert_eq!(accounts(&stack, &["show", &thief.email, "--json"]).await.json()["email_verified"], 1);
    let mut owner = thief.elsewhere();
    assert_eq!(ask_for_a_reset(&mut owner).await.success(), true);
    let token = owner.mailed_tokens().await.swap_remove(0);
    assert_eq!(owner.reset(&token, OTHER).await.success(), true);
    let again = change(&stack, &["verify", &thief.email, "--yes"]).await;
    assert!(again.code == 0 && again.err.contains("already verified: nothing was changed"), "{again:?}");
    assert_says(&owner.login(OTHER).await, LOGGED_IN, "the owner keeps what came after");
}
