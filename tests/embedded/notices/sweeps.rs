//! The rows of ended sessions are deleted without a request.

use journeys::{PASSWORD, paths};
use serde_json::json;

use super::telling;
use crate::support::rows;

#[tokio::test]
async fn the_sessions_that_a_reset_has_ended_are_deleted_and_later_ones_stay() {
    let stack = telling().await;
    let mut ana = stack.service.visitor().signed().await;
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
    let stack = telling().await;
    let mut ana = stack.service.visitor().signed().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let (pk, id) = (rows::text(&profile, "pk"), rows::text(&profile, "id"));
    let others = stack.service.visitor();
    for visitor in [&ana, &others] {
        let entries = json!(vec![json!({"of": "somebody"}); 120]).to_string();
        assert_eq!(visitor.clone().json(paths::RECEIVE_DATA, entries).await.success(), true);
    }
    ana.again().login("Otra1234").await;
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    let accounts = format!("{:?}", stack.items("accounts").await);
    assert!(!accounts.contains(&pk) && !accounts.contains(&ana.email), "{accounts}");
    let entries = stack.items("entries").await;
    assert_eq!(entries.len(), 120, "the entries of nobody stay");
    assert!(entries.iter().all(|entry| rows::text(entry, "account") != id));
}

#[tokio::test]
async fn a_session_that_a_race_leaves_behind_a_deletion_is_deleted() {
    let stack = telling().await;
    let mut ana = stack.service.visitor().signed().await;
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
