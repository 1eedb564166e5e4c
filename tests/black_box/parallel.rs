//! Many calls at once.

use std::collections::HashSet;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use journeys::sentences::{
    CONFIGURED, DELETED, EMAIL_TAKEN, INVALID_TOKEN, LOGGED_IN, NO_SESSION, NO_SESSION_EMAIL, REGISTERED, RESET,
    Sentence, assert_says,
};
use journeys::{Answer, PASSWORD, Service, Visitor, paths};
use serde_json::{Value, json};

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
async fn every_registration_gets_a_unique_id() {
    let service = Service::shared();
    let ids = stream::iter(0..200).map(async |_| {
        let session = service.visitor().signed_in().await.session().await;
        session.user("id").as_u64().unwrap()
    });
    let ids: Vec<u64> = ids.buffer_unordered(AT_ONCE).collect().await;
    assert!(ids.iter().all(|id| (1..1 << 53).contains(id)), "{ids:?}");
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 200, "{ids:?}");
}

#[tokio::test]
async fn every_login_gets_its_own_session() {
    let ana = Service::shared().visitor().registered().await;
    let devices = join_all((0..AT_ONCE).map(async |_| {
        let mut device = ana.elsewhere();
        assert_says(&device.login(PASSWORD).await, LOGGED_IN, "login");
        device
    }));
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
async fn one_of_many_parallel_new_passwords_from_one_session_succeeds() {
    let ana = Service::shared().visitor().signed_in().await;
    let answers = join_all((0..AT_ONCE).map(async |number| {
        let new = password(number);
        let fields = [("name", "Ana"), ("password", &new), ("confirm_password", &new)];
        ana.clone().form(paths::USER_CONFIG, &fields).await
    }));
    let winner = assert_one(&answers.await, CONFIGURED, NO_SESSION);
    assert_says(&ana.elsewhere().login(&password(winner)).await, LOGGED_IN, "with the accepted password");
}

#[tokio::test]
async fn parallel_changes_of_settings_leave_the_result_of_one_of_them() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let address = ana.session().await.user("url_image");
    let base = address.as_str().unwrap().strip_suffix("default.jpeg").unwrap();
    let settings = |number: usize| {
        let notifications = if number.is_multiple_of(2) { "on" } else { "" };
        (format!("Ana {number}"), format!("{base}{:02}.jpeg", number % 10 + 1), notifications)
    };
    let answers = join_all((0..AT_ONCE).map(async |number| {
        let (name, avatar, notifications) = settings(number);
        let fields = [("name", name.as_str()), ("avatar", &avatar), ("notifications", notifications)];
        ana.clone().form(paths::USER_CONFIG, &fields).await
    }));
    for answer in answers.await {
        assert_says(&answer, CONFIGURED, "settings");
    }
    let session = ana.session().await;
    let whole = (0..AT_ONCE).map(settings).any(|(name, avatar, notifications)| {
        session.user("name") == name
            && session.user("url_image") == avatar
            && session.user("accept_news") == u64::from(notifications == "on")
    });
    assert!(whole, "{session:?}");
}

/// Asserts that the account is deleted: at least one deletion succeeded, and the others found no session.
async fn assert_deleted(ana: &Visitor, answers: Vec<Answer>) {
    assert!(answers.iter().any(|answer| answer.success() == true), "{answers:?}");
    for answer in &answers {
        let expected = if answer.success() == true { DELETED } else { NO_SESSION_EMAIL };
        assert_says(answer, expected, "deletion");
    }
    assert_eq!(ana.elsewhere().login(PASSWORD).await.user("id"), Value::Null);
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
}

#[tokio::test]
async fn parallel_deletions_from_one_session_delete_the_account() {
    let ana = Service::shared().visitor().signed_in().await;
    let answers = join_all((0..AT_ONCE).map(async |_| ana.clone().form(paths::DELETE_ACCOUNT, &[]).await)).await;
    assert_deleted(&ana, answers).await;
}

#[tokio::test]
async fn parallel_deletions_from_many_devices_delete_the_account() {
    let ana = Service::shared().visitor().signed_in().await;
    let devices = (0..AT_ONCE).map(async |_| {
        let mut device = ana.elsewhere();
        device.login(PASSWORD).await;
        device
    });
    let devices = join_all(devices).await;
    let answers = devices.into_iter().map(async |mut device| device.form(paths::DELETE_ACCOUNT, &[]).await);
    assert_deleted(&ana, join_all(answers).await).await;
}

#[tokio::test]
async fn parallel_logouts_of_one_session_all_succeed() {
    let ana = Service::shared().visitor().signed_in().await;
    let answers = join_all((0..AT_ONCE).map(async |_| ana.clone().form(paths::LOGOUT, &[]).await));
    for answer in answers.await {
        assert_eq!(answer.success(), json!(true), "{answer:?}");
    }
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
}

#[tokio::test]
async fn after_parallel_requests_for_a_link_one_token_is_valid() {
    let ana = Service::shared().visitor().registered().await;
    let answers = join_all((0..8).map(async |_| {
        let email = ana.email.clone();
        ana.elsewhere().form(paths::SEND_RESET_LINK, &[("email", &email)]).await
    }));
    for answer in answers.await {
        assert_eq!(answer.success(), json!(true), "{answer:?}");
    }
    let mut uses = Vec::new();
    for token in ana.mailed_tokens().await {
        uses.push(ana.elsewhere().reset(&token, &password(1)).await);
    }
    assert_eq!(uses.len(), 8);
    assert_one(&uses, RESET, INVALID_TOKEN);
}
