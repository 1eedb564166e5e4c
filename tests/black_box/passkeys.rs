//! Passkeys: creating one, logging in with it, listing and removing it.

use journeys::authenticator::ALGORITHMS;
use journeys::sentences::{
    INVALID_PARAMETERS, INVALID_PASSKEY, LOGGED_IN, NO_SESSION, PASSKEY_CREATED, PASSKEY_REFUSED, PASSKEY_REMOVED,
    assert_says,
};
use journeys::{Service, paths};
use serde_json::json;

#[tokio::test]
async fn a_passkey_opens_a_session_until_it_is_removed() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for algorithm in ALGORITHMS {
        let mut authenticator = ana.authenticator(algorithm).await;
        assert_says(&ana.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "created");
        let mut phone = ana.elsewhere();
        let login = phone.passkey_login(&mut authenticator).await;
        assert_says(&login, LOGGED_IN, "login");
        assert_eq!(login.user("email"), ana.email);
        assert_eq!(phone.session().await.user("email"), ana.email);
        let id = phone.first_passkey().await;
        assert_says(&phone.form(paths::REMOVE_PASSKEY, &[("id", &id)]).await, PASSKEY_REMOVED, "removed");
        assert_says(&ana.elsewhere().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "login, removed");
    }
}

#[tokio::test]
async fn a_login_with_a_passkey_ends_the_session_that_it_presents() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut authenticator = ana.with_passkey().await;
    let before = ana.clone();
    assert_says(&ana.passkey_login(&mut authenticator).await, LOGGED_IN, "login");
    assert_ne!(ana.cookie, before.cookie);
    assert_says(&before.clone().session().await, NO_SESSION, "the session before");
}

#[tokio::test]
async fn a_request_without_an_authenticators_answer_or_a_passkeys_id_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    assert_says(&ana.register_passkey(&json!({"id": "x"})).await, PASSKEY_REFUSED, "registration");
    assert_says(&ana.answer_passkey(&json!({"id": "x"})).await, INVALID_PASSKEY, "login");
    for path in [paths::PASSKEY_REGISTER, paths::PASSKEY_LOGIN] {
        assert_says(&ana.json(path, "{}").await, INVALID_PARAMETERS, path);
    }
    assert_says(&ana.form(paths::REMOVE_PASSKEY, &[]).await, INVALID_PARAMETERS, "removal");
}

#[tokio::test]
async fn creating_listing_and_removing_passkeys_needs_a_session() {
    let mut nobody = Service::shared().visitor();
    assert_says(&nobody.register_passkey(&json!({"id": "x"})).await, NO_SESSION, "registration");
    for path in [paths::PASSKEY_REGISTER_OPTIONS, paths::LIST_PASSKEYS, paths::REMOVE_PASSKEY] {
        assert_says(&nobody.form(path, &[]).await, NO_SESSION, path);
    }
}
