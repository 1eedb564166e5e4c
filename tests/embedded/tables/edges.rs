//! Edge cases that normal use does not reach: the last id, a clock that goes back, old rows, the largest account.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::requests::{Actor, requests};
use journeys::{Embedded, PASSWORD, paths, rows};
use serde_json::json;
use shared::store::PASSKEYS_MAX;

/// 2^53 - 1: the largest integer that every JSON reader keeps exact.
const ID_MAX: u64 = (1 << 53) - 1;
/// The number of browsers that an account remembers.
const BROWSERS_MAX: usize = 20;

#[tokio::test]
async fn of_an_account_only_sessions_failures_challenges_and_counts_of_mails_have_an_expiry() {
    let (stack, mut ana) = Embedded::signed_in(&[("LOGIN_MAX_FAILURES", "5")]).await;
    ana.google(json!({})).await;
    ana.reset_token().await;
    ana.elsewhere().login("Otra1234").await;
    ana.with_passkey().await;
    ana.passkey_login_options().await;
    stack.advance(Duration::from_mins(100));
    assert_eq!(ana.session().await.status, 200);
    let (now, mut kinds) = (stack.now().seconds(), Vec::new());
    for row in stack.items("accounts").await {
        let sk = rows::text(&row, "sk");
        let kind = sk.split('#').next().unwrap().to_owned();
        let expires_at = rows::text(&row, "expires_at").parse::<u64>().ok();
        match kind.as_str() {
            "session" => assert!(expires_at.unwrap() > now + 100 * 60, "a session in use expires too early: {row:?}"),
            "failures" | "challenge" | "resets" => assert!(expires_at.is_some(), "{row:?}"),
            _ => assert_eq!(expires_at, None, "{row:?}"),
        }
        kinds.push(kind);
    }
    kinds.sort();
    assert_eq!(
        kinds,
        ["challenge", "credential", "failures", "identity", "passkey", "profile", "resets", "session", "user-id"]
    );
    assert!(stack.items("entries").await.iter().all(|row| !row.contains_key("expires_at")));
}

#[tokio::test]
async fn no_id_is_larger_than_json_can_represent_exactly() {
    let stack = Embedded::start(&[]).await;
    let set = async |total: u64| {
        let key = [("pk", "counter"), ("sk", "user-id")].map(|(name, value)| (name, AttributeValue::S(value.into())));
        let row = key.into_iter().chain([("total", AttributeValue::N(total.to_string()))]);
        rows::put(&stack, row.map(|(name, value)| (name.to_owned(), value)).collect()).await;
    };
    set(ID_MAX - 2).await;
    for id in [ID_MAX - 1, ID_MAX] {
        let mut ana = stack.service.visitor();
        assert_eq!(ana.register().await.success(), true);
        assert_eq!(ana.login(PASSWORD).await.user("id"), id);
    }
    let mut late = stack.service.visitor();
    for total in [ID_MAX, u64::MAX] {
        set(total).await;
        for answer in [late.register().await, late.elsewhere().google(json!({})).await] {
            assert_eq!(answer.sentence(), (500, "Error interno del servidor".to_owned()), "{total}");
        }
    }
    assert_eq!(rows::profile(&stack, &late.email).await, None);
}

#[tokio::test]
async fn a_clock_that_is_set_back_fails_no_call() {
    let google = [paths::GOOGLE_LOGIN, paths::GOOGLE_REDIRECT];
    // A time server sets the clock back by a small step. On a machine that has lost the time, the step is large. After
    // a large step, Google's credentials are refused, because they were issued in the future. So these calls are left
    // out.
    for by in [Duration::from_secs(30), Duration::from_hours(24), Duration::from_hours(24 * 365 * 50)] {
        let is_small_step = by < Duration::from_mins(1);
        let swept = requests().filter(|request| request.is_swept);
        for request in swept.filter(|request| is_small_step || !google.contains(&request.path)) {
            let stack = request.start().await;
            let mut actor = Actor::ready(request, &stack).await;
            stack.set_back(by);
            let answer = actor.send().await;
            assert!(actor.is_success(&answer), "{}, {by:?}: {answer:?}", request.name);
            actor.assert_done(&stack).await;
            assert!(stack.log().iter().all(|line| !line.contains("panic")), "{}, {by:?}", request.name);
        }
    }
}

#[tokio::test]
async fn the_largest_possible_account_takes_a_fiftieth_of_the_item_limit() {
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    let mut ana = stack.service.visitor();
    let domain = format!("{0}.{0}.{0}", "d".repeat(50));
    ana.email = format!("{:l<64}@{domain}", ana.email.split('@').next().unwrap());
    let (name, password) = ("\u{1f600}".repeat(200), format!("A1{}", "x".repeat(1 << 20)));
    let fields = [("nombre", &*name), ("password", &password), ("confirm-password", &password)];
    assert_eq!(ana.register_with(&fields).await.success(), true);
    let sub = "s".repeat(255);
    assert_eq!(ana.google(json!({"sub": sub, "name": name})).await.json()["status"], "exists");
    ana.reset_to(&password).await;
    for _ in 0..BROWSERS_MAX {
        assert_eq!(ana.elsewhere().login(&password).await.success(), true);
    }
    ana.login(&password).await;
    for _ in 0..PASSKEYS_MAX {
        ana.with_passkey().await;
    }
    ana.reset_token().await;
    let row = rows::profile(&stack, &ana.email).await.unwrap();
    // The debug text of a value is longer than what DynamoDB counts.
    let size: usize = row.iter().map(|(name, value)| name.len() + format!("{value:?}").len()).sum();
    assert!(size < 8_192, "{size} bytes: {:?}", row.keys());
}
