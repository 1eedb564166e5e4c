//! The listener deletes what a change has ended: sessions, and the entries of a deleted account.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Failure, Item, PASSWORD, paths};
use serde_json::json;

use super::with_notices_on;
use journeys::rows;

/// The item of the only erasure.
async fn erasure(stack: &Embedded) -> Item {
    stack.items("accounts").await.into_iter().find(|item| rows::text(item, "sk") == "erasure").unwrap()
}

#[tokio::test]
async fn the_sessions_that_a_reset_has_ended_are_deleted_and_later_ones_stay() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    rows::copy_session(&stack, &ana.email, 600).await;
    let token = ana.reset_token().await;
    ana.reset(&token, "Otra1234").await;
    assert_eq!(ana.login("Otra1234").await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(rows::sessions(&stack, &ana.email).await.len(), 1);
    assert_eq!(ana.session().await.status, 200);
}

#[tokio::test]
async fn a_deletion_leaves_nothing_of_the_account_in_either_table() {
    let stack = Embedded::start(&[("NOTICES", "on"), ("LOGIN_MAX_FAILURES", "5")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let (pk, id) = (rows::text(&profile, "pk"), rows::text(&profile, "id"));
    let others = stack.service.visitor();
    for visitor in [&ana, &others] {
        let entries = json!(vec![json!({"of": "somebody"}); 120]).to_string();
        assert_eq!(visitor.clone().json(paths::RECEIVE_DATA, entries).await.success(), true);
    }
    ana.without_session().login("Otra1234").await;
    assert!(stack.items("accounts").await.iter().any(|row| rows::text(row, "sk").starts_with("failures")));
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    let accounts = format!("{:?}", stack.items("accounts").await);
    assert!(!accounts.contains(&pk) && !accounts.contains(&ana.email), "{accounts}");
    let entries = stack.items("entries").await;
    assert_eq!(entries.len(), 120, "the entries without an account stay");
    assert!(entries.iter().all(|entry| rows::text(entry, "account") != id));
}

#[tokio::test]
async fn a_session_left_by_a_race_with_a_deletion_is_deleted() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    let session = rows::sessions(&stack, &ana.email).await.pop().unwrap();
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    rows::put(&stack, session).await;
    // Another account of the same address.
    ana.register().await;
    ana.login(PASSWORD).await;
    assert!(stack.deliver_changes().await);
    assert_eq!(rows::sessions(&stack, &ana.email).await.len(), 1);
    assert_eq!(ana.session().await.status, 200);
}

#[tokio::test]
async fn entries_that_the_index_shows_late_are_erased_later() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    assert!(stack.deliver_changes().await);
    let entries = json!(vec![json!({"of": "Ana"}); 120]).to_string();
    assert_eq!(ana.json(paths::RECEIVE_DATA, entries).await.success(), true);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    // The first query reads the sessions of the account. The second one reads what has happened to it, the third the
    // index, which shows no entry yet.
    let empty = json!({"Count": 0, "Items": [], "ScannedCount": 0}).to_string();
    stack.table.fail_call_of("Query", 2, Failure::Answer(200, empty), false);
    drop(stack.table.calls());
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.table.calls().iter().filter(|call| *call == "Query").count(), 3);
    assert_eq!(stack.items("entries").await.len(), 120, "the index was late");

    // TTL deletes the item after at least an hour. The test deletes it here.
    let erasure = erasure(&stack).await;
    let expires_at: u64 = rows::text(&erasure, "expires_at").parse().unwrap();
    assert!((3590..=3600).contains(&(expires_at - stack.now().seconds())));
    let erasure = rows::expire_erasures(&stack).await.remove(0);
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.items("entries").await.len(), 0);
    assert!(stack.items("accounts").await.iter().all(|item| rows::text(item, "pk") != rows::text(&erasure, "pk")));
}

#[tokio::test]
async fn the_second_erasure_leaves_the_entries_of_an_account_that_was_created_again_with_its_id() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"old":1}"#).await.success(), true);
    let late = stack.items("entries").await.remove(0);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.items("entries").await.len(), 0);
    // The index shows an old entry late. An import creates the account again, and its owner sends another entry.
    stack.dynamodb().put_item().table_name("entries").set_item(Some(late)).send().await.unwrap();
    stack.advance(Duration::from_mins(1));
    rows::put(&stack, profile).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"new":1}"#).await.success(), true);
    rows::expire_erasures(&stack).await;
    assert!(stack.deliver_changes().await);
    let bodies: Vec<_> = stack.items("entries").await.iter().map(|entry| rows::text(entry, "body")).collect();
    assert_eq!(bodies, [r#"{"new":1}"#]);
}

#[tokio::test]
async fn a_second_deletion_of_an_id_erases_what_the_first_one_left() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    let first: u64 = rows::text(&erasure(&stack).await, "deleted_at").parse().unwrap();
    // The deletion is dated back, so that the test need not wait for a later one.
    let earlier = rows::with(&erasure(&stack).await, "deleted_at", Some(AttributeValue::N((first - 60).to_string())));
    rows::put(&stack, earlier).await;
    rows::put(&stack, profile).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(ana.json(paths::RECEIVE_DATA, "{}").await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.items("entries").await.len(), 1, "the first deletion was before this entry");
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.items("entries").await.len(), 0);
    assert!(rows::text(&erasure(&stack).await, "deleted_at").parse::<u64>().unwrap() >= first);
}

#[tokio::test]
async fn late_records_of_a_deleted_account_leave_the_sessions_of_an_account_that_was_created_again_with_its_id() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    let (profile, old) = (rows::profile(&stack, &ana.email).await.unwrap(), rows::sessions(&stack, &ana.email).await);
    let passwords = [("name", "Ana"), ("password", "Otra1234"), ("confirm_password", "Otra1234")];
    assert_eq!(ana.form(paths::USER_CONFIG, &passwords).await.success(), true);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    rows::put(&stack, old[0].clone()).await;
    stack.advance(Duration::from_mins(1));
    rows::put(&stack, profile).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(ana.session().await.status, 200);
    assert_eq!(rows::sessions(&stack, &ana.email).await.len(), 1, "the old session has ended");
}

#[tokio::test]
async fn an_erasure_of_an_earlier_release_has_the_time_of_its_request() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let id = rows::text(&rows::profile(&stack, &ana.email).await.unwrap(), "id");
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"old":1}"#).await.success(), true);
    let requested = stack.now().seconds();
    stack.advance(Duration::from_mins(1));
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"new":1}"#).await.success(), true);
    let item = [
        ("pk", AttributeValue::S(format!("erasure#{id}"))),
        ("sk", AttributeValue::S("erasure".to_owned())),
        ("expires_at", AttributeValue::N((requested + 3600).to_string())),
    ];
    rows::put(&stack, item.map(|(name, value)| (name.to_owned(), value)).into()).await;
    assert!(stack.deliver_changes().await);
    let bodies: Vec<_> = stack.items("entries").await.iter().map(|entry| rows::text(entry, "body")).collect();
    assert_eq!(bodies, [r#"{"new":1}"#]);
}
