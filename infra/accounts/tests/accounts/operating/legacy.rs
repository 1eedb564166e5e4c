//! `accounts legacy`: which hashes it counts, lists and removes.

use journeys::sentences::{LOGGED_IN, WRONG_CREDENTIALS, assert_says};
use serde_json::json;
use shared::store::operator::{Operator, Profile};

use super::{BCRYPT, OTHER, change, start};
use crate::support::{accounts, items, set_password, text};

#[tokio::test]
async fn legacy_hashes_are_listed_and_removed_and_their_owners_reset_by_mail() {
    let (stack, mut ana) = start().await;
    let mut eva = stack.service.visitor().registered().await;
    for email in [&ana.email, &eva.email] {
        set_password(&stack, email, BCRYPT).await;
    }
    // The login replaces the hash by one of this service.
    assert_says(&eva.login("Secreto123").await, LOGGED_IN, "a legacy hash");
    let counted = accounts(&stack, &["legacy", "--json"]).await.json();
    assert_eq!(counted, json!({"bcrypt": 1, "legacy_hashes": 1}));
    let listed = accounts(&stack, &["legacy", "--list", "--json"]).await.lines();
    let [only] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((text(only, "email"), text(only, "format")), (ana.email.clone(), "bcrypt".to_owned()));
    let other = change(&stack, &["legacy", "remove", "--format", "phpass", "--yes", "--json"]).await;
    assert_eq!(other.json()["removed"], json!(0), "{other:?}");
    let run = change(&stack, &["legacy", "remove", "--format", "bcrypt", "--yes", "--json"]).await;
    assert_eq!((run.code, run.json()["removed"].as_u64()), (0, Some(1)), "{run:?}");
    assert_eq!(run.trail(), ["legacy-hash-removed intended", "legacy-hash-removed done"]);
    assert_says(&ana.elsewhere().login("Secreto123").await, WRONG_CREDENTIALS, "the old password");
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, OTHER).await.success(), true);
    assert_says(&ana.elsewhere().login(OTHER).await, LOGGED_IN, "the new password");
    assert_says(&eva.login("Secreto123").await, LOGGED_IN, "the account with a hash of this service");
    assert_eq!(accounts(&stack, &["legacy", "--json"]).await.json(), json!({"legacy_hashes": 0}));
}

#[tokio::test]
async fn a_legacy_hash_that_its_owner_has_replaced_meanwhile_is_not_removed() {
    let (stack, ana) = start().await;
    set_password(&stack, &ana.email, BCRYPT).await;
    let operator = Operator::new(&stack.setup(&[]));
    let read = Profile::read(items(&stack, &ana.email, "profile").await.pop().unwrap()).unwrap();
    assert_says(&ana.elsewhere().login("Secreto123").await, LOGGED_IN, "the login replaces the hash");
    assert!(!operator.remove_password(&read.account).await.unwrap());
    assert_says(&ana.elsewhere().login("Secreto123").await, LOGGED_IN, "login");
}
