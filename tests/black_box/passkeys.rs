//! Passkeys: creating one, logging in with it, listing and removing it.

use journeys::authenticator::ALGORITHMS;
use journeys::sentences::{INVALID_PASSKEY, LOGGED_IN, NO_SESSION, PASSKEY_CREATED, PASSKEY_REMOVED, assert_says};
use journeys::{PASSWORD, Service};

#[tokio::test]
async fn a_passkey_opens_a_session_until_it_is_removed() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let password = ana.elsewhere().login(PASSWORD).await;
    for algorithm in ALGORITHMS {
        let mut authenticator = ana.authenticator(algorithm).await;
        assert_says(&ana.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "created");
        let mut phone = ana.elsewhere();
        let login = phone.passkey_login(&mut authenticator).await;
        assert_says(&login, LOGGED_IN, "login");
        assert_eq!(login.json(), password.json());
        assert_eq!(phone.session().await.json()["user"], password.json()["user"]);
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
