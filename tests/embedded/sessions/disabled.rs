//! A disabled account: nobody can sign in to it, and no answer shows that it is disabled.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{
    EMAIL_TAKEN, INVALID_CREDENTIAL, INVALID_TOKEN, LOGGED_IN, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, UNKNOWN_EMAIL,
    WRONG_CREDENTIALS, assert_says,
};
use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::json;

use journeys::rows;

/// A password that differs from [`PASSWORD`].
const OTHER: &str = "Otra1234";

async fn disable(stack: &Embedded, ana: &Visitor) {
    let now = AttributeValue::N(stack.now().seconds().to_string());
    let profile = rows::profile(stack, &ana.email).await.unwrap();
    rows::put(stack, rows::with(&profile, "disabled_at", Some(now))).await;
}

async fn enable(stack: &Embedded, ana: &Visitor) {
    let profile = rows::profile(stack, &ana.email).await.unwrap();
    rows::put(stack, rows::with(&profile, "disabled_at", None)).await;
}

/// A visitor with a session, whose account is disabled afterwards.
async fn disabled() -> (Embedded, Visitor) {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    disable(&stack, &ana).await;
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
    let (_stack, ana) = disabled().await;
    assert_says(&ana.elsewhere().google(json!({})).await, INVALID_CREDENTIAL, "not linked");
    let stack = Embedded::start(&[]).await;
    let mut eva = stack.service.visitor();
    assert_eq!(eva.google(json!({"sub": "31"})).await.status, 200);
    disable(&stack, &eva).await;
    assert_says(&eva.elsewhere().google(json!({"sub": "31"})).await, INVALID_CREDENTIAL, "linked");
    let moved = Visitor { email: format!("new-{}", eva.email), ..eva.elsewhere() };
    assert_says(&moved.elsewhere().google(json!({"sub": "31"})).await, INVALID_CREDENTIAL, "from another address");
    assert!(rows::profile(&stack, &moved.email).await.is_none());
}

#[tokio::test]
async fn a_google_login_in_redirect_mode_to_a_disabled_account_ends_at_the_login_page() {
    let (stack, ana) = disabled().await;
    let credential = ana.credential(json!({})).await;
    let page = stack.service.request("POST", paths::GOOGLE_REDIRECT).header("cookie", "g_csrf_token=x");
    let answer = stack.service.send(page.form(&[("credential", &*credential), ("g_csrf_token", "x")])).await;
    assert_eq!(answer.status, 303);
    assert!(answer.header("location").ends_with("/login?error=google"), "{answer:?}");
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
}

#[tokio::test]
async fn a_session_of_a_disabled_account_is_dead() {
    let (_stack, mut ana) = disabled().await;
    assert_says(&ana.session().await, NO_SESSION, "session");
}

#[tokio::test]
async fn the_settings_of_a_disabled_account_cannot_be_changed() {
    let (stack, ana) = disabled().await;
    let before = rows::profile(&stack, &ana.email).await;
    assert_says(&ana.clone().form(paths::USER_CONFIG, &[("name", "Eva")]).await, NO_SESSION, "settings");
    assert_eq!(rows::profile(&stack, &ana.email).await, before);
}

#[tokio::test]
async fn the_holder_of_a_session_cannot_delete_a_disabled_account() {
    let (stack, ana) = disabled().await;
    assert_says(&ana.clone().form(paths::DELETE_ACCOUNT, &[]).await, NO_SESSION_EMAIL, "deletion");
    assert!(rows::profile(&stack, &ana.email).await.is_some());
}

#[tokio::test]
async fn a_disabled_account_gets_no_reset_mail() {
    let (stack, ana) = disabled().await;
    let email = ana.email.clone();
    let asked = ana.elsewhere().form(paths::SEND_RESET_LINK, &[("email", &email)]).await;
    assert_says(&asked, UNKNOWN_EMAIL, "reset link");
    assert!(stack.mail.calls().is_empty());
}

#[tokio::test]
async fn a_reset_token_of_a_disabled_account_is_refused() {
    let (stack, ana) = disabled().await;
    let token = rows::reset_token(&stack, &ana).await;
    assert_says(&ana.elsewhere().reset(&token, OTHER).await, INVALID_TOKEN, "reset");
    enable(&stack, &ana).await;
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "the password has not changed");
}

#[tokio::test]
async fn the_address_of_a_disabled_account_cannot_be_registered_again() {
    let (_stack, ana) = disabled().await;
    assert_says(&ana.elsewhere().register().await, EMAIL_TAKEN, "registration");
}

#[tokio::test]
async fn a_session_of_a_disabled_account_can_be_logged_out() {
    let (stack, ana) = disabled().await;
    assert_says(&ana.clone().form(paths::LOGOUT, &[]).await, LOGGED_OUT, "logout");
    assert!(rows::sessions(&stack, &ana.email).await.is_empty());
}

#[tokio::test]
async fn an_account_that_is_enabled_again_lets_its_owner_in() {
    let (stack, ana) = disabled().await;
    enable(&stack, &ana).await;
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "login");
    assert_eq!(ana.elsewhere().google(json!({})).await.status, 200);
}
