//! The number of hashes of each call. A different number would reveal whether an account exists, or let a client use up
//! the processor. The hashes are counted, because measured times vary.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::bodies::{FORM, urlencoded};
use journeys::requests::event;
use journeys::sentences::{REGISTERED, WRONG_CREDENTIALS, owned_sentence};
use journeys::{Embedded, PASSWORD, paths};
use serde_json::json;

use super::budget::visitors_whose_logins_fail;
use crate::concurrency::held_up;
use crate::functions::Function;
use journeys::rows;

const WRONG: &str = "Otra1234";

/// Status and message of the answer to a form with this cookie, and the hashes that it took.
async fn post(function: &Function, cookie: &str, fields: &[(&str, &str)]) -> ((u16, String), u64) {
    let mut event = event("/", FORM, &urlencoded(fields));
    event["cookies"] = json!([cookie]);
    let before = function.hashed();
    let (status, body) = function.invoke(&event.to_string()).await;
    ((status, body["message"].as_str().unwrap_or_default().to_owned()), function.hashed() - before)
}

#[tokio::test]
async fn a_failed_login_and_one_with_a_current_hash_compute_exactly_one_hash() {
    let stack = Embedded::start_at_full_cost(&[]).await;
    let visitors = visitors_whose_logins_fail(&stack).await;
    for settings in [&[][..], &[("LOGIN_MAX_FAILURES", "2")]] {
        let login = Function::of(paths::LOGIN, stack.setup(settings));
        // More often than the limit, because a refused login must have the same cost.
        for round in 0..4 {
            for visitor in &visitors {
                let refused = post(&login, "", &[("email", &visitor.email), ("password", WRONG)]).await;
                assert_eq!(refused, (owned_sentence(WRONG_CREDENTIALS), 1), "{settings:?} {round}");
            }
        }
    }
    let login = Function::of(paths::LOGIN, stack.setup(&[]));
    let [_, registered, ..] = &visitors;
    let right = post(&login, "", &[("email", &registered.email), ("password", PASSWORD)]).await;
    assert_eq!(right, ((200, "Inicio de sesión correcto".to_owned()), 1));
}

#[tokio::test]
async fn only_the_login_that_replaces_an_outdated_hash_computes_a_second_hash() {
    let stack = Embedded::start_at_full_cost(&[]).await;
    let ana = stack.service.visitor().registered().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let weak = AttributeValue::S(rows::weak_hash(PASSWORD));
    rows::put(&stack, rows::with(&profile, "password", Some(weak))).await;
    let login = Function::of(paths::LOGIN, stack.setup(&[]));
    for (password, hashes, is_weak) in [(WRONG, 1, true), (PASSWORD, 2, false), (PASSWORD, 1, false)] {
        assert_eq!(post(&login, "", &[("email", &ana.email), ("password", password)]).await.1, hashes);
        let stored = rows::text(&rows::profile(&stack, &ana.email).await.unwrap(), "password");
        assert_eq!(stored == rows::weak_hash(PASSWORD), is_weak, "{stored}");
        assert!(is_weak || stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
    }
}

#[tokio::test]
async fn an_upgraded_hash_never_replaces_a_newer_password() {
    let stack = Embedded::start_at_full_cost(&[]).await;
    let mut ana = stack.service.visitor().registered().await;
    let token = ana.reset_token().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let weak = AttributeValue::S(rows::weak_hash(PASSWORD));
    rows::put(&stack, rows::with(&profile, "password", Some(weak))).await;
    let mut thief = ana.elsewhere();
    held_up(&stack, 1, thief.login(PASSWORD), ana.reset(&token, WRONG)).await;
    assert_eq!(thief.session().await.status, 401);
    assert_eq!(thief.login(PASSWORD).await.sentence(), owned_sentence(WRONG_CREDENTIALS));
    assert_eq!(ana.login(WRONG).await.success(), true);
}

#[tokio::test]
async fn a_password_of_four_megabytes_is_hashed_once_and_every_byte_must_match() {
    let stack = Embedded::start_at_full_cost(&[]).await;
    let ana = stack.service.visitor();
    let long = format!("A1{}", "x".repeat(4 << 20));
    let (right, wrong) = (format!("{long}a"), format!("{long}b"));
    let register = Function::of(paths::REGISTER, stack.setup(&[]));
    let fields = [
        ("nombre", "Ana"),
        ("email", &*ana.email),
        ("password", &right),
        ("confirm-password", &right),
        ("terms", "on"),
    ];
    assert_eq!(post(&register, "", &fields).await, (owned_sentence(REGISTERED), 1));
    let login = Function::of(paths::LOGIN, stack.setup(&[]));
    assert_eq!(
        post(&login, "", &[("email", &ana.email), ("password", &wrong)]).await,
        (owned_sentence(WRONG_CREDENTIALS), 1)
    );
    let login = post(&login, "", &[("email", &ana.email), ("password", &right)]).await;
    assert_eq!(login, ((200, "Inicio de sesión correcto".to_owned()), 1));
}

#[tokio::test]
async fn a_call_refused_before_the_password_check_computes_no_hash() {
    let stack = Embedded::start_at_full_cost(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let cookie = ana.cookie.clone().unwrap();
    let new = ("new_password", WRONG);
    let reset = Function::of(paths::RESET_PASSWORD, stack.setup(&[]));
    assert_eq!(post(&reset, "", &[new, ("confirm_password", WRONG), ("token", "x")]).await.1, 0);
    assert_eq!(post(&reset, "", &[new, ("confirm_password", "other"), ("token", "x")]).await.1, 0);
    let settings = Function::of(paths::USER_CONFIG, stack.setup(&[]));
    let fields = [("name", "Ana"), ("password", WRONG), ("confirm_password", WRONG), ("notifications", "on")];
    assert_eq!(post(&settings, "", &fields).await.1, 0);
    assert_eq!(post(&settings, &cookie, &fields[..2]).await.1, 0);
    ana.form(paths::LOGOUT, &[]).await;
    assert_eq!(post(&settings, &cookie, &fields).await.1, 0);
    let register = Function::of(paths::REGISTER, stack.setup(&[]));
    let fields =
        [("nombre", "Ana"), ("email", &*ana.email), ("password", WRONG), ("confirm-password", WRONG), ("terms", "off")];
    assert_eq!(post(&register, "", &fields).await.1, 0);
    let settings = [("CAPTCHA_SECRET_ARN", "x"), ("CAPTCHA_REQUIRED", "true")];
    let login = Function::of(paths::LOGIN, stack.setup(&settings));
    let refused = post(&login, "", &[("email", &ana.email), ("password", PASSWORD)]).await;
    assert_eq!(refused, ((200, "Captcha inválido".to_owned()), 0));
}
