//! The limit of failed logins in a rolling window. Each known browser of an account has its own count, and all other
//! browsers of an address share one.

use std::time::Duration;

use futures_util::future::join_all;
use journeys::{Embedded, Failure, PASSWORD, Visitor, rows};
use shared::Email;
use shared::store::{Bucket, LoginLimit};

/// The default window, in seconds.
const WINDOW: u64 = 15 * 60;
/// Longer than a test takes, in seconds.
const MARGIN: u64 = 60;

/// A stack that allows three failures, and a registered visitor.
async fn limited(further: &[(&str, &str)]) -> (Embedded, Visitor) {
    let (stack, ana) = Embedded::registered(&[&[("LOGIN_MAX_FAILURES", "3")], further].concat()).await;
    (stack, ana)
}

async fn fail(visitor: &mut Visitor, times: usize) {
    for _ in 0..times {
        let answer = visitor.login("Otra1234").await;
        assert_eq!(answer.sentence(), (200, "Email o contraseña incorrectas".to_owned()));
    }
}

#[tokio::test]
async fn after_the_limit_of_failures_even_the_right_password_is_refused_until_the_window_ends() {
    for (settings, window) in [(&[][..], WINDOW), (&[("LOGIN_FAILURE_WINDOW_SECONDS", "3600")], 3600)] {
        let (stack, mut ana) = limited(settings).await;
        let mut eva = stack.service.visitor().registered().await;
        fail(&mut ana, 3).await;
        stack.advance(Duration::from_secs(window - MARGIN));
        let refused = ana.login(PASSWORD).await;
        assert_eq!(refused.text, r#"{"success":false,"message":"Email o contraseña incorrectas"}"#);
        assert_eq!(eva.login(PASSWORD).await.success(), true, "each account has its own limit");
        stack.advance(Duration::from_secs(MARGIN));
        assert_eq!(ana.login(PASSWORD).await.success(), true);
    }
}

#[tokio::test]
async fn guesses_from_any_number_of_browsers_never_delay_a_known_browser() {
    let (stack, mut ana) = limited(&[]).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    let eva = stack.service.visitor().registered().await;
    let [mut eva_browser, mut eva_phone] = [eva.elsewhere(), eva.elsewhere()];
    for browser in [&mut eva_browser, &mut eva_phone] {
        browser.login(PASSWORD).await;
    }
    for round in 0..20 {
        let mut attacker = ana.elsewhere();
        // Also with a browser that another account knows.
        attacker.browser = eva_browser.browser.clone().filter(|_| round % 2 == 0);
        fail(&mut attacker, 1).await;
        assert_eq!(ana.without_session().login(PASSWORD).await.success(), true, "round {round}");
    }
    let mut attacker = ana.elsewhere();
    for browser in [None, eva_phone.browser] {
        attacker.browser = browser;
        assert_eq!(attacker.login(PASSWORD).await.success(), false, "the others have reached the limit together");
    }
}

#[tokio::test]
async fn each_known_browser_has_a_limit_of_its_own_and_its_login_clears_no_other() {
    let (stack, ana) = limited(&[]).await;
    let (mut one, mut other) = (ana.elsewhere(), ana.elsewhere());
    for browser in [&mut one, &mut other] {
        assert_eq!(browser.login(PASSWORD).await.success(), true);
    }
    // With a stolen cookie, a thief guesses as often as the limit allows, and locks out no other browser.
    let mut thief = one.without_session();
    fail(&mut thief, 3).await;
    assert_eq!(thief.login(PASSWORD).await.success(), false);
    assert_eq!(other.without_session().login(PASSWORD).await.success(), true);
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
    // The login of a known browser does not give the others new attempts.
    fail(&mut ana.elsewhere(), 3).await;
    assert_eq!(other.without_session().login(PASSWORD).await.success(), true);
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), false);
    stack.advance(Duration::from_secs(WINDOW));
    assert_eq!(thief.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn the_window_does_not_restart_at_fixed_times_of_the_clock() {
    for boundary in [60, WINDOW / 4, WINDOW, 3600] {
        let (stack, mut ana) = limited(&[]).await;
        let next = boundary - stack.now().seconds() % boundary;
        stack.advance(Duration::from_secs(next + boundary - 30));
        fail(&mut ana, 3).await;
        stack.advance(Duration::from_secs(30));
        assert_eq!(ana.login(PASSWORD).await.success(), false, "{boundary}");
    }
}

/// Reproducible pseudo-random numbers (Knuth's linear congruential generator).
fn numbers() -> impl FnMut(u64) -> u64 {
    let mut state = 4_u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[tokio::test]
async fn every_window_admits_failures_up_to_the_limit_and_no_more() {
    const LIMIT: usize = 5;
    let stack = Embedded::start(&[]).await;
    let settings = [("LOGIN_MAX_FAILURES", "5"), ("LOGIN_FAILURE_WINDOW_SECONDS", "900")];
    let (one, other) = (LoginLimit::new(&stack.setup(&settings)), LoginLimit::new(&stack.setup(&settings)));
    let key = Bucket::of_unknown_browsers(&Email::parse("ana@example.com").unwrap());
    let (mut number, mut refused) = (numbers(), 0);
    // For each admitted attempt, the times before and after it was counted, in milliseconds.
    let mut counted: Vec<(u64, u64)> = Vec::new();
    for _ in 0..100 {
        stack.advance(Duration::from_secs(number(WINDOW / 2)));
        let before = stack.now().milliseconds();
        let crowd = if number(4) == 0 { 32 } else { 1 + number(2) };
        let begun = (0..crowd).map(|index| if index % 2 == 0 { one.take(&key) } else { other.take(&key) });
        let begun: Vec<bool> = join_all(begun).await.into_iter().map(|begun| begun.unwrap()).collect();
        let after = stack.now().milliseconds();
        counted.extend(begun.iter().filter(|begun| **begun).map(|_| (before, after)));
        if begun.contains(&false) {
            refused += 1;
            let live = counted.iter().filter(|(_, at)| at + WINDOW * 1000 > before).count();
            assert!(live >= LIMIT, "refused with {live} in the window");
        }
    }
    for span in counted.windows(LIMIT + 1) {
        assert!(span[LIMIT].1 - span[0].0 >= WINDOW * 1000, "{span:?}");
    }
    assert!(refused > 20 && counted.len() > 80, "{refused} {}", counted.len());
}

#[tokio::test]
async fn an_unknown_address_costs_the_same_calls_as_a_known_one() {
    let (stack, mut ana) = limited(&[]).await;
    let mut nobody = stack.service.visitor();
    drop(stack.table.calls());
    let counted = ["Query", "UpdateItem"].as_slice();
    let refused = counted;
    // When attempts of a full window expire, the next attempt removes them.
    let cleared = ["Query", "UpdateItem", "UpdateItem"].as_slice();
    for expected in [counted, counted, counted, refused, refused, cleared, counted] {
        if expected == cleared {
            stack.advance(Duration::from_secs(WINDOW));
        }
        for visitor in [&mut ana, &mut nobody] {
            fail(visitor, 1).await;
            assert_eq!(stack.table.sorted_calls(), expected, "{}", visitor.email);
        }
    }
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(stack.table.sorted_calls(), ["DeleteItem", "Query", "TransactWriteItems", "UpdateItem"]);
}

#[tokio::test]
async fn parallel_attempts_do_not_exceed_the_limit_even_when_a_window_ends() {
    let (stack, ana) = limited(&[]).await;
    for _ in 0..2 {
        let (before, mut guesses) = (stack.log().len(), vec![ana.clone(); 32]);
        join_all(guesses.iter_mut().map(|guess| fail(guess, 1))).await;
        let log = stack.log().split_off(before);
        let failed =
            |reason: &str| log.iter().filter(|line| line.contains(&format!(r#""audit.reason":"{reason}""#))).count();
        // The answers are the same. Only the log shows whether a password was compared.
        assert_eq!((failed("wrong-credentials"), failed("too-many-failures")), (3, 29), "{log:#?}");
        assert_eq!(ana.clone().login(PASSWORD).await.success(), false);
        stack.advance(Duration::from_secs(WINDOW));
    }
    assert_eq!(ana.clone().login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn an_attempt_whose_answer_is_lost_counts_once() {
    let (stack, mut ana) = limited(&[]).await;
    for full in [false, true] {
        if full {
            fail(&mut ana, 3).await;
            stack.advance(Duration::from_secs(WINDOW));
        }
        stack.table.fail_first_attempts(Failure::DropAfter);
        fail(&mut ana, 1).await;
        stack.table.heal();
        fail(&mut ana, 1).await;
        assert_eq!(ana.login(PASSWORD).await.success(), true, "the third of three allowed attempts");
    }
}

#[tokio::test]
async fn an_expired_row_that_ttl_has_not_deleted_refuses_no_login() {
    let (stack, mut ana) = limited(&[]).await;
    fail(&mut ana, 3).await;
    stack.advance(Duration::from_secs(3 * WINDOW));
    let late = rows::failures(&stack, &ana.email).await.unwrap();
    let expires_at: u64 = rows::text(&late, "expires_at").parse().unwrap();
    let (now, window) = (stack.now().seconds(), WINDOW);
    assert!((now - 2 * window - MARGIN..now - window).contains(&expires_at), "{expires_at} at {now}");
    fail(&mut ana, 2).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(rows::failures(&stack, &ana.email).await, None);
}

#[tokio::test]
async fn without_the_setting_no_failures_are_counted() {
    let (stack, mut ana) = Embedded::registered(&[]).await;
    fail(&mut ana, 10).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert!(stack.items("accounts").await.iter().all(|row| !rows::text(row, "sk").starts_with("failures")));
}
