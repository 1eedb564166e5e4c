//! Setting a new password with a mailed token.

use journeys::sentences::{
    INVALID_TOKEN, LOGGED_IN, NO_SESSION, PASSWORDS_DIFFER, RESET, WEAK, WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service, paths};

use crate::fields::{NEW_PASSWORD, WEAK_PASSWORDS};

#[tokio::test]
async fn a_reset_sets_the_new_password() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    let answer = ana.reset(&token, NEW_PASSWORD).await;
    assert_says(&answer, RESET, "answer");
    assert_says(&ana.login(PASSWORD).await, WRONG_CREDENTIALS, "the old one");
    assert_says(&ana.login(NEW_PASSWORD).await, LOGGED_IN, "the new one");
}

#[tokio::test]
async fn a_reset_opens_no_session() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    assert!(ana.reset(&token, NEW_PASSWORD).await.set_cookies().is_empty());
    assert_says(&ana.session().await, NO_SESSION, "session");
}

#[tokio::test]
async fn a_reset_ends_every_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut phone = ana.elsewhere();
    phone.login(PASSWORD).await;
    let token = ana.reset_token().await;
    assert_says(&ana.reset(&token, NEW_PASSWORD).await, RESET, "reset");
    for device in [&mut ana, &mut phone] {
        assert_says(&device.session().await, NO_SESSION, "session");
    }
}

#[tokio::test]
async fn a_used_token_is_refused() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    ana.reset(&token, NEW_PASSWORD).await;
    let answer = ana.reset(&token, "Otra-Clave-3").await;
    assert_says(&answer, INVALID_TOKEN, "answer");
    assert_says(&ana.login(NEW_PASSWORD).await, LOGGED_IN, "the password of the first use");
}

#[tokio::test]
async fn a_weak_or_mismatched_password_keeps_the_token() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    for weak in WEAK_PASSWORDS {
        assert_says(&ana.reset(&token, weak).await, WEAK, weak);
    }
    for other in ["", "nueva-Clave-2", "Nueva-Clave-2 ", "Nueva-Clave-22"] {
        let fields = [("token", token.as_str()), ("new_password", NEW_PASSWORD), ("confirm_password", other)];
        assert_says(&ana.form(paths::RESET_PASSWORD, &fields).await, PASSWORDS_DIFFER, other);
    }
    let fields = [("token", token.as_str()), ("new_password", NEW_PASSWORD)];
    let answer = ana.form(paths::RESET_PASSWORD, &fields).await;
    assert_says(&answer, PASSWORDS_DIFFER, "answer");
    assert_says(&ana.reset(&token, NEW_PASSWORD).await, RESET, "a good one");
}

#[tokio::test]
async fn the_password_is_checked_before_the_token() {
    let mut nobody = Service::shared().visitor();
    assert_says(&nobody.reset("x", "weak").await, WEAK, "weak");
    let fields = [("token", "x"), ("new_password", NEW_PASSWORD), ("confirm_password", "other")];
    assert_says(&nobody.form(paths::RESET_PASSWORD, &fields).await, PASSWORDS_DIFFER, "mismatch");
    assert_says(&nobody.reset("x", NEW_PASSWORD).await, INVALID_TOKEN, "token");
    assert_says(&nobody.form(paths::RESET_PASSWORD, &[]).await, WEAK, "nothing");
}

#[tokio::test]
async fn any_text_other_than_a_live_token_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.reset_token().await;
    let cookie = ana.cookie.clone().unwrap_or_default();
    let session = cookie.split_once('=').unwrap_or_default().1;
    let (head, tail) = token.split_at(token.len() - 8);
    let reversed: String = tail.chars().rev().collect();
    let long = "A".repeat(100_000);
    for miss in [
        "",
        "' OR 1=1 --",
        head,
        session,
        &long,
        &format!(" {token}"),
        &format!("{token}A"),
        &format!("{token}\0"),
        &format!("{head}{reversed}"),
        &token.to_uppercase(),
    ] {
        assert_says(&ana.reset(miss, NEW_PASSWORD).await, INVALID_TOKEN, miss);
    }
    let fields = [("new_password", NEW_PASSWORD), ("confirm_password", NEW_PASSWORD)];
    assert_says(&ana.form(paths::RESET_PASSWORD, &fields).await, INVALID_TOKEN, "no token");
    assert_says(&ana.reset(&token, NEW_PASSWORD).await, RESET, "the token itself");
}

#[tokio::test]
async fn a_token_resets_the_account_it_was_mailed_for_and_no_other() {
    let (mut ana, mut eva) =
        (Service::shared().visitor().registered().await, Service::shared().visitor().registered().await);
    let token = ana.reset_token().await;
    let email = eva.email.clone();
    let fields = [
        ("token", token.as_str()),
        ("new_password", NEW_PASSWORD),
        ("confirm_password", NEW_PASSWORD),
        ("email", email.as_str()),
    ];
    assert_says(&eva.form(paths::RESET_PASSWORD, &fields).await, RESET, "reset");
    assert_says(&eva.login(PASSWORD).await, LOGGED_IN, "the other account");
    assert_says(&ana.login(NEW_PASSWORD).await, LOGGED_IN, "the account");
}
