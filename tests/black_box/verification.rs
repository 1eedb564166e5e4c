//! The verification of an address: the mail with the link, and its token.

use journeys::sentences::{INVALID_TOKEN, VERIFICATION_SENT, VERIFIED, VERIFIED_ALREADY, assert_says};
use journeys::{PASSWORD, Service, paths};
use serde_json::json;

use crate::reset::front_end;

#[tokio::test]
async fn the_mail_has_a_link_of_the_front_end_and_the_answer_sets_no_cookie() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let answer = ana.form(paths::SEND_VERIFICATION, &[]).await;
    assert_says(&answer, VERIFICATION_SENT, "the first");
    assert!(answer.set_cookies().is_empty());
    let mails = ana.service.mails(&ana.email).await;
    let text = mails[0]["text"].as_str().unwrap();
    let link = format!("{}/verificar?token=", front_end(&ana.service).await);
    assert!(text.contains(&link) && !text.contains("Ana García"), "{text}");
}

#[tokio::test]
async fn a_verified_address_gets_no_mail() {
    let mut ana = Service::shared().visitor().signed_in().await;
    ana.prove_address().await;
    let mails = ana.service.mails(&ana.email).await.len();
    assert_says(&ana.form(paths::SEND_VERIFICATION, &[]).await, VERIFIED_ALREADY, "verified");
    assert_eq!(ana.service.mails(&ana.email).await.len(), mails);
}

#[tokio::test]
async fn a_token_verifies_the_address_once_and_opens_no_session() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.verification_token().await;
    let mut other_device = ana.elsewhere();
    let answer = other_device.verify(&token).await;
    assert_says(&answer, VERIFIED, "first");
    assert!(answer.set_cookies().is_empty());
    // Its owner learns what opens the account: the session that asked for the link, and no passkey.
    assert_eq!((&answer.json()["sessions"], &answer.json()["passkeys"]), (&json!(1), &json!(0)));
    assert_says(&other_device.verify(&token).await, INVALID_TOKEN, "again");
    // The address is verified now, so linking the account to Google keeps its password.
    assert_eq!(ana.elsewhere().google(json!({})).await.json()["status"], "exists");
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn the_newest_link_replaces_the_older_ones() {
    let mut ana = Service::shared().visitor().registered().await;
    let (older, newer) = (ana.verification_token().await, ana.verification_token().await);
    assert_says(&ana.verify(&older).await, INVALID_TOKEN, "older");
    assert_says(&ana.verify(&newer).await, VERIFIED, "newer");
}

#[tokio::test]
async fn a_token_of_another_kind_or_with_the_secret_of_another_account_verifies_nothing() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let reset = ana.reset_token().await;
    let verification = ana.verification_token().await;
    let session = ana.cookie.clone().unwrap_or_default();
    let session = session.split_once('=').map_or("", |(_, token)| token).to_owned();
    let of_bob = Service::shared().visitor().registered().await.verification_token().await;
    let (key, secret) = (verification.split_once('.').unwrap().0, of_bob.split_once('.').unwrap().1);
    let secret_of_bob = format!("{key}.{secret}");
    for token in ["", "x", &reset, &session, &secret_of_bob] {
        assert_says(&ana.elsewhere().verify(token).await, INVALID_TOKEN, token);
    }
    let reset_with_it = ana.elsewhere().reset(&verification, "Otra1234").await;
    assert_says(&reset_with_it, INVALID_TOKEN, "a verification sets no password");
    assert_says(&ana.verify(&verification).await, VERIFIED, "its own");
}
