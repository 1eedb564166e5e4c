//! Many calls at once.

use std::collections::HashSet;

use futures_util::future::join_all;
use journeys::sentences::{
    DELETED, EMAIL_TAKEN, INVALID_TOKEN, LOGGED_IN, NO_SESSION, NO_SESSION_EMAIL, REGISTERED, RESET, Sentence,
    assert_says,
};
use journeys::{Answer, PASSWORD, Service, paths};
use serde_json::Value;

/// Concurrent calls.
const AT_ONCE: usize = 32;

/// Asserts that exactly one answer has the first message, and all others the second. Returns the index of the first.
#[track_caller]
fn assert_one(answers: &[Answer], one: Sentence, others: Sentence) -> usize {
    let successes: Vec<_> =
        answers.iter().enumerate().filter(|(_, answer)| answer.success() == true).map(|(place, _)| place).collect();
    assert_eq!(successes.len(), 1, "{answers:?}");
    for (place, answer) in answers.iter().enumerate() {
        assert_says(answer, if successes.contains(&place) { one } else { others }, place);
    }
    successes.first().copied().unwrap_or_default()
}

fn password(number: usize) -> String {
    format!("Clave-{number:04}")
}

#[tokio::test]
async fn one_of_many_parallel_registrations_of_an_address_succeeds() {
    let ana = Service::shared().visitor();
    let answers = join_all((0..AT_ONCE).map(async |number| {
        let password = password(number);
        ana.elsewhere().register_with(&[("password", &password), ("confirm-password", &password)]).await
    }));
    let winner = assert_one(&answers.await, REGISTERED, EMAIL_TAKEN);
    assert_says(&ana.elsewhere().login(&password(winner)).await, LOGGED_IN, "with the accepted password");
}

#[tokio::test]
async fn every_login_gets_its_own_session() {
    let ana = Service::shared().visitor().registered().await;
    let devices = join_all((0..AT_ONCE).map(async |_| ana.on_another_device().await));
    let devices = devices.await;
    let cookies: HashSet<_> = devices.iter().map(|device| device.cookie.clone()).collect();
    assert_eq!(cookies.len(), AT_ONCE);
    for mut device in devices {
        assert_eq!(device.session().await.status, 200);
    }
}

#[tokio::test]
async fn one_of_many_parallel_uses_of_a_reset_token_succeeds() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    let answers = join_all((0..AT_ONCE).map(async |number| ana.elsewhere().reset(&token, &password(number)).await));
    let winner = assert_one(&answers.await, RESET, INVALID_TOKEN);
    assert_says(&ana.login(&password(winner)).await, LOGGED_IN, "with the accepted password");
}

#[tokio::test]
async fn parallel_deletions_from_many_devices_delete_the_account() {
    let ana = Service::shared().visitor().signed_in().await;
    let devices = join_all((0..AT_ONCE).map(async |_| ana.on_another_device().await));
    let answers = devices.await.into_iter().map(async |mut device| device.form(paths::DELETE_ACCOUNT, &[]).await);
    let answers = join_all(answers).await;
    assert!(answers.iter().any(|answer| answer.success() == true), "{answers:?}");
    for answer in &answers {
        let expected = if answer.success() == true { DELETED } else { NO_SESSION_EMAIL };
        assert_says(answer, expected, "deletion");
    }
    assert_eq!(ana.elsewhere().login(PASSWORD).await.user("id"), Value::Null);
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
}
