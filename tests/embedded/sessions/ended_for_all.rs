//! The end of all sessions by one item, as an operator orders it.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{INTERNAL, assert_says};
use journeys::sound::assert_sound;
use journeys::{Embedded, Failure, paths, rows};
use serde_json::{Value, json};

use super::authorizer::{reading, refusal};
use super::lifetimes::is_alive;

/// Longer than a process goes on with what it knows.
const MINUTE: Duration = Duration::from_secs(61);

/// Stores this time as the end of all sessions.
async fn store(stack: &Embedded, time: AttributeValue) {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let item = [("pk", text("sessions")), ("sk", text("not-before")), ("not_before", time)];
    rows::put(stack, item.map(|(name, value)| (name.to_owned(), value)).into()).await;
}

/// Ends the sessions of everybody who has signed in so far.
async fn end_all(stack: &Embedded) {
    store(stack, AttributeValue::N((stack.now().seconds() + 1).to_string())).await;
}

/// How many keys each `BatchGetItem` since the last time has read.
fn keys_read(stack: &Embedded) -> Vec<usize> {
    let calls = stack.table.bodies().into_iter();
    let keys = |asked: Value| asked["RequestItems"]["accounts"]["Keys"].as_array().unwrap().len();
    calls.map(|(operation, asked)| if operation == "BatchGetItem" { keys(asked) } else { 0 }).collect()
}

#[tokio::test]
async fn the_end_of_all_sessions_takes_effect_within_a_minute_and_only_for_logins_from_before() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let eva = stack.service.visitor().signed_in().await;
    assert!(is_alive(&ana).await);
    end_all(&stack).await;
    assert!(is_alive(&ana).await, "the process knows that there was none");
    stack.advance(MINUTE);
    for ended in [&ana, &eva] {
        assert!(!is_alive(ended).await);
    }
    let again = ana.on_another_device().await;
    assert!(is_alive(&again).await && !is_alive(&ana).await);
    assert_sound(&stack).await;
}

#[tokio::test]
async fn a_process_reads_the_end_of_all_sessions_once_a_minute_and_with_the_same_call() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    keys_read(&stack);
    for _ in 0..3 {
        assert!(is_alive(&ana).await);
    }
    assert_eq!(keys_read(&stack), [3, 2, 2]);
    stack.advance(MINUTE);
    for _ in 0..2 {
        assert!(is_alive(&ana).await);
    }
    assert_eq!(keys_read(&stack), [3, 2]);
    stack.set_back(MINUTE);
    assert!(is_alive(&ana).await);
    assert_eq!(keys_read(&stack), [3], "what a clock that was set back says is too old");
}

#[tokio::test]
async fn a_session_that_the_end_of_all_sessions_has_ended_is_in_no_list_and_no_count() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let token = ana.verification_token().await;
    end_all(&stack).await;
    stack.advance(MINUTE);
    let mut later = ana.on_another_device().await;
    assert_eq!(later.sessions().await.len(), 1);
    let verified = later.verify(&token).await;
    assert_eq!((verified.success(), &verified.json()["sessions"]), (Value::Bool(true), &json!(1)), "{verified:?}");
}

#[tokio::test]
async fn a_session_that_replaces_one_from_before_the_end_of_all_sessions_has_ended_too() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    // Each function is a process of its own. This one knows that there was none.
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana")]).await.success(), true);
    end_all(&stack).await;
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    stack.advance(MINUTE);
    assert!(!is_alive(&ana).await);
}

#[tokio::test]
async fn the_authorizer_refuses_a_session_from_before_the_end_of_all_sessions() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    assert_eq!(reading(&stack, &ana).await["isAuthorized"], true);
    end_all(&stack).await;
    assert_eq!(reading(&stack, &ana).await, refusal());
}

#[tokio::test]
async fn a_key_that_the_table_does_not_process_at_once_revives_no_session() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    end_all(&stack).await;
    stack.table.fail_call_of("BatchGetItem", 0, Failure::Unprocessed, false);
    assert!(!is_alive(&ana).await);
    assert_eq!(stack.table.failed(), 1);
}

#[tokio::test]
async fn while_the_end_of_all_sessions_cannot_be_read_every_check_of_a_session_fails() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    for broken in [AttributeValue::S("yesterday".to_owned()), AttributeValue::N("-1".to_owned())] {
        store(&stack, broken).await;
        assert_says(&ana.clone().session().await, INTERNAL, "session");
        let verdict = reading(&stack, &ana).await;
        assert!(verdict.get("errorMessage").is_some() && verdict.get("isAuthorized").is_none(), "{verdict}");
    }
    assert!(stack.log().iter().any(|line| line.contains("table.not-before") && line.contains("broken")));
    store(&stack, AttributeValue::N("1".to_owned())).await;
    assert!(is_alive(&ana).await);
}

#[tokio::test]
async fn every_verification_of_an_address_makes_the_same_calls() {
    let stack = Embedded::start(&[]).await;
    for _ in 0..2 {
        let mut ana = stack.service.visitor().registered().await;
        let token = ana.verification_token().await;
        drop(stack.table.calls());
        assert_eq!(ana.verify(&token).await.success(), true);
        assert_eq!(stack.table.calls(), ["UpdateItem", "GetItem", "Query"]);
    }
}
