//! The removal of the link to Google.

use journeys::authenticator::ALGORITHMS;
use journeys::sentences::{
    GOOGLE_UNLINKED, INVALID_PARAMETERS, LOGGED_IN, NO_SESSION, ONLY_WAY_IN, PASSKEY_CREATED, assert_says,
};
use journeys::{PASSWORD, Service, Visitor, paths};
use serde_json::json;

const OTHER_PASSWORD: &str = "OtraClave2";

/// The owner of an account with a password and a link to the identity `sub`, with a session that Google opened.
async fn linked(sub: &str) -> Visitor {
    let mut ana = Service::shared().visitor().registered().await;
    ana.reset_to(OTHER_PASSWORD).await;
    assert_eq!(ana.google(json!({"sub": sub})).await.json()["status"], "exists");
    ana
}

#[tokio::test]
async fn unlinking_google_ends_all_other_sessions_and_keeps_the_password() {
    let mut ana = linked(&Service::shared().visitor().email).await;
    let mut other = ana.elsewhere();
    assert_says(&other.login(OTHER_PASSWORD).await, LOGGED_IN, "another session");
    let before = ana.clone();
    let unlinked = ana.form(paths::UNLINK_GOOGLE, &[]).await;
    assert_says(&unlinked, GOOGLE_UNLINKED, "unlinked");
    assert!(unlinked.opened().is_some() && ana.session().await.status == 200, "the caller gets a new session");
    for mut ended in [before, other] {
        assert_says(&ended.session().await, NO_SESSION, "ended");
    }
    assert_says(&ana.form(paths::UNLINK_GOOGLE, &[]).await, INVALID_PARAMETERS, "twice");
    assert_says(&ana.elsewhere().login(OTHER_PASSWORD).await, LOGGED_IN, "password");
}

#[tokio::test]
async fn an_unlinked_identity_opens_nothing_by_itself_and_the_address_of_the_account_links_it_again() {
    let mut ana = linked(&Service::shared().visitor().email).await;
    let id = ana.session().await.user("id");
    let sub = format!("second-{}", ana.email);
    assert_eq!(ana.google(json!({"sub": sub})).await.json()["status"], "exists");
    let mut authenticator = ana.authenticator(ALGORITHMS[0]).await;
    assert_says(&ana.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "created");
    assert_says(&ana.form(paths::UNLINK_GOOGLE, &[]).await, GOOGLE_UNLINKED, "unlinked");
    let other_address = Service::shared().visitor().google(json!({"sub": sub})).await;
    assert_eq!(other_address.json()["status"], "inserted", "an account of its own");
    let mut owner = ana.elsewhere();
    let linked = owner.google(json!({"sub": format!("third-{}", ana.email)})).await;
    assert_eq!((linked.json()["status"].clone(), linked.user("id")), (json!("exists"), id));
    assert_eq!(ana.session().await.status, 200, "a link of a verified address ends nothing");
}

#[tokio::test]
async fn google_stays_linked_while_nothing_else_opens_the_account() {
    let mut ana = Service::shared().visitor();
    ana.google(json!({})).await;
    assert_says(&ana.form(paths::UNLINK_GOOGLE, &[]).await, ONLY_WAY_IN, "neither password nor passkey");
    assert_eq!(ana.session().await.status, 200);
    let mut authenticator = ana.with_passkey().await;
    assert_says(&ana.form(paths::UNLINK_GOOGLE, &[]).await, GOOGLE_UNLINKED, "with a passkey");
    assert_says(&ana.elsewhere().passkey_login(&mut authenticator).await, LOGGED_IN, "passkey");
}

#[tokio::test]
async fn an_account_that_is_not_linked_has_nothing_to_unlink() {
    let mut ana = Service::shared().visitor().signed_in().await;
    assert_says(&ana.form(paths::UNLINK_GOOGLE, &[]).await, INVALID_PARAMETERS, "not linked");
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "password");
}
