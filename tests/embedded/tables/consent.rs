//! What an owner has accepted, and when: the export shows it.

use std::time::Duration;

use journeys::{Embedded, Visitor, paths};
use serde_json::{Value, json};

/// The account in the owner's export.
async fn exported(ana: &mut Visitor) -> Value {
    ana.form(paths::EXPORT_ACCOUNT, &[]).await.json()["account"].clone()
}

#[tokio::test]
async fn a_registration_stores_when_and_which_terms_were_accepted_and_the_settings_when_the_newsletter_changed() {
    let (stack, mut ana) = Embedded::signed_in(&[("TERMS_VERSION", "2027-01"), ("CONFIRM_SECONDS", "0")]).await;
    let first = exported(&mut ana).await;
    assert_eq!(first["terms_version"], "2027-01");
    assert_eq!((&first["terms_accepted_at"], &first["news_changed_at"]), (&first["created_at"], &first["created_at"]));

    stack.advance(Duration::from_mins(1));
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("notifications", "")]).await.success(), true);
    assert_eq!(exported(&mut ana).await["news_changed_at"], first["news_changed_at"], "the same choice again");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("notifications", "on")]).await.success(), true);
    let changed = exported(&mut ana).await;
    assert!(changed["news_changed_at"].as_str() > first["news_changed_at"].as_str(), "{changed}");
    assert_eq!(changed["terms_accepted_at"], first["terms_accepted_at"]);
}

#[tokio::test]
async fn the_google_login_of_the_owner_ends_a_newsletter_that_a_stranger_has_ordered() {
    let stack = Embedded::start(&[("CONFIRM_SECONDS", "0")]).await;
    let mut ana = stack.service.visitor();
    assert_eq!(ana.register_with(&[("notifications", "on")]).await.success(), true);
    stack.advance(Duration::from_mins(1));
    assert_eq!(ana.google(json!({})).await.status, 200);
    let account = exported(&mut ana).await;
    assert_eq!(account["accept_news"], 0);
    assert!(account["news_changed_at"].as_str() > account["created_at"].as_str(), "{account}");
}
