//! The export of everything that is stored about a person.

#![cfg(test)]

use journeys::sentences::{DATA_SAVED, INVALID_PARAMETERS, assert_says};
use journeys::{PASSWORD, Service, Visitor, paths};
use serde_json::{Value, json};

/// The maximum number of requests until the index, which may lag behind the table, has an entry.
const ATTEMPTS: usize = 100;

async fn export(ana: &mut Visitor, cursor: &str) -> Value {
    let answer = ana.form(paths::EXPORT_ACCOUNT, &[("cursor", cursor)]).await;
    assert_eq!((answer.status, answer.success()), (200, json!(true)), "{answer:?}");
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
    answer.json()
}

/// The first page of an export that has at least this many entries.
async fn export_with(ana: &mut Visitor, entries: usize) -> Value {
    for _ in 0..ATTEMPTS {
        let page = export(ana, "").await;
        if page["entries"].as_array().unwrap().len() >= entries {
            return page;
        }
    }
    panic!("fewer than {entries} entries");
}

async fn send(ana: &mut Visitor, body: &str) {
    assert_says(&ana.json(paths::RECEIVE_DATA, body).await, DATA_SAVED, body);
}

fn bodies(page: &Value) -> Vec<&str> {
    page["entries"].as_array().unwrap().iter().map(|entry| entry["body"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_export_has_the_account_its_sessions_and_its_entries() {
    let mut ana = Service::shared().visitor().signed_in().await;
    ana.elsewhere().login(PASSWORD).await;
    let user = ana.session().await.json()["user"].clone();
    let entry = r#"{"n":123456789012345678901234567890.10,"z":-0,"a":1,"a":2,"ñ":"\ud800\"\\"}"#;
    send(&mut ana, entry).await;
    let page = export_with(&mut ana, 1).await;
    for name in ["id", "email", "name", "url_image", "accept_news"] {
        assert_eq!(page["account"][name], user[name], "{name}");
    }
    assert_eq!(page["account"]["email_verified"], false);
    let sessions = page["sessions"].as_array().unwrap();
    let own: Vec<_> = sessions.iter().filter(|session| session["current"] == true).collect();
    assert_eq!((sessions.len(), own.len()), (2, 1), "{page}");
    let listed = ana.sessions().await;
    assert_eq!(own[0]["id"], listed.iter().find(|session| session["current"] == true).unwrap()["id"]);
    assert_eq!((bodies(&page), &page["cursor"]), (vec![entry], &Value::Null));
    assert_eq!(page["browsers"], json!([]));
}

#[tokio::test]
async fn the_export_holds_nothing_that_opens_an_account() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.reset_token().await;
    let cookie = ana.cookie.clone().unwrap();
    let text = export(&mut ana, "").await.to_string();
    for secret in [cookie.rsplit('.').next().unwrap(), token.rsplit('.').next().unwrap(), "argon2", PASSWORD] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn an_export_has_nothing_of_another_account_whatever_its_cursor() {
    let (mut ana, mut eva) =
        (Service::shared().visitor().signed_in().await, Service::shared().visitor().signed_in().await);
    send(&mut ana, &json!(vec![json!({"of": "ana"}); 3]).to_string()).await;
    send(&mut eva, r#"{"of":"eva"}"#).await;
    send(&mut eva.elsewhere(), r#"{"of":"no account"}"#).await;
    let of_ana = export_with(&mut ana, 3).await;
    let first = &of_ana["entries"][0];
    let of_eva = export_with(&mut eva, 1).await;
    assert_eq!(bodies(&of_eva), [r#"{"of":"eva"}"#]);
    assert_ne!(of_eva["account"]["id"], of_ana["account"]["id"]);
    for time in ["0", "9999999999999"] {
        let cursor = format!("0-{time}-{}", first["id"].as_str().unwrap());
        let page = export(&mut eva, &cursor).await;
        assert!(!page.to_string().contains(&ana.email) && !bodies(&page).contains(&r#"{"of":"ana"}"#), "{page}");
    }
}

#[tokio::test]
async fn the_owner_is_told_of_an_export_that_begins_with_an_invented_cursor() {
    let mut thief = Service::shared().visitor().signed_in().await;
    let page = export(&mut thief, "0-0-00000000-0000-0000-0000-000000000000#0000000").await;
    assert_eq!(page["account"]["email"], thief.email);
    thief.first_letter("Alguien ha descargado los datos de tu cuenta").await;
}

#[tokio::test]
async fn a_malformed_cursor_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let id = "01a2b3c4-0000-7000-8000-00000000000a#0000000";
    for cursor in ["x", "0-", &format!("1-{id}"), &format!("01-1-{id}"), &format!("1--1-{id}"), &format!("1-1-{id}#")] {
        let answer = ana.form(paths::EXPORT_ACCOUNT, &[("cursor", cursor)]).await;
        assert_says(&answer, INVALID_PARAMETERS, cursor);
    }
}
