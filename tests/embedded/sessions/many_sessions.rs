//! The sessions of an account: their list, the cost of calls of an account with more than the limit, and their deletion.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use journeys::{Embedded, Item, PASSWORD, Visitor, paths, rows};
use serde_json::Value;

/// Live sessions of an account.
const SESSIONS_MAX: usize = 50;
/// The largest number of rows that the query of a login returns, without the profile.
const ROWS_READ_MAX: usize = 99;

/// A visitor without a session, and a number of visitors with live sessions of the same account. Each session is a
/// minute newer than the one before.
async fn somebody(stack: &Embedded, sessions: usize) -> (Visitor, Vec<Visitor>) {
    let ana = stack.service.visitor().registered().await;
    let mut devices = Vec::new();
    for _ in 0..sessions {
        devices.push(rows::open_session(stack, &ana).await);
        stack.advance(Duration::from_mins(1));
    }
    (ana, devices)
}

/// The number of an account's session rows, and of those that match the account.
async fn counted(stack: &Embedded, email: &str) -> (usize, usize) {
    let (profile, sessions) = (rows::profile(stack, email).await.unwrap(), rows::sessions(stack, email).await);
    let of = |item: &Item| (rows::text(item, "id"), rows::text(item, "generation"));
    let live = sessions.iter().filter(|row| of(row) == of(&profile));
    (sessions.len(), live.count())
}

async fn login(ana: &Visitor) {
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn another_login_ends_the_least_recently_used_of_fifty_sessions() {
    let stack = Embedded::start(&[]).await;
    let (ana, mut devices) = somebody(&stack, SESSIONS_MAX).await;
    // The oldest session is used again, so the second one is now the least recently used.
    assert_eq!(devices[0].session().await.status, 200);
    drop(stack.table.calls());
    login(&ana).await;
    assert_eq!(stack.table.calls(), ["Query", "TransactWriteItems"], "no more calls than any other login");
    assert_eq!(counted(&stack, &ana.email).await, (SESSIONS_MAX, SESSIONS_MAX));
    for (number, status) in [(0, 200), (1, 401), (2, 200), (SESSIONS_MAX - 1, 200)] {
        assert_eq!(devices[number].session().await.status, status, "{number}");
    }
}

#[tokio::test]
async fn the_presented_session_ends_instead_of_another() {
    let stack = Embedded::start(&[]).await;
    let (ana, mut devices) = somebody(&stack, SESSIONS_MAX).await;
    let mut newest = devices[SESSIONS_MAX - 1].clone();
    assert_eq!(newest.login(PASSWORD).await.success(), true);
    assert_eq!(counted(&stack, &ana.email).await, (SESSIONS_MAX, SESSIONS_MAX));
    assert_eq!(devices[0].session().await.status, 200);
    assert_eq!(newest.session().await.status, 200);
}

#[tokio::test]
async fn ended_sessions_are_removed_before_live_ones() {
    let stack = Embedded::start(&[("SESSION_ABSOLUTE_SECONDS", "3600")]).await;
    let (ana, mut devices) = somebody(&stack, SESSIONS_MAX).await;
    // Used recently, but expired.
    let hash = rows::hash(devices[SESSIONS_MAX - 1].cookie.as_deref().unwrap());
    let sessions = rows::sessions(&stack, &ana.email).await;
    let last = sessions.iter().find(|row| rows::text(row, "sk").ends_with(&hash)).unwrap();
    let past = AttributeValue::N((stack.now().seconds() - 1).to_string());
    rows::put(&stack, rows::with(last, "expires_at", Some(past))).await;
    login(&ana).await;
    assert_eq!(counted(&stack, &ana.email).await.0, SESSIONS_MAX);
    assert_eq!(devices[1].session().await.status, 200);
    assert!(rows::sessions(&stack, &ana.email).await.iter().all(|row| !rows::text(row, "sk").ends_with(&hash)));
}

#[tokio::test]
async fn sessions_of_an_earlier_account_are_the_first_to_go() {
    let stack = Embedded::start(&[]).await;
    let (ana, mut devices) = somebody(&stack, 2).await;
    let newest = rows::sessions(&stack, &ana.email).await.pop().unwrap();
    for number in 0..SESSIONS_MAX {
        let of_another = rows::with(&newest, "id", Some(AttributeValue::N("999".to_owned())));
        let sk = AttributeValue::S(format!("session#{number:043}"));
        rows::put(&stack, rows::with(&of_another, "sk", Some(sk))).await;
    }
    login(&ana).await;
    assert_eq!(counted(&stack, &ana.email).await, (3, 3));
    for device in &mut devices {
        assert_eq!(device.session().await.status, 200);
    }
}

#[tokio::test]
async fn the_next_login_removes_the_rows_of_an_earlier_password() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, _) = somebody(&stack, 40).await;
    ana.reset_to(PASSWORD).await;
    assert_eq!(counted(&stack, &ana.email).await, (40, 0));
    login(&ana).await;
    assert_eq!(counted(&stack, &ana.email).await, (1, 1));
}

#[tokio::test]
async fn simultaneous_logins_into_an_account_with_too_many_sessions_add_no_rows() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    rows::copy_session(&stack, &ana.email, 200).await;
    let mut crowd = vec![ana.elsewhere(); 6];
    let answers = join_all(crowd.iter_mut().map(|one| one.login(PASSWORD))).await;
    let opened = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(opened >= 1);
    let left = counted(&stack, &ana.email).await.0;
    let most = 201_usize.saturating_sub(opened * (ROWS_READ_MAX - SESSIONS_MAX)).max(SESSIONS_MAX + crowd.len());
    assert!(left <= most, "{opened} logins left {left}");
    for _ in 0..4 {
        login(&ana).await;
    }
    assert_eq!(counted(&stack, &ana.email).await, (SESSIONS_MAX, SESSIONS_MAX));
}

/// A cookie of the account that was never issued.
fn forged(ana: &Visitor) -> Visitor {
    let key = rows::partition_key(&ana.email);
    Visitor { cookie: Some(format!("session={key}.{}", "A".repeat(43))), ..ana.clone() }
}

#[tokio::test]
async fn a_forged_cookie_costs_one_read_of_two_items_however_many_rows_there_are() {
    let stack = Embedded::start(&[]).await;
    // The first check of a process also reads the end of all sessions.
    stack.service.visitor().signed_in().await.form(paths::DELETE_ACCOUNT, &[]).await;
    for copies in [10, 2_000] {
        let ana = stack.service.visitor().signed_in().await;
        rows::copy_session(&stack, &ana.email, copies).await;
        drop(stack.table.bodies());
        let answer = forged(&ana).form(paths::DELETE_ACCOUNT, &[]).await;
        assert_eq!(answer.sentence(), (200, "No hay una sesión activa con email.".to_owned()));
        let asked = stack.table.bodies();
        let [(operation, body)] = asked.as_slice() else { panic!("{asked:?}") };
        let tables = body["RequestItems"].as_object().unwrap();
        let keys = tables.values().map(|table| table["Keys"].as_array().unwrap().len());
        assert_eq!((operation.as_str(), keys.sum::<usize>()), ("BatchGetItem", 2), "{copies}");
    }
}

#[tokio::test]
async fn the_list_has_live_sessions_alone_and_the_last_used_first() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    ana.on_another_device().await;
    stack.advance(Duration::from_mins(90));
    assert_eq!(ana.clone().session().await.status, 200);
    let mut phone = ana.on_another_device().await;
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
    let mut phone = ana.on_another_device().await;
    let own = ana.clone().sessions().await.into_iter().find(|session| session["current"] == true).unwrap();
    assert_eq!(own["browser"], "Navegador desconocido");
    let ended = rows::with(&row, "generation", Some(AttributeValue::N("9".to_owned())));
    for unlisted in [rows::with(&row, "created_at", None), ended] {
        rows::put(&stack, unlisted).await;
        let sessions = phone.sessions().await;
        assert_eq!((sessions.len(), &sessions[0]["current"]), (1, &Value::Bool(true)), "{sessions:?}");
    }
}
