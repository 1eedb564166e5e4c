//! Passkeys: creating one, logging in with it, listing and removing it.

use journeys::authenticator::ALGORITHMS;
use journeys::requests::Body;
use journeys::sentences::{
    INVALID_PARAMETERS, INVALID_PASSKEY, LOGGED_IN, NO_SESSION, PASSKEY_CREATED, PASSKEY_REFUSED, PASSKEY_REMOVED,
    assert_says,
};
use journeys::{ENDPOINTS, Endpoint, Service};
use serde_json::json;

/// The endpoints of passkeys.
fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS.iter().filter(|endpoint| endpoint.name.contains("passkey"))
}

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
        assert_says(&phone.delete_passkey(&id).await, PASSKEY_REMOVED, "removed");
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
    for endpoint in endpoints().filter(|endpoint| endpoint.broken == INVALID_PARAMETERS) {
        let takes_form = matches!(endpoint.request().body, Body::Form(_));
        let answer = if takes_form { ana.form(endpoint.path, &[]).await } else { ana.json(endpoint.path, "{}").await };
        assert_says(&answer, INVALID_PARAMETERS, endpoint.path);
    }
}

#[tokio::test]
async fn creating_listing_and_removing_passkeys_needs_a_session() {
    let mut nobody = Service::shared().visitor();
    assert_says(&nobody.register_passkey(&json!({"id": "x"})).await, NO_SESSION, "registration");
    for endpoint in endpoints().filter(|endpoint| endpoint.needs_session()) {
        assert_says(&nobody.form(endpoint.path, &[]).await, NO_SESSION, endpoint.path);
    }
}
