//! Imports in a fixed order with the users' own requests. In all tests but the last, a write of the import is delayed,
//! and reaches the table after a user's change of the same account.

use std::time::Duration;

use journeys::{Embedded, Failure, Visitor, paths};
use serde_json::{Value, json};

use super::files::{HASH, PASSWORD, TempFile, user_with};
use crate::{Ended, Program};

const OTHER: &str = "Otra1234";

/// A stack, and Ana, whose account was imported.
async fn imported(changes: &Value) -> (Embedded, Visitor) {
    let stack = Embedded::start(&[]).await;
    assert_eq!(import(&stack, &user_with(1, changes)).await.count("created"), 1);
    let mut ana = stack.service.visitor();
    ana.email = "user1@example.com".to_owned();
    (stack, ana)
}

async fn import(stack: &Embedded, row: &Value) -> Ended {
    let file = TempFile::of(std::slice::from_ref(row));
    Program::of(stack).run(&["import", file.path(), "--proved", "all"]).await
}

/// Imports a row whose write, a call of `operation`, arrives after `meanwhile`.
async fn delayed(stack: &Embedded, operation: &str, row: &Value, meanwhile: impl Future<Output = ()>) -> Ended {
    drop(stack.table.calls());
    let late = stack.table.late();
    stack.table.fail_call_of(operation, 0, Failure::Delay, false);
    let change = async {
        let mut calls = Vec::new();
        while !calls.iter().any(|call| call == operation) {
            calls.extend(stack.table.calls());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        meanwhile.await;
        assert_eq!(stack.table.late(), late, "the change came too late");
    };
    let (ended, ()) = tokio::join!(import(stack, row), change);
    assert_eq!(stack.table.late(), late + 1);
    ended
}

#[tokio::test]
async fn a_registration_before_the_write_of_an_import_keeps_its_account() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    let row = user_with(7, &json!({"email": ana.email.to_uppercase()}));
    let mut registering = ana.clone();
    let ended =
        delayed(&stack, "TransactWriteItems", &row, async { assert_eq!(registering.register().await.success(), true) })
            .await;
    assert_eq!((ended.code, ended.count("refused")), (2, 1));
    assert_eq!(ana.login(journeys::PASSWORD).await.user("id"), 8, "an id above those of the file");
}

#[tokio::test]
async fn another_import_before_the_write_of_an_import_leaves_it_nothing_to_do() {
    let (stack, _) = imported(&json!({})).await;
    for (operation, row) in [
        ("TransactWriteItems", user_with(2, &json!({"google_sub": "s2"}))),
        ("UpdateItem", user_with(2, &json!({"google_sub": "s2", "name": "De allí"}))),
        // The other import has written something else.
        ("UpdateItem", user_with(2, &json!({"google_sub": "s2", "name": "De aquí"}))),
    ] {
        let meanwhile =
            if row["name"] == "De aquí" { user_with(2, &json!({"google_sub": "s2"})) } else { row.clone() };
        let ended = delayed(&stack, operation, &row, async {
            let other = import(&stack, &meanwhile).await;
            assert_eq!(other.count("created") + other.count("updated"), 1, "{other:?}");
        })
        .await;
        let done = if row["name"] == "De aquí" { "updated" } else { "unchanged" };
        assert_eq!((ended.code, ended.count(done)), (0, 1), "{row}: {ended:?}");
    }
}

#[tokio::test]
async fn a_login_before_the_update_of_an_import_keeps_its_new_hash() {
    let (stack, mut ana) = imported(&json!({})).await;
    let row = user_with(1, &json!({"name": "De allí"}));
    let mut other = ana.clone();
    let ended =
        delayed(&stack, "UpdateItem", &row, async { assert_eq!(other.login(PASSWORD).await.success(), true) }).await;
    assert_eq!((ended.code, ended.count("left")), (0, 1), "{ended:?}");
    assert_eq!(ana.login(PASSWORD).await.user("name"), "Usuaria 1");
    let rows = crate::table(&stack).await.join("\n");
    assert!(!rows.contains(HASH) && rows.contains("$argon2id$"));
}

#[tokio::test]
async fn a_reset_before_the_update_of_an_import_keeps_the_new_password() {
    let (stack, mut ana) = imported(&json!({})).await;
    let token = ana.reset_token().await;
    let row = user_with(1, &json!({"password": HASH.replace("$2y$", "$2a$")}));
    let mut other = ana.clone();
    let reset = async { assert_eq!(other.reset(&token, OTHER).await.success(), true) };
    let ended = delayed(&stack, "UpdateItem", &row, reset).await;
    assert_eq!((ended.code, ended.count("left")), (0, 1), "{ended:?}");
    assert_eq!(ana.login(PASSWORD).await.success(), false);
    assert_eq!(ana.login(OTHER).await.success(), true);
}

#[tokio::test]
async fn an_update_of_an_import_does_not_bring_a_deleted_account_back() {
    let (stack, mut ana) = imported(&json!({"google_sub": "s1"})).await;
    // A Google login changes nothing in the account, so the account is still as the first import left it.
    ana.google(json!({"sub": "s1"})).await;
    let row = user_with(1, &json!({"name": "De allí", "google_sub": "s1"}));
    let delete = async { assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true) };
    let ended = delayed(&stack, "UpdateItem", &row, delete).await;
    assert_eq!((ended.code, ended.count("left")), (0, 1), "{ended:?}");
    assert!(!crate::table(&stack).await.join("\n").contains("user1@example.com"));
}

#[tokio::test]
async fn a_reset_link_still_works_after_an_update_of_an_import() {
    let (stack, mut ana) = imported(&json!({})).await;
    let token = ana.reset_token().await;
    assert_eq!(import(&stack, &user_with(1, &json!({"name": "De allí"}))).await.count("updated"), 1);
    assert_eq!(ana.reset(&token, OTHER).await.success(), true);
    assert_eq!(ana.login(OTHER).await.user("name"), "De allí");
}
