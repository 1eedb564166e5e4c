//! The list of sessions, with rows and times that only a test can create.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, PASSWORD, rows};
use serde_json::Value;

#[tokio::test]
async fn the_list_has_live_sessions_alone_and_the_last_used_first() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let mut forgotten = ana.elsewhere();
    forgotten.login(PASSWORD).await;
    stack.advance(Duration::from_mins(90));
    assert_eq!(ana.clone().session().await.status, 200);
    let mut phone = ana.elsewhere();
    phone.login(PASSWORD).await;
    stack.advance(Duration::from_mins(40));

    assert_eq!(rows::sessions(&stack, &ana.email).await.len(), 3, "the forgotten session has a row still");
    let sessions = phone.sessions().await;
    let current: Vec<_> = sessions.iter().map(|session| session["current"].as_bool().unwrap()).collect();
    assert_eq!(current, [true, false], "{sessions:?}");
    let time = |place: usize, name: &str| sessions[place][name].as_str().unwrap().to_owned();
    assert!(time(0, "last_seen_at") >= time(1, "last_seen_at"));
    assert!(time(0, "created_at") > time(1, "created_at"));
    // The call has updated the caller's last use, which was 40 minutes old.
    assert!(time(0, "last_seen_at") > time(0, "created_at"));
}

#[tokio::test]
async fn of_sessions_that_were_last_used_in_the_same_second_the_callers_is_first() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let mut devices = vec![ana.elsewhere(), ana.elsewhere(), ana.elsewhere()];
    for device in &mut devices {
        device.login(PASSWORD).await;
    }
    let rows = rows::sessions(&stack, &ana.email).await;
    let second = rows[0]["last_seen"].clone();
    for row in &rows {
        let row = rows::with(row, "last_seen", Some(second.clone()));
        rows::put(&stack, rows::with(&row, "created_at", Some(second.clone()))).await;
    }
    devices.push(ana);
    for device in &mut devices {
        let current: Vec<_> = device.sessions().await.iter().map(|session| session["current"] == true).collect();
        assert_eq!(current, [true, false, false, false]);
    }
}

#[tokio::test]
async fn a_session_from_before_names_were_stored_is_listed_and_a_broken_or_ended_one_is_not() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let row = rows::sessions(&stack, &ana.email).await.pop().unwrap();
    rows::put(&stack, rows::with(&row, "browser", None)).await;
    let mut phone = ana.elsewhere();
    phone.login(PASSWORD).await;
    let own = ana.clone().sessions().await.into_iter().find(|session| session["current"] == true).unwrap();
    assert_eq!(own["browser"], "Navegador desconocido");
    let ended = rows::with(&row, "generation", Some(AttributeValue::N("9".to_owned())));
    for unlisted in [rows::with(&row, "created_at", None), ended] {
        rows::put(&stack, unlisted).await;
        let sessions = phone.sessions().await;
        assert_eq!((sessions.len(), &sessions[0]["current"]), (1, &Value::Bool(true)), "{sessions:?}");
    }
}
