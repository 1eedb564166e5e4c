//! The listener deletes what a change has ended: sessions, and the entries of a deleted account.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Item, PASSWORD, paths};

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
    ana.reset_to("Otra1234").await;
    assert_eq!(ana.login("Otra1234").await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(rows::sessions(&stack, &ana.email).await.len(), 1);
    assert_eq!(ana.session().await.status, 200);
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
async fn the_second_erasure_leaves_the_entries_of_an_account_that_was_created_again_with_its_id() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"old":1}"#).await.success(), true);
    let late = stack.items("entries").await.remove(0);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.items("entries").await.len(), 0);
    let expires_at: u64 = rows::text(&erasure(&stack).await, "expires_at").parse().unwrap();
    assert!((3590..=3600).contains(&(expires_at - stack.now().seconds())), "TTL repeats the erasure after an hour");
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
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
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
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
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
