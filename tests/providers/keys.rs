//! The provider's keys: how long they are cached, when they are fetched, and logins without them.

use std::time::Duration;

use futures_util::future::{join, join_all};
use journeys::{Answer, paths};
use serde_json::json;

use crate::credentials::refused;
use crate::provider::{Script, Trusting, present};
use crate::provider::{Signer, claims};

/// Longer than the pause after a failed fetch.
const A_WHILE: Duration = Duration::from_secs(6);
const OVER_A_MINUTE: Duration = Duration::from_secs(61);
const HOUR: Duration = Duration::from_hours(1);

/// Invalid key sets.
fn broken() -> Vec<(&'static str, Script)> {
    let padded = json!({"keys": [Signer::provider().jwk()], "padding": "x".repeat(5 * 1024 * 1024)});
    vec![
        ("an error", Script::text(500, "")),
        ("an error with the keys", Script::of(Signer::provider()).status(503)),
        ("a page", Script::text(200, "<!doctype html><title>Sign in</title>").with("content-type", "text/html")),
        ("nothing", Script::text(200, "")),
        ("not a key set", Script::text(200, "[]")),
        ("no keys", Script::keys(&[])),
        ("5 MB", Script::text(200, padded.to_string())),
    ]
}

fn failed(answer: &Answer, why: &str) {
    assert_eq!(answer.sentence(), (500, "Error interno del servidor".to_owned()), "{why}");
    assert!(answer.set_cookies().is_empty(), "{why}");
}

#[tokio::test]
async fn many_simultaneous_first_logins_fetch_the_keys_once() {
    let trusting = Trusting::start(Script::of(Signer::provider()).after(Duration::from_millis(100))).await;
    let logins = join_all((0..32).map(|_| trusting.login(Signer::provider()))).await;
    assert!(logins.iter().all(|login| login.status == 200), "{logins:?}");
    assert_eq!(trusting.keys.fetches(), 1);
}

/// The second Age is above the lifetime. Every key set is cached for a minute at least, and for a day at most.
#[tokio::test]
async fn keys_are_fetched_again_only_after_their_lifetime() {
    for (lifetime, age, steps) in [
        ("public, max-age=600", "0", &[(0, 1), (590, 1), (11, 2), (590, 2), (11, 3)][..]),
        ("max-age=600", "300", &[(0, 1), (290, 1), (11, 2)]),
        ("max-age=600", "601", &[(0, 1), (50, 1), (11, 2)]),
        ("max-age=31536000, immutable", "0", &[(0, 1), (24 * 3600, 2)]),
    ] {
        let script = Script::of(Signer::provider()).with("cache-control", lifetime).with("age", age);
        let trusting = Trusting::start(script).await;
        for &(advanced, fetches) in steps {
            trusting.stack.advance(Duration::from_secs(advanced));
            assert_eq!(trusting.login(Signer::provider()).await.status, 200);
            assert_eq!(trusting.keys.fetches(), fetches, "{lifetime} {age} {advanced}");
        }
    }
}

#[tokio::test]
async fn a_thousand_unknown_keys_cause_one_fetch_a_minute_and_block_no_login() {
    let trusting = Trusting::with_cached_keys().await;
    let ana = trusting.visitor();
    for minute in 0..2 {
        trusting.stack.advance(OVER_A_MINUTE);
        let before = trusting.keys.fetches();
        for round in 0..10 {
            let unknown = (0..100).map(|number| {
                let header = json!({"alg": "RS256", "kid": format!("unknown-{minute}-{round}-{number}")});
                let ana = &ana;
                async move {
                    // The signature is invalid. It is not checked, because the key id is unknown.
                    let credential = format!("{}.AAAA", crate::provider::unsigned(&header, "{}"));
                    refused(ana, &credential, "an unknown key").await;
                }
            });
            join_all(unknown).await;
            assert_eq!(trusting.login(Signer::provider()).await.status, 200);
        }
        assert_eq!(trusting.keys.fetches() - before, 1);
    }
}

#[tokio::test]
async fn unknown_keys_cause_no_more_fetches_while_the_provider_is_down() {
    let trusting = Trusting::with_cached_keys().await;
    trusting.keys.answers(Script::text(500, ""));
    trusting.stack.advance(OVER_A_MINUTE);
    let ana = trusting.visitor();
    for _ in 0..20 {
        // To the service it may be a new key, so this is no 401.
        let credential = Signer::other().credential(&ana.email);
        let body = format!("{{\"credential\":\"{credential}\"}}");
        let answer = ana.clone().json(paths::GOOGLE_LOGIN, body).await;
        assert_eq!(answer.sentence(), (500, "Error interno del servidor".to_owned()));
    }
    assert_eq!(trusting.keys.fetches(), 2);
    assert_eq!(trusting.login(Signer::provider()).await.status, 200);
}

#[tokio::test]
async fn a_new_key_is_found_within_a_minute() {
    let trusting = Trusting::with_cached_keys().await;
    trusting.keys.answers(Script::keys(&[Signer::provider().jwk(), Signer::other().jwk()]));
    trusting.stack.advance(OVER_A_MINUTE);
    assert_eq!(trusting.login(Signer::other()).await.status, 200);
    assert_eq!(trusting.login(Signer::provider()).await.status, 200, "the old key is still in the set");
    assert_eq!(trusting.keys.fetches(), 2);
}

#[tokio::test]
async fn a_removed_key_is_refused_once_the_set_was_fetched_again() {
    let trusting = Trusting::start(Script::keys(&[Signer::provider().jwk(), Signer::other().jwk()])).await;
    assert_eq!(trusting.login(Signer::other()).await.status, 200);
    trusting.keys.answers(Script::of(Signer::provider()));
    trusting.stack.advance(HOUR);
    let ana = trusting.visitor();
    refused(&ana, &Signer::other().credential(&ana.email), "a removed key").await;
    assert_eq!(trusting.login(Signer::provider()).await.status, 200);
}

#[tokio::test]
async fn a_key_for_another_purpose_is_not_used() {
    let jwk = |member: &str, value: &str| {
        let mut jwk = Signer::other().jwk();
        jwk[member] = value.into();
        jwk
    };
    for key in [jwk("use", "enc"), jwk("alg", "RS512"), jwk("kty", "EC"), jwk("kty", "oct"), json!("key"), json!({})] {
        let trusting = Trusting::start(Script::keys(&[key.clone(), Signer::provider().jwk()])).await;
        let ana = trusting.visitor();
        refused(&ana, &Signer::other().credential(&ana.email), &key.to_string()).await;
        assert_eq!(
            trusting.login(Signer::provider()).await.status,
            200,
            "an unsuitable key makes the whole set unusable: {key}"
        );
    }
}

#[tokio::test]
async fn without_keys_a_login_is_answered_500_and_not_401() {
    let trusting = Trusting::start(Script::text(500, "")).await;
    for (why, script) in broken() {
        trusting.keys.answers(script);
        failed(&trusting.login(Signer::provider()).await, why);
        trusting.stack.advance(A_WHILE);
    }
    assert_eq!(trusting.keys.fetches(), 2 * broken().len(), "while no keys are cached, a failed fetch is repeated");
    trusting.keys.answers(Script::of(Signer::provider()));
    assert_eq!(trusting.login(Signer::provider()).await.status, 200, "the provider is back");
}

#[tokio::test]
async fn a_redirect_to_other_keys_is_not_followed() {
    let attacker = crate::provider::KeyServer::start(Script::of(Signer::other())).await;
    for status in [301, 302, 303, 307, 308] {
        let redirect = Script::text(status, "").with("location", &attacker.url);
        let trusting = Trusting::start(redirect).await;
        failed(&trusting.login(Signer::other()).await, "a redirect");
    }
    assert_eq!(attacker.fetches(), 0);
}

#[tokio::test]
async fn cached_keys_are_used_for_a_day_while_the_provider_is_down() {
    let trusting = Trusting::with_cached_keys().await;
    trusting.stack.advance(2 * HOUR);
    for (why, script) in broken() {
        trusting.keys.answers(script);
        assert_eq!(trusting.login(Signer::provider()).await.status, 200, "{why}");
        trusting.stack.advance(A_WHILE);
    }
    let unknown = present(&mut trusting.visitor(), &Signer::other().credential("ana@example.com")).await;
    assert_ne!(unknown.status, 200);

    trusting.stack.advance(21 * HOUR + HOUR / 2);
    assert_eq!(trusting.login(Signer::provider()).await.status, 200, "after 23 hours and a half");
    trusting.stack.advance(HOUR / 2);
    failed(&trusting.login(Signer::provider()).await, "after a day");

    trusting.stack.advance(A_WHILE);
    trusting.keys.answers(Script::of(Signer::provider()));
    assert_eq!(trusting.login(Signer::provider()).await.status, 200, "the provider is back");
}

#[tokio::test]
async fn a_provider_that_is_too_slow_counts_as_down() {
    let slow = Script::of(Signer::provider()).after(Duration::from_secs(3));
    let cold = Trusting::start(slow.clone()).await;
    let warm = Trusting::with_cached_keys().await;
    warm.keys.answers(slow);
    warm.stack.advance(2 * HOUR);
    let both = join(cold.login(Signer::provider()), warm.login(Signer::provider())).await;
    failed(&both.0, "cold");
    assert_eq!(both.1.status, 200, "known keys");

    // No other login waits for the same failure.
    failed(&cold.login(Signer::provider()).await, "right after it");
    assert_eq!(warm.login(Signer::provider()).await.status, 200, "right after it");
    assert_eq!((cold.keys.fetches(), warm.keys.fetches()), (1, 2));
}

#[tokio::test]
async fn a_credential_of_another_key_is_refused_even_at_the_first_login() {
    for header in [Signer::provider().header(), Signer::other().header()] {
        let trusting = Trusting::start(Script::of(Signer::provider())).await;
        let ana = trusting.visitor();
        let forged = Signer::other().sign(&header, &claims(&ana.email));
        refused(&ana, &forged, &header.to_string()).await;
    }
}
