//! `accounts restore`: an account that was erased by mistake comes back from a copy of the table.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{LOGGED_IN, assert_says};
use journeys::sound::assert_sound;
use journeys::{Embedded, Failure, PASSWORD, Visitor, rows};
use serde_json::json;

use super::restored::{counter, id, restore as copy_table};
use super::start;
use crate::Ended;
use crate::support::{accounts, set};

async fn restore(stack: &Embedded, who: &str, more: &[&str]) -> Ended {
    let command = ["restore", who, "--from", "restored", "--reason", "erased by mistake", "--json"];
    accounts(stack, &[&command, more].concat()).await
}

async fn erase(stack: &Embedded, who: &str) {
    let erased = accounts(stack, &["erase", who, "--reason", "a mistake", "--yes"]).await;
    assert_eq!(erased.code, 0, "{erased:?}");
}

/// A stack with an account that was erased after the copy of the table was made, and its id.
async fn erased() -> (Embedded, Visitor, String) {
    let (stack, ana) = start().await;
    let id = id(&ana).await.to_string();
    copy_table(&stack).await;
    erase(&stack, &ana.email).await;
    (stack, ana, id)
}

/// Asserts that a restoration is refused with this text, and changes nothing.
async fn assert_refused(stack: &Embedded, who: &str, text: &str) {
    let before = crate::table(stack).await;
    let refused = restore(stack, who, &["--yes"]).await;
    assert!(refused.code == 1 && refused.err.contains(text), "{text}: {refused:?}");
    assert_eq!(crate::table(stack).await, before, "{text}");
}

#[tokio::test]
async fn an_account_that_was_erased_by_mistake_comes_back_with_all_its_ways_in_and_without_its_sessions() {
    let (stack, mut ana) = start().await;
    let token = ana.verification_token().await;
    assert_eq!(ana.verify(&token).await.success(), true);
    let sub = json!({"sub": "110", "email": ana.email});
    assert_eq!(ana.elsewhere().google(sub.clone()).await.json()["status"], "exists");
    let mut authenticator = ana.with_passkey().await;
    let (id, reset) = (id(&ana).await, ana.reset_token().await);
    let left = rows::sessions(&stack, &ana.email).await.remove(0);
    copy_table(&stack).await;
    erase(&stack, &ana.email).await;
    // What a request at the same time may have left, after all sessions of the copy had ended.
    let later = rows::text(&left, "generation").parse::<u64>().unwrap() + 1;
    rows::put(&stack, rows::with(&left, "generation", Some(AttributeValue::N(later.to_string())))).await;

    let asked = restore(&stack, &ana.email, &[]).await;
    assert_eq!(asked.code, 3, "{asked:?}");
    let dry = restore(&stack, &ana.email, &["--dry-run"]).await;
    let expected = |changed: bool| {
        json!({
            "id": id, "email": ana.email, "from": "restored", "dry_run": !changed, "changed": changed,
            "has_password": true, "google_sub": "110", "passkeys": 1,
        })
    };
    assert_eq!((dry.code, dry.json()), (0, expected(false)), "{dry:?}");
    assert_eq!(rows::profile(&stack, &ana.email).await, None);
    let done = restore(&stack, &ana.email, &["--yes"]).await;
    assert_eq!((done.code, done.json()), (0, expected(true)), "{done:?}");
    assert_eq!(done.trail(), ["account-restored intended", "account-restored done"]);

    assert_eq!(ana.session().await.status, 401, "the sessions of the copy, and any row that was left");
    assert_eq!(ana.reset(&reset, "Otra1234").await.success(), false, "the links that were mailed");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "the passkey");
    assert_eq!(ana.elsewhere().google(sub).await.json()["status"], "exists");
    let mut again = ana.elsewhere();
    assert_says(&again.login(PASSWORD).await, LOGGED_IN, "the password");
    assert_eq!(super::restored::id(&again).await, id);
    assert_sound(&stack).await;
}

#[tokio::test]
async fn an_account_whose_address_has_changed_comes_back_with_the_new_one() {
    let (stack, mut ana) = start().await;
    let id = id(&ana).await.to_string();
    let moved = format!("new.{}", ana.email);
    let set = ["set-email", &id, &moved, "--reason", "asked by the owner", "--yes"];
    assert_eq!(accounts(&stack, &set).await.code, 0);
    copy_table(&stack).await;
    erase(&stack, &id).await;
    let done = restore(&stack, &moved, &["--yes"]).await;
    assert_eq!((done.code, &done.json()["email"]), (0, &json!(moved)), "{done:?}");
    ana.email = moved;
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "the new address");
    assert_sound(&stack).await;
}

#[tokio::test]
async fn an_account_does_not_come_back_if_its_address_is_registered_again() {
    let (stack, ana, id) = erased().await;
    let mut new = ana.elsewhere();
    new.register().await;
    for who in [&ana.email, &id] {
        assert_refused(&stack, who, "is registered again").await;
    }
    let moved = format!("other.{}", ana.email);
    let set = ["set-email", &ana.email, &moved, "--reason", "asked by the owner", "--yes"];
    assert_eq!(accounts(&stack, &set).await.code, 0);
    assert_refused(&stack, &id, "is registered again").await;
    erase(&stack, &moved).await;
    assert_eq!(restore(&stack, &id, &["--yes"]).await.code, 0);
}

#[tokio::test]
async fn an_account_that_exists_is_not_put_back() {
    let (stack, ana) = start().await;
    copy_table(&stack).await;
    assert_refused(&stack, &ana.email, "exists: nothing was changed").await;
}

#[tokio::test]
async fn an_account_does_not_come_back_if_its_id_its_identity_or_its_passkey_is_anothers() {
    let (stack, mut ana) = start().await;
    let google = json!({"sub": "111", "email": ana.email});
    ana.google(google).await;
    ana.with_passkey().await;
    let number = id(&ana).await.to_string();
    let before = stack.items("accounts").await;
    let pointer = before.into_iter().find(|row| rows::text(row, "pk").starts_with("credential#")).unwrap();
    copy_table(&stack).await;
    erase(&stack, &ana.email).await;
    rows::put(&stack, pointer.clone()).await;
    assert_refused(&stack, &ana.email, "a passkey of the account has rows in the table already").await;
    rows::delete(&stack, &pointer).await;
    let eva = stack.service.visitor().registered().await;
    let identity = json!({"sub": "111", "email": eva.email});
    assert_eq!(eva.clone().google(identity).await.json()["status"], "exists");
    assert_refused(&stack, &ana.email, "google:111 belongs to another account").await;
    let own = rows::profile(&stack, &eva.email).await.unwrap()["id"].clone();
    set(&stack, &eva.email, "profile_id", AttributeValue::N(number.clone())).await;
    assert_refused(&stack, &ana.email, &format!("another account has the id {number}")).await;
    set(&stack, &eva.email, "profile_id", own).await;
    erase(&stack, &eva.email).await;
    assert_eq!(restore(&stack, &ana.email, &["--yes"]).await.code, 0);
}

#[tokio::test]
async fn an_account_whose_id_could_be_given_again_does_not_come_back() {
    let (stack, ana, _) = erased().await;
    let key = |text: &str| AttributeValue::S(text.to_owned());
    let row = [("pk", key("counter")), ("sk", key("user-id")), ("total", AttributeValue::N("0".to_owned()))];
    rows::put(&stack, row.map(|(name, value)| (name.to_owned(), value)).into()).await;
    assert_refused(&stack, &ana.email, "could be given again").await;
    assert_eq!(counter(&stack, "accounts").await, 0);
}

#[tokio::test]
async fn a_restoration_names_what_it_cannot_find() {
    let (stack, ana, _) = erased().await;
    let unknown = restore(&stack, "nobody@example.com", &["--yes"]).await;
    assert_eq!(unknown.code, 4, "{unknown:?}");
    let reason = ["--reason", "a test", "--yes"];
    let in_use = accounts(&stack, &[&["restore", &ana.email, "--from", "accounts"], &reason[..]].concat()).await;
    assert!(in_use.code == 3 && in_use.err.contains("the table in use"), "{in_use:?}");
    let missing = accounts(&stack, &[&["restore", &ana.email, "--from", "nothing"], &reason[..]].concat()).await;
    assert!(missing.code == 1 && missing.err.contains("the table nothing cannot be read"), "{missing:?}");
}

#[tokio::test]
async fn a_restoration_that_the_table_fails_changes_nothing_and_can_be_repeated() {
    let (stack, ana, _) = erased().await;
    let before = crate::table(&stack).await;
    stack.table.fail_call_of("TransactWriteItems", 0, Failure::Answer(400, "{}".to_owned()), true);
    let failed = restore(&stack, &ana.email, &["--yes"]).await;
    assert_eq!((failed.code, failed.trail()[1].as_str()), (1, "account-restored failed"), "{failed:?}");
    stack.table.heal();
    assert_eq!(crate::table(&stack).await, before);
    assert_eq!(restore(&stack, &ana.email, &["--yes"]).await.code, 0);
}
