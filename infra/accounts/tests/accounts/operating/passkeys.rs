//! Passkeys: an operator lists and removes them, the erasure of an account deletes them, and the doctor knows their
//! rows.

use journeys::Embedded;
use journeys::sentences::{INVALID_PASSKEY, LOGGED_IN, assert_says};
use serde_json::json;

use crate::support::accounts;

#[tokio::test]
async fn an_operator_lists_the_passkeys_of_an_account_and_removes_one() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let (mut lost, mut kept) = (ana.with_passkey().await, ana.with_passkey().await);
    assert_says(&stack.service.visitor().passkey_login(&mut lost).await, LOGGED_IN, "before");
    let listed = accounts(&stack, &["passkeys", &ana.email, "--json"]).await;
    let listed = listed.lines();
    assert_eq!(listed.len(), 2, "{listed:?}");
    let used = listed.iter().find(|passkey| passkey["last_used_at"].is_string()).unwrap();
    assert_eq!(
        (&used["name"], &used["backup"], &used["transports"]),
        (&json!("Mi portátil"), &json!("not-eligible"), &json!("hybrid internal"))
    );

    let id = used["id"].as_str().unwrap();
    let email = ana.email.clone();
    let command = ["passkeys", "remove", &*email, id, "--reason", "phone stolen", "--yes", "--json"];
    let dry = accounts(&stack, &[&command[..], &["--dry-run"]].concat()).await;
    assert_eq!((dry.code, &dry.json()["changed"]), (0, &json!(false)), "{dry:?}");
    assert_says(&stack.service.visitor().passkey_login(&mut lost).await, LOGGED_IN, "dry run");
    let removed = accounts(&stack, &command).await;
    assert_eq!(removed.code, 0, "{removed:?}");
    assert_eq!(removed.trail(), ["passkey-removed intended", "passkey-removed done"]);
    assert_says(&stack.service.visitor().passkey_login(&mut lost).await, INVALID_PASSKEY, "removed");
    assert_says(&stack.service.visitor().passkey_login(&mut kept).await, LOGGED_IN, "the other one");
    assert_eq!(ana.session().await.status, 200, "its sessions stay");
    let again = accounts(&stack, &command).await;
    assert_eq!(again.code, 4, "{again:?}");
}

#[tokio::test]
async fn erasing_an_account_erases_its_passkeys() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    ana.with_passkey().await;
    let rows = async |kind: &str| {
        let items: Vec<_> = stack.items("accounts").await;
        items.iter().filter(|item| format!("{item:?}").contains(kind)).count()
    };
    assert_eq!((rows("\"passkey#").await, rows("\"credential#").await), (1, 1));
    let run = accounts(&stack, &["erase", &ana.email, "--yes", "--reason", "asked by the owner"]).await;
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!((rows("\"passkey#").await, rows("\"credential#").await), (0, 0));
}

#[tokio::test]
async fn the_doctor_knows_the_rows_of_passkeys() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    ana.with_passkey().await;
    ana.passkey_login_options().await;
    let run = accounts(&stack, &["doctor", "--data"]).await;
    assert!(run.out.contains("The service knows all rows."), "{run:?}");
}
