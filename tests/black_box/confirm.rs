//! A proof of who the caller is, and the lock of an account with the link of a notice.

use journeys::sentences::{
    CONFIRMED, INVALID_PARAMETERS, INVALID_PASSKEY, INVALID_TOKEN, LOCKED, LOGGED_IN, NOT_CONFIRMED, RESET,
    WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service, paths};
use serde_json::json;

const OTHER: &str = "Otra1234";

#[tokio::test]
async fn the_password_confirms_and_a_wrong_or_missing_one_does_not() {
    let mut ana = Service::shared().visitor().signed_in().await;
    assert_says(&ana.confirm(PASSWORD).await, CONFIRMED, "right");
    for wrong in [OTHER, "corta", " Secreto123"] {
        assert_says(&ana.confirm(wrong).await, NOT_CONFIRMED, wrong);
    }
    assert_says(&ana.confirm("").await, INVALID_PARAMETERS, "none");
    assert_says(&ana.form(paths::CONFIRM, &[]).await, INVALID_PARAMETERS, "no field");
    for body in ["{}", r#"{"credential":7}"#, r#"{"credential":null}"#, "x"] {
        assert_says(&ana.json(paths::CONFIRM, body).await, INVALID_PARAMETERS, body);
    }
    for (password, sentence) in [(PASSWORD, CONFIRMED), (OTHER, NOT_CONFIRMED), ("", INVALID_PARAMETERS)] {
        let body = json!({"password": password});
        assert_says(&ana.json(paths::CONFIRM, body.to_string()).await, sentence, &body);
        let both = json!({"password": password, "credential": "x"}).to_string();
        assert_says(&ana.json(paths::CONFIRM, both).await, INVALID_PARAMETERS, "with a credential");
    }
    assert_eq!(ana.session().await.status, 200, "a refusal ends nothing");
}

#[tokio::test]
async fn a_passkey_of_the_account_confirms_once_for_each_challenge_and_one_of_another_account_never() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut eva = Service::shared().visitor().signed_in().await;
    let (mut own, mut hers) = (ana.with_passkey().await, eva.with_passkey().await);
    let answer = own.get(&ana.passkey_login_options().await);
    let body = json!({"credential": own.sign(&answer)}).to_string();
    assert_says(&ana.json(paths::CONFIRM, body.clone()).await, CONFIRMED, "own");
    assert_says(&ana.json(paths::CONFIRM, body).await, NOT_CONFIRMED, "the same answer again");
    let answer = hers.get(&ana.passkey_login_options().await);
    let body = json!({"credential": hers.sign(&answer)}).to_string();
    assert_says(&ana.json(paths::CONFIRM, body).await, NOT_CONFIRMED, "another account's");
    assert_says(&ana.json(paths::CONFIRM, r#"{"credential":{}}"#).await, NOT_CONFIRMED, "no answer of a passkey");
}

#[tokio::test]
async fn the_link_of_a_notice_locks_the_account_once_and_mails_a_reset_link() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut thief = ana.on_another_device().await;
    let mut authenticator = thief.with_passkey().await;
    let lock = ana.lock_token().await;
    let reset = ana.reset_token().await;

    let mut nobody = ana.elsewhere();
    let locked = nobody.lock(&lock).await;
    assert_says(&locked, LOCKED, "locked");
    assert!(locked.set_cookies().is_empty(), "it opens nothing");
    for visitor in [&mut ana, &mut thief] {
        assert_eq!(visitor.session().await.status, 401);
    }
    assert_says(&thief.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the password");
    assert_says(&thief.elsewhere().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the passkey");
    assert_says(&thief.reset(&reset, OTHER).await, INVALID_TOKEN, "the older link");
    assert_says(&nobody.lock(&lock).await, INVALID_TOKEN, "again");

    let token = ana.newest_token().await;
    assert_says(&nobody.reset(&token, OTHER).await, RESET, "the mailed link");
    assert_says(&nobody.login(OTHER).await, LOGGED_IN, "the owner");
}

#[tokio::test]
async fn any_text_other_than_the_live_link_of_a_notice_locks_nothing() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let (lock, reset) = (ana.lock_token().await, ana.reset_token().await);
    let mut eva = Service::shared().visitor().signed_in().await;
    let of_eva = eva.lock_token().await;
    let mixed = format!("{}.{}", lock.split_once('.').unwrap().0, of_eva.split_once('.').unwrap().1);
    for token in ["", "x", &lock[1..], &reset, &mixed] {
        assert_says(&ana.elsewhere().lock(token).await, INVALID_TOKEN, token);
    }
    assert_eq!((ana.session().await.status, eva.session().await.status), (200, 200));
    assert_says(&ana.elsewhere().reset(&lock, OTHER).await, INVALID_TOKEN, "the link of a notice resets nothing");
}

#[tokio::test]
async fn a_reset_removes_the_passkeys_if_the_owner_asks_for_it() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut authenticator = ana.with_passkey().await;
    ana.prove_address().await;
    let token = ana.reset_token().await;
    assert_says(&ana.reset_with(&token, OTHER, "remove").await, RESET, "removed");
    assert_says(&ana.elsewhere().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the passkey");
}
