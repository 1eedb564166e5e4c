//! The lifetimes of sessions and reset tokens, with a clock that the tests move, and `RESET_COOLDOWN_SECONDS`, the shortest time
//! between two reset links of an account.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use journeys::sentences::{INTERNAL, INVALID_TOKEN, LINK_SENT, NO_SESSION, NO_SESSION_EMAIL, assert_says};
use journeys::{Answer, Embedded, Failure, Visitor, paths, rows};

/// Seconds.
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
/// The longest real time of a test on a busy machine.
pub(super) const SLACK: u64 = 20;
/// One second past a limit. Times are stored in seconds.
const PAST: u64 = 1;

pub(super) fn advance(stack: &Embedded, seconds: u64) {
    stack.advance(Duration::from_secs(seconds));
}

pub(super) async fn is_alive(visitor: &Visitor) -> bool {
    let answer = visitor.clone().session().await;
    if answer.status != 200 {
        assert_says(&answer, NO_SESSION, "session");
    }
    answer.status == 200
}

#[tokio::test]
async fn a_session_ends_after_two_hours_without_use_even_if_its_row_still_exists() {
    let (stack, resting) = Embedded::signed_in(&[]).await;
    let used = stack.service.visitor().signed_in().await;
    advance(&stack, HOUR * 2 - SLACK);
    assert!(is_alive(&used).await);
    advance(&stack, SLACK + PAST);
    assert!(is_alive(&used).await);
    assert!(!is_alive(&resting).await);
    assert_eq!(rows::sessions(&stack, &resting.email).await.len(), 1);
    let config = resting.clone().form(paths::USER_CONFIG, &[("name", "Eva")]).await;
    assert_says(&config, NO_SESSION, "settings");
    let deletion = resting.clone().form(paths::DELETE_ACCOUNT, &[]).await;
    assert_says(&deletion, NO_SESSION_EMAIL, "deletion");
    assert_eq!(rows::text(&rows::profile(&stack, &resting.email).await.unwrap(), "name"), "Ana García");
}

#[tokio::test]
async fn a_session_in_use_lives_seven_days_and_no_longer() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let (step, days) = (HOUR * 2 - MINUTE, HOUR * 24 * 7);
    let mut age = 0;
    while age + step < days - SLACK {
        advance(&stack, step);
        age += step;
        assert!(is_alive(&ana).await, "{age}");
    }
    advance(&stack, days - SLACK - age);
    assert!(is_alive(&ana).await);
    advance(&stack, SLACK + PAST);
    assert!(!is_alive(&ana).await);
}

#[tokio::test]
async fn the_lifetimes_of_a_session_are_settings() {
    let (stack, mut ana) =
        Embedded::registered(&[("SESSION_IDLE_SECONDS", "300"), ("SESSION_ABSOLUTE_SECONDS", "600")]).await;
    let login = ana.login(journeys::PASSWORD).await;
    assert!(login.set_cookies()[0].contains("Max-Age=600"), "{login:?}");
    let resting = ana.clone();
    advance(&stack, 280);
    assert!(is_alive(&ana).await);
    advance(&stack, 280);
    assert!(is_alive(&ana).await);
    advance(&stack, 41);
    assert!(!is_alive(&ana).await, "over age");
    ana.login(journeys::PASSWORD).await;
    assert!(!is_alive(&resting).await);
    advance(&stack, 301);
    assert!(!is_alive(&ana).await, "idle");
}

#[tokio::test]
async fn the_last_use_is_stored_at_most_every_ten_minutes() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    drop(stack.table.calls());
    for (step, calls) in [
        (0, vec!["BatchGetItem"]),
        (MINUTE * 10 - SLACK, vec!["BatchGetItem"]),
        (SLACK, vec!["BatchGetItem", "UpdateItem"]),
        (MINUTE * 9, vec!["BatchGetItem"]),
        (MINUTE, vec!["BatchGetItem", "UpdateItem"]),
    ] {
        advance(&stack, step);
        assert!(is_alive(&ana).await);
        assert_eq!(stack.table.calls(), calls, "{step}");
    }
}

#[tokio::test]
async fn a_session_row_that_contradicts_its_account_is_no_session() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let session = rows::sessions(&stack, &ana.email).await.pop().unwrap();
    for (name, value) in
        [("expires_at", "1"), ("created_at", "1"), ("last_seen", "1"), ("id", "999"), ("generation", "9")]
    {
        rows::put(&stack, rows::with(&session, name, Some(AttributeValue::N(value.to_owned())))).await;
        assert!(!is_alive(&ana).await, "{name}");
        assert_says(&ana.clone().form(paths::DELETE_ACCOUNT, &[]).await, NO_SESSION_EMAIL, name);
    }
    rows::put(&stack, session).await;
    assert!(is_alive(&ana).await);
}

#[tokio::test]
async fn a_reset_token_lives_thirty_minutes_and_no_second_longer() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, mut eva) = (stack.service.visitor(), stack.service.visitor());
    ana.register().await;
    eva.register().await;
    let (late, in_time) = (ana.reset_token().await, eva.reset_token().await);
    advance(&stack, MINUTE * 30 - SLACK);
    assert_eq!(eva.reset(&in_time, "Otra1234").await.success(), true);
    advance(&stack, SLACK + PAST);
    assert_says(&ana.reset(&late, "Otra1234").await, INVALID_TOKEN, "reset");
    assert_eq!(ana.login(journeys::PASSWORD).await.success(), true);
}

#[tokio::test]
async fn the_lifetime_of_a_reset_token_is_a_setting() {
    let (stack, mut ana) = Embedded::registered(&[("RESET_TOKEN_SECONDS", "7200")]).await;
    let token = ana.reset_token().await;
    let mail = stack.service.mails(&ana.email).await[0].clone();
    assert!(mail["text"].as_str().unwrap().contains("120 minutos"), "{mail}");
    advance(&stack, HOUR * 2 - SLACK);
    assert_eq!(ana.reset(&token, "Otra1234").await.success(), true);
    let token = ana.reset_token().await;
    advance(&stack, HOUR * 2 + PAST);
    assert_says(&ana.reset(&token, "Otra1234").await, INVALID_TOKEN, "reset");
}

#[tokio::test]
async fn the_stored_hash_of_a_secret_is_not_accepted_as_the_secret() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let token = ana.reset_token().await;
    let pk = rows::partition_key(&ana.email);
    let stolen = format!("{pk}.{}", rows::text(&rows::profile(&stack, &ana.email).await.unwrap(), "reset_hash"));
    assert_says(&ana.reset(&stolen, "Otra1234").await, INVALID_TOKEN, "reset");
    assert_eq!(rows::hash(&token), stolen[pk.len() + 1..]);

    let session = rows::sessions(&stack, &ana.email).await.pop().unwrap();
    let hash = rows::text(&session, "sk").replace("session#", "");
    assert_eq!(rows::hash(ana.cookie.as_ref().unwrap()), hash);
    let mut thief = ana.elsewhere();
    thief.cookie = Some(format!("session={pk}.{hash}"));
    assert!(!is_alive(&thief).await);
    thief.cookie = Some(format!("session={token}"));
    assert!(!is_alive(&thief).await, "a reset token is no session");
    let cookie = ana.cookie.clone().unwrap().replace("session=", "");
    assert_says(&ana.reset(&cookie, "Otra1234").await, INVALID_TOKEN, "reset");
}

#[tokio::test]
async fn a_session_that_replaces_another_keeps_its_end() {
    let stack = Embedded::start(&[("SESSION_ABSOLUTE_SECONDS", "600")]).await;
    let password = [("name", "Ana"), ("password", "Distinta-2026"), ("confirm_password", "Distinta-2026")];
    for (path, form) in [(paths::CLOSE_SESSION, &[("others", "on")][..]), (paths::USER_CONFIG, &password)] {
        let mut ana = stack.service.visitor().signed_in().await;
        for _ in 0..2 {
            advance(&stack, 280);
            let answer = ana.form(path, form).await;
            assert!(answer.opened().is_some(), "{path}: {answer:?}");
            assert!(is_alive(&ana).await, "{path}");
        }
        advance(&stack, 41 + SLACK);
        assert!(!is_alive(&ana).await, "{path}: a stolen cookie would live for ever");
    }
}

/// Five minutes, longer than any test takes.
const COOLDOWN: [(&str, &str); 1] = [("RESET_COOLDOWN_SECONDS", "300")];
const FIVE_MINUTES: Duration = Duration::from_mins(5);

async fn start() -> (Embedded, Visitor) {
    let (stack, ana) = Embedded::registered(&COOLDOWN).await;
    (stack, ana)
}

async fn ask(visitor: &Visitor) -> Answer {
    visitor.elsewhere().form(paths::SEND_RESET_LINK, &[("email", &visitor.email)]).await
}

#[tokio::test]
async fn within_the_cooldown_a_second_request_sends_nothing_and_the_first_link_works() {
    let (stack, mut ana) = start().await;
    let first = ask(&ana).await;
    let second = ask(&ana).await;
    assert_eq!(first.whole(), second.whole(), "the answers tell nothing");
    let tokens = ana.mailed_tokens().await;
    assert_eq!(tokens.len(), 1);
    assert_eq!(ana.reset(&tokens[0], "Otra1234").await.success(), true);

    assert_says(&ask(&ana).await, LINK_SENT, "before the pause");
    stack.advance(FIVE_MINUTES + Duration::from_secs(1));
    assert_says(&ask(&ana).await, LINK_SENT, "after the pause");
    assert_eq!(ana.mailed_tokens().await.len(), 3);
}

#[tokio::test]
async fn a_cooldown_that_is_longer_than_the_life_of_the_link_ends_with_the_link() {
    let (stack, mut ana) = Embedded::registered(&[("RESET_COOLDOWN_SECONDS", "86400")]).await;
    for (minutes, mails) in [(0, 1), (29, 1), (1, 2)] {
        stack.advance(Duration::from_mins(minutes));
        assert_says(&ask(&ana).await, LINK_SENT, minutes);
        assert_eq!(ana.mailed_tokens().await.len(), mails, "{minutes}");
    }
    let newest = ana.newest_token().await;
    assert_eq!(ana.reset(&newest, "Otra1234").await.success(), true);
}

#[tokio::test]
async fn many_requests_at_once_send_one_mail_within_the_cooldown() {
    let (_stack, ana) = start().await;
    let answers = join_all((0..32).map(|_| ask(&ana))).await;
    for answer in &answers {
        assert_says(answer, LINK_SENT, "each");
    }
    assert_eq!(ana.mailed_tokens().await.len(), 1);
}

#[tokio::test]
async fn a_mail_that_could_not_be_sent_starts_no_cooldown() {
    let (stack, mut ana) = start().await;
    stack.mail.fail_always(Failure::Error);
    assert_says(&ask(&ana).await, INTERNAL, "no mail");
    stack.mail.heal();
    assert_says(&ask(&ana).await, LINK_SENT, "at once");
    let tokens = ana.mailed_tokens().await;
    assert_eq!(ana.reset(&tokens[0], "Otra1234").await.success(), true);
}
