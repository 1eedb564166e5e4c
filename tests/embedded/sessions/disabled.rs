//! A disabled account: nobody can sign in to it, and no answer shows that it is disabled.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{
    EMAIL_TAKEN, INVALID_CREDENTIAL, INVALID_TOKEN, LOGGED_IN, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, UNKNOWN_EMAIL,
    WRONG_CREDENTIALS, assert_says,
};
use journeys::{Embedded, PASSWORD, Visitor, paths, rows};
use serde_json::json;

/// A password that differs from [`PASSWORD`].
const OTHER: &str = "Otra1234";

/// Disables an account, or enables it again.
async fn set_disabled(stack: &Embedded, ana: &Visitor, is_disabled: bool) {
    let now = AttributeValue::N(stack.now().seconds().to_string());
    let profile = rows::profile(stack, &ana.email).await.unwrap();
    rows::put(stack, rows::with(&profile, "disabled_at", is_disabled.then_some(now))).await;
}

/// A visitor with a session, whose account is disabled afterwards.
async fn disabled() -> (Embedded, Visitor) {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    set_disabled(&stack, &ana, true).await;
    (stack, ana)
}

#[tokio::test]
async fn the_login_of_a_disabled_account_is_answered_like_a_wrong_password() {
    let (_stack, ana) = disabled().await;
    let (right, wrong) = (ana.elsewhere().login(PASSWORD).await, ana.elsewhere().login(OTHER).await);
    assert_says(&right, WRONG_CREDENTIALS, "login");
    assert_eq!(right.whole(), wrong.whole());
}

#[tokio::test]
async fn a_google_login_to_a_disabled_account_is_refused() {
    let (stack, ana) = disabled().await;
    assert_says(&ana.elsewhere().google(json!({})).await, INVALID_CREDENTIAL, "not linked");
    let page = ana.google_page(json!({})).await;
    assert!(page.status == 303 && page.header("location").ends_with("/login?error=google"), "{page:?}");
    assert!(page.set_cookies().is_empty(), "{page:?}");
    let mut eva = stack.service.visitor();
    assert_eq!(eva.google(json!({"sub": "31"})).await.status, 200);
    set_disabled(&stack, &eva, true).await;
    assert_says(&eva.elsewhere().google(json!({"sub": "31"})).await, INVALID_CREDENTIAL, "linked");
    let moved = Visitor { email: format!("new-{}", eva.email), ..eva.elsewhere() };
    assert_says(&moved.elsewhere().google(json!({"sub": "31"})).await, INVALID_CREDENTIAL, "from another address");
    assert!(rows::profile(&stack, &moved.email).await.is_none());
}

#[tokio::test]
async fn a_session_of_a_disabled_account_is_dead() {
    let (stack, mut ana) = disabled().await;
    let before = rows::profile(&stack, &ana.email).await;
    assert_says(&ana.session().await, NO_SESSION, "session");
    assert_says(&ana.form(paths::USER_CONFIG, &[("name", "Eva")]).await, NO_SESSION, "settings");
    assert_says(&ana.form(paths::DELETE_ACCOUNT, &[]).await, NO_SESSION_EMAIL, "deletion");
    assert_eq!(rows::profile(&stack, &ana.email).await, before);
    assert_says(&ana.form(paths::LOGOUT, &[]).await, LOGGED_OUT, "logout");
    assert!(rows::sessions(&stack, &ana.email).await.is_empty());
}

#[tokio::test]
async fn a_disabled_account_gets_no_reset_mail_and_its_address_cannot_be_registered() {
    let (stack, ana) = disabled().await;
    let asked = ana.elsewhere().form(paths::SEND_RESET_LINK, &[("email", &ana.email)]).await;
    assert_says(&asked, UNKNOWN_EMAIL, "reset link");
    assert!(stack.mail.calls().is_empty());
    assert_says(&ana.elsewhere().register().await, EMAIL_TAKEN, "registration");
}

#[tokio::test]
async fn a_disabled_account_refuses_its_reset_token_and_lets_its_owner_in_when_it_is_enabled_again() {
    let (stack, ana) = disabled().await;
    let token = rows::reset_token(&stack, &ana).await;
    assert_says(&ana.elsewhere().reset(&token, OTHER).await, INVALID_TOKEN, "reset");
    set_disabled(&stack, &ana, false).await;
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "the password has not changed");
    assert_eq!(ana.elsewhere().google(json!({})).await.status, 200);
}
