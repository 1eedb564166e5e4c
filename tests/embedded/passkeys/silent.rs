//! Passkeys that a browser creates without a question, right after a login.

use std::time::Duration;

use journeys::authenticator::{AT, Algorithm, UP, UV};
use journeys::sentences::{
    INVALID_PARAMETERS, INVALID_PASSKEY, LOGGED_IN, PASSKEY_CREATED, PASSKEY_REFUSED, UNPROVED, assert_says,
};
use journeys::{Embedded, paths};
use serde_json::json;

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

#[tokio::test]
async fn only_a_silent_creation_needs_no_user_who_is_present_or_verified() {
    let stack = Embedded::start(&[]).await;
    for flags in [AT, UP | AT, UV | AT, UP | UV | AT] {
        let mut ana = stack.service.visitor().signed_in().await;
        let mut authenticator = ana.authenticator(Algorithm::Es256).await;
        let asked = ana.passkey_options().await;
        assert_eq!(asked["publicKey"]["authenticatorSelection"]["userVerification"], "required");
        let mut answer = authenticator.create(&asked);
        answer.data.flags = flags;
        let expected = if flags == UP | UV | AT { PASSKEY_CREATED } else { PASSKEY_REFUSED };
        assert_says(&ana.register_passkey(&answer.json()).await, expected, format!("asked, {flags}"));

        let mut authenticator = ana.authenticator(Algorithm::Es256).await;
        let silent = ana.silent_passkey_options().await;
        assert_eq!(silent["publicKey"]["authenticatorSelection"]["userVerification"], "preferred");
        assert_eq!(silent["publicKey"]["authenticatorSelection"]["residentKey"], "required");
        let mut answer = authenticator.create(&silent);
        answer.data.flags = flags;
        assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, format!("silent, {flags}"));
    }
}

#[tokio::test]
async fn a_login_with_a_silent_passkey_still_needs_a_user_who_is_present_and_verified() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let mut answer = authenticator.create(&ana.silent_passkey_options().await);
    answer.data.flags = AT;
    assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, "created");
    let mut device = stack.service.visitor();
    for flags in [0, UP, UV] {
        let mut answer = authenticator.get(&device.passkey_login_options().await);
        answer.data.flags = flags;
        assert_says(&device.answer_passkey(&authenticator.sign(&answer)).await, INVALID_PASSKEY, flags);
    }
    assert_says(&device.passkey_login(&mut authenticator).await, LOGGED_IN, "present and verified");
}

#[tokio::test]
async fn a_silent_creation_needs_a_recent_proof_and_its_owner_is_notified() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let wrong = ana.form(paths::PASSKEY_REGISTER_OPTIONS, &[("silent", "yes")]).await;
    assert_says(&wrong, INVALID_PARAMETERS, "another word");
    let mut answer = authenticator.create(&ana.silent_passkey_options().await);
    answer.data.flags = AT;
    assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, "after a login");
    assert!(stack.deliver_changes().await);
    ana.first_letter("Tu cuenta tiene una llave de acceso nueva").await;
    stack.advance(Duration::from_secs(901));
    let late = ana.form(paths::PASSKEY_REGISTER_OPTIONS, &[("silent", "on")]).await;
    assert_says(&late, UNPROVED, "later");
}

#[tokio::test]
async fn a_passkey_without_a_name_has_that_of_its_browser() {
    let (_stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let credential = authenticator.create(&ana.silent_passkey_options().await).json();
    let body = json!({"credential": credential}).to_string();
    let request = ana.request(paths::PASSKEY_REGISTER).header("user-agent", FIREFOX);
    let created = ana.send(request.header("content-type", "application/json").body(body)).await;
    assert_says(&created, PASSKEY_CREATED, "created");
    assert_eq!(ana.passkeys().await[0]["name"], "Firefox en Linux");
}
