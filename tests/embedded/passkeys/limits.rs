//! The number of passkeys of an account, and the origins that may use them.

use futures_util::future::join_all;
use journeys::authenticator::{Algorithm, Authenticator};
use journeys::sentences::{
    INVALID_PARAMETERS, LOGGED_IN, PASSKEY_CREATED, PASSKEY_REMOVED, TOO_MANY_PASSKEYS, assert_says,
};
use journeys::{Embedded, FRONT_END, paths};
use serde_json::{Value, json};
use shared::store::PASSKEYS_MAX;

#[tokio::test]
async fn an_account_has_at_most_20_passkeys_even_if_they_are_created_at_once() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut first = ana.with_passkey().await;
    for _ in 0..PASSKEYS_MAX - 5 {
        ana.with_passkey().await;
    }
    // The user handle exists since the first passkey, so only the limit refuses a registration.
    let mut answers = Vec::new();
    for _ in 0..8 {
        let mut authenticator = Authenticator::new(Algorithm::EdDsa, FRONT_END);
        answers.push(authenticator.create(&ana.passkey_options().await).json());
    }
    let outcomes = join_all(answers.iter().map(|answer| {
        let mut ana = ana.clone();
        async move { ana.register_passkey(answer).await }
    }))
    .await;
    assert_eq!(outcomes.iter().filter(|answer| answer.success() == true).count(), 4, "{outcomes:?}");
    assert_eq!(ana.passkeys().await.len(), PASSKEYS_MAX);
    let mut one_more = ana.authenticator(Algorithm::Es256).await;
    assert_says(&ana.add_passkey(&mut one_more).await, TOO_MANY_PASSKEYS, "the 21st");
    assert_says(&stack.service.visitor().passkey_login(&mut first).await, LOGGED_IN, "with twenty");
    let id = ana.first_passkey().await;
    assert_says(&ana.delete_passkey(&id).await, PASSKEY_REMOVED, "removal");
    assert_says(&ana.add_passkey(&mut one_more).await, PASSKEY_CREATED, "the 20th");
}

#[tokio::test]
async fn a_front_end_at_an_ip_address_has_no_passkeys() {
    let (_stack, mut ana) = Embedded::signed_in(&[("FRONT_END_URL", "http://127.0.0.1:5173")]).await;
    for path in [paths::PASSKEY_REGISTER_OPTIONS, paths::PASSKEY_LOGIN_OPTIONS] {
        assert_says(&ana.form(path, &[]).await, INVALID_PARAMETERS, path);
    }
    assert_says(&ana.register_passkey(&json!({})).await, INVALID_PARAMETERS, "register");
    assert_says(&ana.answer_passkey(&json!({})).await, INVALID_PARAMETERS, "login");
    assert_eq!(ana.passkeys().await, Vec::<Value>::new());
    assert_says(&ana.delete_passkey("x").await, INVALID_PARAMETERS, "remove");
}

#[tokio::test]
async fn a_listed_origin_under_the_host_of_the_front_end_uses_the_same_passkeys() {
    let more = [("PASSKEY_ORIGINS", "http://localhost:8000")];
    let (stack, mut ana) = Embedded::signed_in(&more).await;
    let mut authenticator = ana.with_passkey().await;
    authenticator.origin = "http://localhost:8000".to_owned();
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "listed");
}

#[tokio::test]
async fn a_listed_origin_elsewhere_is_a_fault_of_the_settings() {
    let stack = Embedded::start(&[]).await;
    for function in ["PasskeyRegisterOptions", "PasskeyRegister", "PasskeyLoginOptions", "PasskeyLogin"] {
        let started = local::start_function(function, &stack.setup(&[("PASSKEY_ORIGINS", "https://app.example.com")]));
        let faults = started.err().map(|error| error.faults().join("\n")).unwrap_or_default();
        assert_eq!(faults, "PASSKEY_ORIGINS must be origins under the host of FRONT_END_URL");
    }
}
