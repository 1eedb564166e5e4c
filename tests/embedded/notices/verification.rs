//! `VERIFY_EMAIL`: the verification link after a registration.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{INVALID_TOKEN, VERIFICATION_SENT, VERIFIED, assert_says};
use journeys::{Embedded, Failure, paths};
use serde_json::json;

use super::{subjects, subjects_after_delivery};
use journeys::rows;

const VERIFY: &str = "Verifica tu dirección de correo";

async fn verifying() -> Embedded {
    Embedded::start(&[("VERIFY_EMAIL", "on")]).await
}

#[tokio::test]
async fn a_registration_is_followed_by_one_link_and_never_waits_for_mail() {
    let stack = verifying().await;
    stack.mail.fail_always(Failure::Error);
    let mut ana = stack.service.visitor().registered().await;
    assert_eq!(stack.mail.calls(), [""; 0]);
    assert!(!stack.deliver_changes().await);
    stack.mail.heal();
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [VERIFY]);
    let token = ana.newest_token().await;
    assert_says(&ana.verify(&token).await, VERIFIED, "the link of the registration");
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [VERIFY], "the owner is not notified of the verification");
}

#[tokio::test]
async fn the_link_of_a_registration_is_sent_although_a_token_was_stored_a_moment_ago() {
    let (stack, ana) = Embedded::registered(&[("VERIFY_EMAIL", "on"), ("RESET_COOLDOWN_SECONDS", "300")]).await;
    // The table does not confirm the token that it has stored, so the function ends before it sends the mail.
    stack.table.fail_call_of("TransactWriteItems", 0, Failure::DropAfter, true);
    assert!(!stack.deliver_changes().await);
    stack.table.heal();
    assert_eq!(stack.mail.calls(), [""; 0]);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [VERIFY]);
}

#[tokio::test]
async fn by_default_and_for_google_and_imported_accounts_no_link_is_sent() {
    let (stack, ana) = Embedded::registered(&[]).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [""; 0]);
    let stack = verifying().await;
    let mut eva = stack.service.visitor();
    assert_eq!(eva.google(json!({})).await.json()["status"], "inserted");
    assert_eq!(subjects_after_delivery(&stack, &eva).await, [""; 0]);
    let leo = stack.service.visitor().registered().await;
    let profile = rows::profile(&stack, &leo.email).await.unwrap();
    let imported = rows::with(&profile, "import_run", Some(AttributeValue::S("a run".to_owned())));
    let imported = rows::with(&imported, "import_digest", Some(AttributeValue::S("a digest".to_owned())));
    let imported = rows::with(&imported, "import_generation", Some(AttributeValue::N("1".to_owned())));
    let zoe = stack.service.visitor();
    rows::copy_account(&stack, &imported, &zoe).await;
    assert_eq!(subjects_after_delivery(&stack, &zoe).await, [""; 0]);
}

#[tokio::test]
async fn a_link_lives_a_day_and_no_second_longer() {
    let stack = verifying().await;
    for (seconds, says) in [(24 * 60 * 60 - 60, VERIFIED), (24 * 60 * 60, INVALID_TOKEN)] {
        let mut ana = stack.service.visitor().registered().await;
        assert!(stack.deliver_changes().await);
        let token = ana.newest_token().await;
        stack.advance(Duration::from_secs(seconds));
        assert_says(&ana.verify(&token).await, says, seconds);
    }
}

#[tokio::test]
async fn a_second_request_within_the_cooldown_sends_nothing_and_a_failed_mail_starts_no_cooldown() {
    let (stack, mut ana) = Embedded::signed_in(&[("RESET_COOLDOWN_SECONDS", "300")]).await;
    stack.mail.fail_always(Failure::Error);
    assert_eq!(ana.form(paths::SEND_VERIFICATION, &[]).await.status, 500);
    stack.mail.heal();
    for _ in 0..2 {
        assert_says(&ana.form(paths::SEND_VERIFICATION, &[]).await, VERIFICATION_SENT, "the same answer");
    }
    assert_eq!(subjects(&ana).await, [VERIFY]);
    stack.advance(Duration::from_secs(301));
    assert_says(&ana.form(paths::SEND_VERIFICATION, &[]).await, VERIFICATION_SENT, "after the pause");
    assert_eq!(subjects(&ana).await.len(), 2);
}
