//! The cost of some changes of an account in the function `notices`: calls to the tables with the units that DynamoDB
//! bills for them, mails, and events on the bus. `calls.txt` has these counts.

use std::ops::Add;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Billed, Embedded, PASSWORD, Visitor, generated, paths};
use serde_json::json;

use journeys::rows;

use super::scale::COUNTS;

/// The first line of the table.
const HEADER: &str = "| Change | calls to the tables | read units | write units | mails | events |";
/// The changes in the table.
const CHANGES: [&str; 8] = [
    "a login",
    "a second counted wrong password",
    "a change that ends no session and sends no notice, such as a registration",
    "a registration with `VerifyEmails`",
    "a new password, which ends one session",
    "a link to Google that removes nothing",
    "a deletion, 25 entries",
    "the end of an erasure that finds nothing",
];

/// Makes a change that the function has not received yet.
async fn change(stack: &Embedded, title: &str) {
    let mut ana: Visitor = stack.service.visitor();
    if title.contains("registration") {
        ana.register().await;
        return;
    }
    ana = ana.registered().await;
    if ["a login", "a second counted wrong password"].contains(&title) {
        let password = if title == "a login" { PASSWORD } else { "Equivocada1" };
        if title != "a login" {
            ana.login(password).await;
        }
        assert!(stack.deliver_changes().await);
        ana.login(password).await;
        return;
    }
    ana.login(PASSWORD).await;
    let mut profile = rows::profile(stack, &ana.email).await.unwrap();
    profile.insert("email_verified".to_owned(), AttributeValue::Bool(true));
    rows::put(stack, profile).await;
    let done = match title {
        "a new password, which ends one session" => {
            ana.elsewhere().login(PASSWORD).await;
            assert!(stack.deliver_changes().await);
            let fields = [("name", "Ana"), ("password", "Otra1234"), ("confirm_password", "Otra1234")];
            ana.form(paths::USER_CONFIG, &fields).await
        }
        "a link to Google that removes nothing" => {
            assert!(stack.deliver_changes().await);
            ana.elsewhere().google(json!({})).await
        }
        _ => {
            ana.json(paths::RECEIVE_DATA, json!(vec![json!({}); 25]).to_string()).await;
            assert!(stack.deliver_changes().await);
            ana.form(paths::DELETE_ACCOUNT, &[]).await
        }
    };
    assert_eq!(done.status, 200, "{title}");
    if title.starts_with("the end of an erasure") {
        assert!(stack.deliver_changes().await);
        rows::expire_erasures(stack).await;
    }
}

async fn row(title: &str) -> String {
    let settings: &[_] = match title {
        "a registration with `VerifyEmails`" => &[("VERIFY_EMAIL", "on")],
        "a second counted wrong password" => &[("LOGIN_MAX_FAILURES", "10")],
        _ => &[],
    };
    let stack = Embedded::start(settings).await;
    change(&stack, title).await;
    let before = stack.events().await.len();
    drop((stack.table.billed(), stack.mail.calls()));
    assert!(stack.deliver_changes().await);
    let billed = stack.table.billed();
    let is_read = |call: &Billed| ["GetItem", "Query"].contains(&&*call.operation);
    let units =
        |reads: bool| billed.iter().filter(|call| is_read(call) == reads).map(|call| call.units).fold(0.0, f64::add);
    let mut calls: Vec<_> = billed.iter().map(|call| format!("`{}`", call.operation)).collect();
    calls.sort();
    let (reads, writes, mails) = (units(true), units(false), stack.mail.calls().len());
    let events = stack.events().await.len() - before;
    format!("| {title} | {} | {reads} | {writes} | {mails} | {events} |\n", calls.join(", "))
}

#[tokio::test]
async fn docs_scale_has_the_cost_of_every_listed_change() {
    let rows = futures_util::future::join_all(CHANGES.map(row)).await;
    generated::check_table(COUNTS, HEADER, &rows.concat());
}
