//! What a deployment may set otherwise: the limit of failed logins, the cookie, the avatars.

use std::time::Duration;

use futures_util::future::join_all;
use journeys::{Embedded, PASSWORD, Visitor, paths};

use crate::rows;

/// The default window of failed logins, in seconds.
const WINDOW: u64 = 15 * 60;

/// A stack that allows three failures, at the start of a window, and somebody registered there.
async fn limited(further: &[(&str, &str)], window: u64) -> (Embedded, Visitor) {
    let stack = Embedded::start(&[&[("LOGIN_MAX_FAILURES", "3")], further].concat()).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    stack.advance(Duration::from_secs(window - stack.now().seconds() % window));
    (stack, ana)
}

async fn fail(visitor: &mut Visitor, times: usize) {
    for _ in 0..times {
        let answer = visitor.login("Otra1234").await;
        assert_eq!(answer.said(), (200, "Email o contraseña incorrectas".to_owned()));
    }
}

#[tokio::test]
async fn after_as_many_failures_even_the_right_password_waits_for_the_window() {
    let (stack, mut ana) = limited(&[], WINDOW).await;
    let mut eva = stack.service.visitor();
    eva.register().await;
    fail(&mut ana, 3).await;
    let refused = ana.login(PASSWORD).await;
    assert_eq!(refused.text, r#"{"success":false,"message":"Email o contraseña incorrectas"}"#);
    assert_eq!(eva.login(PASSWORD).await.success(), true, "the limit is each account's own");
    stack.advance(Duration::from_secs(WINDOW));
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn no_spelling_of_the_address_is_counted_apart() {
    let (_stack, mut ana) = limited(&[], WINDOW).await;
    let email = ana.email.clone();
    for spelling in [email.to_uppercase(), format!(" {email} "), email.replace("ana", "Ana")] {
        ana.email = spelling;
        fail(&mut ana, 1).await;
    }
    ana.email = email;
    assert_eq!(ana.login(PASSWORD).await.success(), false);
}

#[tokio::test]
async fn the_window_is_a_setting() {
    let (stack, mut ana) = limited(&[("LOGIN_FAILURE_WINDOW_SECONDS", "3600")], 3600).await;
    fail(&mut ana, 3).await;
    stack.advance(Duration::from_secs(WINDOW));
    assert_eq!(ana.login(PASSWORD).await.success(), false);
    stack.advance(Duration::from_secs(3600 - WINDOW));
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn a_success_takes_the_failures_back() {
    let (_stack, mut ana) = limited(&[], WINDOW).await;
    for _ in 0..3 {
        fail(&mut ana, 2).await;
        assert_eq!(ana.login(PASSWORD).await.success(), true);
    }
}

#[tokio::test]
async fn an_unknown_address_costs_the_same_calls_as_a_known_one() {
    let (stack, mut ana) = limited(&[], WINDOW).await;
    let mut nobody = stack.service.visitor();
    drop(stack.table.calls());
    for _ in 0..5 {
        let mut costs = Vec::new();
        for visitor in [&mut ana, &mut nobody] {
            fail(visitor, 1).await;
            let mut calls = stack.table.calls();
            calls.sort();
            costs.push(calls);
        }
        assert_eq!(costs, [["GetItem", "UpdateItem"]; 2]);
    }
}

#[tokio::test]
async fn parallel_attempts_do_not_slip_through() {
    let (_stack, ana) = limited(&[], WINDOW).await;
    let mut guesses = vec![ana.clone(); 32];
    join_all(guesses.iter_mut().map(|guess| fail(guess, 1))).await;
    assert_eq!(ana.clone().login(PASSWORD).await.success(), false);
}

#[tokio::test]
async fn parallel_right_passwords_are_never_more_than_the_limit_and_never_locked_out_for_good() {
    let (stack, ana) = limited(&[], WINDOW).await;
    let mut devices = vec![ana.clone(); 8];
    let answers = join_all(devices.iter_mut().map(|device| device.login(PASSWORD))).await;
    assert!(answers.iter().any(|answer| answer.success() == true));
    stack.advance(Duration::from_secs(WINDOW));
    assert_eq!(ana.clone().login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn without_the_setting_nothing_is_counted() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    fail(&mut ana, 10).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert!(stack.items("accounts").await.iter().all(|row| !rows::text(row, "sk").starts_with("failures")));
}

#[tokio::test]
async fn behind_https_the_cookie_is_bound_to_its_host() {
    let stack = Embedded::start(&[("COOKIE_SECURE", "true")]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    let line = ana.login(PASSWORD).await.set_cookies().pop().unwrap();
    let (pair, attributes) = line.split_once(';').unwrap();
    assert!(pair.starts_with("__Host-session="), "{line}");
    assert_eq!(attributes, " HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=604800");
    assert_eq!(ana.session().await.status, 200);
    let mut plain = ana.elsewhere();
    plain.cookie = Some(pair.replace("__Host-", ""));
    assert_eq!(plain.session().await.status, 401, "the name without the prefix is another cookie");
    let ending = ana.form(paths::LOGOUT, &[]).await.set_cookies().pop().unwrap();
    assert_eq!(ending, "__Host-session=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0");
}

#[tokio::test]
async fn the_avatars_may_lie_elsewhere() {
    let stack = Embedded::start(&[("AVATAR_BASE_URL", "https://cdn.example/static")]).await;
    let mut ana = stack.service.visitor().signed().await;
    let address = |name: &str| format!("https://cdn.example/static/assets/avatars/{name}.jpeg");
    assert_eq!(ana.session().await.user("url_image"), address("default"));
    let third = address("03");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", &third)]).await.success(), true);
    assert_eq!(ana.session().await.user("url_image"), third);
    let elsewhere = "http://localhost:5173/assets/avatars/03.jpeg";
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", elsewhere)]).await.status, 400);
}
