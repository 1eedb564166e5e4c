//! The content of the tables: no secret, nothing of a deleted account, no harm from broken rows, and violated invariants are
//! reported.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{self, INTERNAL};
use journeys::{Embedded, Item, PASSWORD, Visitor, paths, rows, sound};
use serde_json::json;
use shared::BrowserSecret;

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// The content of both tables, as text.
async fn dump(stack: &Embedded) -> String {
    format!("{:?}\n{:?}", stack.items("accounts").await, stack.items("entries").await)
}

#[tokio::test]
async fn the_table_stores_only_the_hash_of_a_secret() {
    let stack = Embedded::start_at_full_cost(&[("NOTICES", "on")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let (cookie, token) = (ana.cookie.clone().unwrap(), ana.reset_token().await);
    let browser = ana.browser.as_ref().unwrap().replace("browser=", "");
    let all = dump(&stack).await;
    for secret in [&cookie, &token] {
        assert!(!all.contains(secret.rsplit('.').next().unwrap()));
        assert!(all.contains(&rows::hash(secret)));
    }
    assert!(!all.contains(&browser) && all.contains(&BrowserSecret::parse(&browser).unwrap().hash()));
    assert!(!all.contains(PASSWORD));
    assert!(all.contains("$argon2id$v=19$m=19456,t=2,p=1$"));
}

#[tokio::test]
async fn a_deleted_account_leaves_nothing_in_any_table() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "9")]).await;
    let (mut ana, mut eva) = (stack.service.visitor(), stack.service.visitor().signed_in().await);
    ana.register_with(&[("nombre", "Nombre Irrepetible")]).await;
    ana.google(json!({"sub": "110222333", "name": "Nombre Irrepetible"})).await;
    ana.reset_token().await;
    assert_eq!(ana.elsewhere().login("Otra1234").await.success(), false);
    // More than a page of the deletion, and more than three of its transactions.
    rows::copy_session(&stack, &ana.email, 300).await;
    ana.with_passkey().await;
    assert_eq!(ana.json(paths::RECEIVE_DATA, r#"{"nota":"Nota Irrepetible"}"#).await.success(), true);
    assert_eq!(ana.elsewhere().json(paths::RECEIVE_DATA, "{}").await.success(), true);
    let eve_before = rows::profile(&stack, &eva.email).await;
    let pk = rows::partition_key(&ana.email);
    let words = ["Nombre Irrepetible", "Nota Irrepetible", "110222333", "failures", "passkey#", "credential#"];
    let canaries: Vec<String> = words.into_iter().map(str::to_owned).chain([ana.email.clone(), pk]).collect();
    let before = dump(&stack).await;
    assert!(canaries.iter().all(|canary| before.contains(canary)), "{before}");
    assert_eq!(rows::sessions(&stack, &ana.email).await.len(), 301);

    let answer = ana.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_eq!(answer.sentence(), (200, "Usuario eliminado correctamente.".to_owned()));
    assert!(answer.ended());
    assert!(stack.deliver_changes().await);
    let after = dump(&stack).await;
    for canary in canaries {
        assert!(!after.contains(&canary), "{canary} {after}");
    }
    assert_eq!(rows::profile(&stack, &eva.email).await, eve_before);
    assert_eq!(stack.items("entries").await.len(), 1, "the entry without an account stays");
    assert_eq!(eva.session().await.status, 200);
}

#[tokio::test]
async fn a_broken_or_too_expensive_hash_fails_the_login_and_the_process_continues() {
    let stack = Embedded::start_at_full_cost(&[]).await;
    let (mut ana, mut eva) = (stack.service.visitor(), stack.service.visitor());
    ana.register().await;
    eva.register().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let good = rows::text(&profile, "password");
    for hash in [
        String::new(),
        PASSWORD.to_owned(),
        good.replace("m=19456", "m=4194304"),
        good.replace("t=2", "t=4294967295"),
        good.replace("p=1", "p=16777215"),
        good.replace("argon2id", "argon2d"),
        good.replace("v=19", "v=16"),
        good[..good.len() - 4].to_owned(),
        good.replace('$', ""),
    ] {
        rows::put(&stack, rows::with(&profile, "password", Some(s(&hash)))).await;
        assert_eq!(ana.login(PASSWORD).await.sentence(), sentences::owned_sentence(INTERNAL), "{hash}");
        assert_eq!(ana.cookie, None, "{hash}");
        assert_eq!(eva.login(PASSWORD).await.success(), true, "{hash}");
    }
    rows::put(&stack, profile).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

/// Calls six endpoints that read the profile, and returns their answers.
async fn answers_of_readers(ana: &Visitor) -> Vec<(u16, String)> {
    let email = ana.email.clone();
    let mut answers = Vec::new();
    for path in [paths::SESSION, paths::DELETE_ACCOUNT] {
        answers.push(ana.clone().form(path, &[]).await.sentence());
    }
    answers.push(ana.clone().form(paths::USER_CONFIG, &[("name", "Eva")]).await.sentence());
    answers.push(ana.elsewhere().login(PASSWORD).await.sentence());
    answers.push(ana.elsewhere().form(paths::SEND_RESET_LINK, &[("email", &email)]).await.sentence());
    answers.push(ana.elsewhere().google(json!({})).await.sentence());
    answers
}

fn assert_no_panic(stack: &Embedded) {
    assert!(stack.log().iter().all(|line| !line.contains("panic")), "{:?}", stack.log());
}

#[tokio::test]
async fn a_broken_account_is_an_error_and_no_panic() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let mut damaged: Vec<(&str, Item)> = Vec::new();
    for name in ["id", "email", "name", "url_image", "accept_news", "email_verified", "generation"] {
        damaged.push((name, rows::with(&profile, name, None)));
        damaged.push((name, rows::with(&profile, name, Some(AttributeValue::L(Vec::new())))));
    }
    damaged.push(("id", rows::with(&profile, "id", Some(AttributeValue::N("-1".to_owned())))));
    for (name, row) in damaged {
        rows::put(&stack, row).await;
        let answers = answers_of_readers(&ana).await;
        assert_eq!(answers, vec![sentences::owned_sentence(INTERNAL); answers.len()], "{name}");
    }
    assert!(stack.mail.calls().is_empty());
    assert_no_panic(&stack);
    rows::put(&stack, profile).await;
    assert_eq!(ana.clone().session().await.status, 200);
}

#[tokio::test]
async fn a_broken_session_is_an_error_and_no_panic() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let session = rows::sessions(&stack, &ana.email).await.pop().unwrap();
    for name in ["id", "generation", "created_at", "last_seen", "expires_at"] {
        for value in [None, Some(s("soon")), Some(AttributeValue::Null(true))] {
            rows::put(&stack, rows::with(&session, name, value)).await;
            for path in [paths::SESSION, paths::DELETE_ACCOUNT, paths::USER_CONFIG] {
                let answer = ana.clone().form(path, &[("name", "Eva")]).await.sentence();
                assert_eq!(answer, sentences::owned_sentence(INTERNAL), "{path} {name}");
            }
        }
    }
    assert_no_panic(&stack);
    assert_eq!(rows::text(&rows::profile(&stack, &ana.email).await.unwrap(), "name"), "Ana García");
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn a_link_that_the_account_does_not_confirm_opens_no_session() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, victim) = (stack.service.visitor(), stack.service.visitor().signed_in().await);
    ana.google(json!({"sub": "110"})).await;
    let link = stack.items("accounts").await.into_iter().find(|row| rows::text(row, "pk") == "google#110").unwrap();
    let pk = rows::partition_key(&victim.email);
    for account in [Some(s(&pk)), Some(s("AAAAAAAAAAAAAAAAAAAAAA")), Some(AttributeValue::Null(true)), None] {
        rows::put(&stack, rows::with(&link, "account", account)).await;
        // The address is not the account's, so only the link leads to the account.
        let answer = ana.elsewhere().google(json!({"sub": "110", "email": "otra@example.com"})).await;
        assert_eq!(answer.sentence(), sentences::owned_sentence(INTERNAL));
        assert_eq!(answer.opened(), None);
    }
    assert_no_panic(&stack);
}

/// The items with the one whose sort key begins with `sk` changed.
fn changed(items: &[Item], sk: &str, name: &str, value: Option<&AttributeValue>) -> Vec<Item> {
    let change = |item: &Item| {
        if rows::text(item, "sk").starts_with(sk) { rows::with(item, name, value.cloned()) } else { item.clone() }
    };
    items.iter().map(change).collect()
}

#[tokio::test]
async fn an_incomplete_account_and_a_session_of_a_later_generation_are_reported() {
    let stack = Embedded::start(&[]).await;
    stack.service.visitor().signed_in().await;
    let items = stack.items("accounts").await;
    let number = |number: &str| Some(AttributeValue::N(number.to_owned()));
    assert_eq!(sound::faults(&items, |_| true), Vec::<String>::new());
    for (sk, name, value) in [
        ("profile", "created_at", None),
        ("profile", "password", None),
        ("profile", "reset_expires_at", number("1")),
        ("profile", "verify_expires_at", number("1")),
        ("session#", "generation", number("2")),
        ("profile", "id", number("7")),
    ] {
        let found = sound::faults(&changed(&items, sk, name, value.as_ref()), |_| true);
        assert_ne!(found, Vec::<String>::new(), "{sk} {name}");
    }
    let orphans: Vec<Item> = items.into_iter().filter(|item| rows::text(item, "sk") != "profile").collect();
    assert_ne!(sound::faults(&orphans, |_| true), Vec::<String>::new(), "a session without an account");
}
