//! Text that a caller sends is never interpreted: in the expressions of a write, in mails, or as their recipient.

use std::sync::{Arc, Mutex};

use axum::{Json, Router};
use journeys::requests::event;
use journeys::{Embedded, Item, paths, rows, serve};
use serde_json::{Value, json};

use crate::functions;

#[tokio::test]
async fn a_name_that_reads_like_an_expression_is_only_a_name() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let without_name = |row: Option<Item>| rows::with(&rows::with(&row.unwrap(), "name", None), "nonce", None);
    let before = without_name(rows::profile(&stack, &ana.email).await);
    for name in [
        "#generation = :next",
        ":name",
        "x, #id = :one",
        "SET #password = :x REMOVE #reset_hash",
        "attribute_not_exists(#pk)",
        "' OR '1'='1",
        "{\"$ne\":null}",
        "${jndi:ldap://evil.example}",
    ] {
        assert_eq!(ana.form(paths::USER_CONFIG, &[("name", name)]).await.success(), true, "{name}");
        assert_eq!(ana.session().await.user("name"), name);
    }
    assert_eq!(without_name(rows::profile(&stack, &ana.email).await), before);
}

#[tokio::test]
async fn no_mail_to_an_unverified_address_contains_anything_that_a_stranger_chose() {
    let stack = Embedded::start(&[("FRONT_END_URL", "https://app.example")]).await;
    let mut registrant = stack.service.visitor();
    let name = "<a href=\"https://evil.example\">Premio</a> https://evil.example";
    assert_eq!(registrant.register_with(&[("nombre", name)]).await.success(), true);
    registrant.reset_token().await;
    assert_eq!(registrant.elsewhere().google(json!({"name": name})).await.json()["status"], "exists");
    assert!(stack.deliver_changes().await);
    let mails = stack.service.mails(&registrant.email).await;
    assert_eq!(mails.len(), 2);
    for part in mails.iter().flat_map(|mail| ["subject", "text", "html"].map(|part| mail[part].as_str().unwrap())) {
        assert!(!part.contains("evil") && !part.contains("Premio"), "{part}");
        assert!(part.split("https://").skip(1).all(|address| address.starts_with("app.example")), "{part}");
    }
}

/// A server in place of SES that records the requests.
async fn post_office() -> (String, Arc<Mutex<Vec<Value>>>) {
    let sent: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&sent);
    let take = async move |Json(request): Json<Value>| {
        kept.lock().unwrap().push(request);
        Json(json!({"MessageId": "1"}))
    };
    (serve(Router::new().fallback(take)).await, sent)
}

#[tokio::test]
async fn the_only_recipient_of_a_mail_is_the_stored_address() {
    let (stack, ana) = Embedded::registered(&[]).await;
    let (url, sent) = post_office().await;
    let functions = functions::all(&stack, &[("AWS_ENDPOINT_URL_SESV2", &url)]);
    let post = async |path: &str, content_type: &str, body: String| {
        let function = functions.iter().find(|function| function.path == path).unwrap();
        assert_eq!(function.invoke(&event(path, content_type, &body).to_string()).await.0, 200);
    };
    let form = "application/x-www-form-urlencoded";
    post(paths::SEND_RESET_LINK, form, format!("email={}&cc=eva@example.com&to=eva@example.com", ana.email)).await;
    post(paths::SEND_RESET_LINK, form, format!("email= {}", ana.email.to_uppercase())).await;
    let sent = sent.lock().unwrap().clone();
    assert_eq!(sent.len(), 2);
    for request in sent {
        assert_eq!(request["Destination"], json!({"ToAddresses": [ana.email]}));
        let mut members: Vec<&String> = request.as_object().unwrap().keys().collect();
        members.sort();
        assert_eq!(members, ["Content", "Destination", "FromEmailAddress"]);
        let automatic = json!([{"Name": "Auto-Submitted", "Value": "auto-generated"}]);
        assert_eq!(request["Content"]["Simple"]["Headers"], automatic, "{request}");
    }
}
