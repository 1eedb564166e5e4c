//! Operating accounts: what a change means to the owner, and what the operator reads.

mod broken;
mod emails;
mod ending_all;
mod entries;
mod hashes;
mod legacy;
mod passkeys;
pub(crate) mod recording;
mod resetting;
mod restored;
mod restoring;

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{INVALID_CREDENTIAL, LOGGED_IN, NO_SESSION, UNKNOWN_EMAIL, WRONG_CREDENTIALS, assert_says};
use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::{Value, json};

use crate::Ended;
use crate::support::{accounts, accounts_with, items, set, set_password, text};

/// A password that differs from [`PASSWORD`].
const OTHER: &str = "Otra1234";
/// The bcrypt hash of `Secreto123`, at the lowest cost.
pub(crate) const BCRYPT: &str = "$2y$04$FBEUOcGTbL3W9DA6cr.xs.YKNq6swORtsbOJhWRY9lXwNUBrEg5yO";

async fn start() -> (Embedded, Visitor) {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    (stack, ana)
}

/// Runs a change with a reason.
async fn change(stack: &Embedded, arguments: &[&str]) -> Ended {
    accounts(stack, &[arguments, &["--reason", "asked by the owner"]].concat()).await
}

#[track_caller]
fn assert_done(run: &Ended) {
    assert_eq!(run.code, 0, "{run:?}");
}

async fn ask_for_a_reset(ana: &mut Visitor) -> journeys::Answer {
    let email = ana.email.clone();
    ana.form(paths::SEND_RESET_LINK, &[("email", &email)]).await
}

#[tokio::test]
async fn a_disabled_account_is_closed_to_everybody() {
    let (stack, mut ana) = start().await;
    assert_eq!(ana.session().await.status, 200);
    let run = change(&stack, &["disable", &ana.email]).await;
    assert_done(&run);
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "login");
    assert_says(&ask_for_a_reset(&mut ana.elsewhere()).await, UNKNOWN_EMAIL, "reset link");
    assert!(stack.service.mails(&ana.email).await.is_empty());
    let google = ana.elsewhere().google(json!({})).await;
    assert_says(&google, INVALID_CREDENTIAL, "google");
}

#[tokio::test]
async fn a_reset_link_that_was_mailed_before_does_not_open_a_disabled_account() {
    let (stack, mut ana) = start().await;
    let token = ana.reset_token().await;
    assert_done(&change(&stack, &["disable", &ana.email]).await);
    assert_eq!(ana.reset(&token, OTHER).await.success(), false);
    assert_done(&change(&stack, &["enable", &ana.email]).await);
    assert_eq!(ana.reset(&token, OTHER).await.success(), false);
}

#[tokio::test]
async fn nothing_of_a_reset_token_stays_when_an_operator_ends_it() {
    let stack = Embedded::start(&[("COMMON_PASSWORDS", "refuse")]).await;
    for command in [&["disable"][..], &["force-reset", "--yes"]] {
        let mut ana = stack.service.visitor();
        let fields = [("password", "Xilofono-azul-71"), ("confirm-password", "Xilofono-azul-71")];
        assert_eq!(ana.register_with(&fields).await.success(), true);
        ana.reset_token().await;
        for left in [3, 0] {
            let profile = items(&stack, &ana.email, "profile").await.remove(0);
            assert_eq!(
                profile.keys().filter(|name| name.starts_with("reset_")).count(),
                left,
                "{command:?}: {profile:?}"
            );
            assert_done(&change(&stack, &[command, &[&ana.email]].concat()).await);
        }
    }
}

#[tokio::test]
async fn enabling_an_account_lets_its_owner_in_again() {
    let (stack, ana) = start().await;
    assert_done(&change(&stack, &["disable", &ana.email]).await);
    assert_done(&change(&stack, &["enable", &ana.email]).await);
    assert_says(&ana.clone().session().await, NO_SESSION, "the old session stays dead");
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "login");
    let again = change(&stack, &["enable", &ana.email, "--json"]).await;
    assert_eq!((again.code, &again.json()["changed"]), (0, &json!(false)), "{again:?}");
}

#[tokio::test]
async fn after_a_forced_reset_only_the_owner_of_the_mailbox_gets_in() {
    let (stack, mut ana) = start().await;
    assert_done(&change(&stack, &["force-reset", &ana.email, "--yes"]).await);
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the old password");
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, OTHER).await.success(), true);
    assert_says(&ana.elsewhere().login(OTHER).await, LOGGED_IN, "the new password");
}

#[tokio::test]
async fn erasing_an_account_leaves_nothing_of_its_owner_in_any_table() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "5")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let eva = stack.service.visitor().signed_in().await;
    assert_eq!(ana.google(json!({"sub": "7071"})).await.status, 200);
    ana.json(paths::RECEIVE_DATA, "{}").await;
    assert_eq!(stack.items("entries").await.len(), 1);
    ana.elsewhere().login(OTHER).await;
    let before = items(&stack, &ana.email, "").await;
    assert!(before.len() >= 3, "profile, session and failures: {before:?}");
    let run = change(&stack, &["erase", "google:7071", "--yes"]).await;
    assert_done(&run);
    assert!(stack.deliver_changes().await);
    assert!(stack.items("entries").await.is_empty());
    for item in stack.items("accounts").await {
        let item = format!("{item:?}");
        assert!(!item.contains(&ana.email) && !item.contains("7071"), "{item}");
    }
    assert!(items(&stack, &ana.email, "").await.is_empty());
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
    assert_eq!(eva.clone().session().await.status, 200);
    let again = change(&stack, &["erase", &ana.email, "--yes"]).await;
    assert_eq!(again.code, 4, "{again:?}");
}

#[tokio::test]
async fn an_interrupted_erasure_can_be_repeated_until_nothing_is_left() {
    let (stack, ana) = start().await;
    let session = items(&stack, &ana.email, "session#").await.pop().unwrap();
    for number in 0..250 {
        let mut copy = session.clone();
        copy.insert("sk".to_owned(), AttributeValue::S(format!("session#{number:043}")));
        stack.dynamodb().put_item().table_name("accounts").set_item(Some(copy)).send().await.unwrap();
    }
    let broken = journeys::Failure::Answer(400, json!({"__type": "x#ValidationException"}).to_string());
    stack.table.fail_call_of("TransactWriteItems", 1, broken, true);
    let failed = change(&stack, &["erase", &ana.email, "--yes"]).await;
    stack.table.heal();
    assert_eq!(
        (failed.code, failed.trail()),
        (1, vec!["account-erased intended".into(), "account-erased failed".into()])
    );
    let left = items(&stack, &ana.email, "").await.len();
    assert!((2..252).contains(&left), "{left}");
    assert_done(&change(&stack, &["erase", &ana.email, "--yes"]).await);
    assert!(items(&stack, &ana.email, "").await.is_empty());
}

#[tokio::test]
async fn what_destroys_changes_nothing_without_a_terminal_to_ask_on() {
    let (stack, mut ana) = start().await;
    ana.with_passkey().await;
    let passkey = accounts(&stack, &["passkeys", &ana.email, "--json"]).await.lines().remove(0);
    let before = stack.items("accounts").await;
    let remove = ["passkeys", "remove", &ana.email, passkey["id"].as_str().unwrap()];
    for command in [&["erase", &ana.email][..], &["force-reset", &ana.email], &remove] {
        let run = change(&stack, command).await;
        assert_eq!((run.code, run.out.as_str(), run.trail()), (3, "", vec![]), "{run:?}");
        assert!(run.err.contains("there is no terminal to ask on"), "{run:?}");
    }
    assert_eq!(stack.items("accounts").await, before);
}

#[tokio::test]
async fn ending_one_session_leaves_the_others() {
    let (stack, mut ana) = start().await;
    let mut phone = ana.elsewhere();
    phone.login(PASSWORD).await;
    let hash = |visitor: &Visitor| {
        shared::Token::parse(visitor.cookie.as_ref().unwrap().split('=').nth(1).unwrap()).unwrap().hash()
    };
    let id = hash(&phone)[..12].to_owned();
    let listed = accounts(&stack, &["sessions", &ana.email, "--json"]).await.lines();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().any(|session| text(session, "id") == id && text(session, "state") == "live"), "{listed:?}");
    let run = change(&stack, &["sessions", "end", &ana.email, &id]).await;
    assert_done(&run);
    assert_says(&phone.session().await, NO_SESSION, "the phone");
    assert_eq!(ana.session().await.status, 200);
    let again = change(&stack, &["sessions", "end", &ana.email, &id]).await;
    assert_eq!(again.code, 4, "{again:?}");
}

#[tokio::test]
async fn a_session_whose_id_starts_with_a_hyphen_can_be_ended() {
    let (stack, ana) = start().await;
    let mut session = items(&stack, &ana.email, "session#").await.pop().unwrap();
    session.insert("sk".to_owned(), AttributeValue::S(format!("session#-all{:039}", 0)));
    stack.dynamodb().put_item().table_name("accounts").set_item(Some(session)).send().await.unwrap();
    let run = change(&stack, &["sessions", "end", &ana.email, "-all00000000"]).await;
    assert_done(&run);
    assert_eq!(items(&stack, &ana.email, "session#").await.len(), 1);
    assert_eq!(ana.clone().session().await.status, 200);
}

#[tokio::test]
async fn a_session_that_a_lowered_idle_timeout_has_ended_is_not_live_for_the_operator_either() {
    let (stack, ana) = start().await;
    let mut session = items(&stack, &ana.email, "session#").await.remove(0);
    let used = stack.now().seconds() - 120;
    session.insert("last_seen".to_owned(), AttributeValue::N(used.to_string()));
    stack.dynamodb().put_item().table_name("accounts").set_item(Some(session)).send().await.unwrap();
    for (idle, state) in [("7200", "live"), ("60", "ended")] {
        let variables = [("LOCAL_DATA", "memory"), ("SESSION_IDLE_SECONDS", idle)];
        let listed = accounts_with(&stack, &variables, &["--local", "sessions", &ana.email, "--json"]).await.lines();
        assert_eq!(listed[0]["state"], state, "an idle timeout of {idle} seconds");
    }
}

#[tokio::test]
async fn ending_all_sessions_leaves_the_password() {
    let (stack, mut ana) = start().await;
    assert_done(&change(&stack, &["sessions", "end", &ana.email, "--all"]).await);
    assert_says(&ana.clone().session().await, NO_SESSION, "session");
    let listed = accounts(&stack, &["sessions", &ana.email, "--json"]).await.lines();
    assert!(listed.iter().all(|session| text(session, "state") == "ended"), "{listed:?}");
    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "login");
}

/// Changes of one account, and the removal of legacy hashes.
fn changes(email: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["disable", email],
        vec!["enable", email],
        vec!["force-reset", email, "--yes"],
        vec!["erase", email, "--yes"],
        vec!["sessions", "end", email, "--all"],
        vec!["legacy", "remove", "--format", "bcrypt", "--yes"],
    ]
}

#[tokio::test]
async fn a_change_without_a_reason_is_refused() {
    let (stack, ana) = start().await;
    let before = stack.items("accounts").await;
    for command in changes(&ana.email) {
        let run = accounts(&stack, &command).await;
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{command:?}: {run:?}");
        let blank = accounts(&stack, &[command.as_slice(), &["--reason", " "]].concat()).await;
        assert_eq!(blank.code, 3, "{command:?}: {blank:?}");
    }
    assert_eq!(stack.items("accounts").await, before);
}

#[tokio::test]
async fn a_dry_run_changes_nothing_and_leaves_no_audit_line() {
    let (stack, ana) = start().await;
    set_password(&stack, &ana.email, BCRYPT).await;
    let before = stack.items("accounts").await;
    for command in changes(&ana.email) {
        let run = change(&stack, &[command.as_slice(), &["--dry-run", "--json"]].concat()).await;
        assert_eq!(
            (run.code, run.json()["dry_run"].as_bool(), run.trail()),
            (0, Some(true), vec![]),
            "{command:?}: {run:?}"
        );
    }
    assert_eq!(stack.items("accounts").await, before);
}

#[tokio::test]
async fn an_account_that_does_not_exist_is_not_found() {
    let (stack, _ana) = start().await;
    for who in ["nadie@example.com", "999999", "google:404"] {
        for command in changes(who).into_iter().filter(|command| command[0] != "legacy") {
            let run = change(&stack, &command).await;
            assert_eq!((run.code, run.out.as_str(), run.trail()), (4, "", vec![]), "{command:?}: {run:?}");
        }
        for command in ["find", "show", "sessions"] {
            let run = accounts(&stack, &[command, who]).await;
            assert_eq!((run.code, run.out.as_str()), (4, ""), "{command} {who}: {run:?}");
        }
    }
}

#[tokio::test]
async fn no_output_contains_a_hash_or_a_token() {
    let (stack, mut ana) = start().await;
    ana.reset_token().await;
    let mut secrets = Vec::new();
    for item in items(&stack, &ana.email, "").await {
        let session = item["sk"].as_s().unwrap().strip_prefix("session#").map(str::to_owned);
        let attributes = ["password", "reset_hash"].into_iter().filter_map(|name| item.get(name)?.as_s().ok().cloned());
        secrets.extend(attributes.chain(session));
    }
    assert_eq!(secrets.len(), 3, "password, reset token and session");
    let email = ana.email.as_str();
    let mut commands = vec![vec!["find", email], vec!["show", email], vec!["sessions", email], vec!["stats"]];
    commands.extend([vec!["legacy", "--list"], vec!["audit", email]]);
    for command in commands {
        for form in [&[][..], &["--json"]] {
            let run = accounts(&stack, &[command.as_slice(), form].concat()).await;
            assert_done(&run);
            assert!(secrets.iter().all(|secret| !format!("{run:?}").contains(secret)), "{command:?}: {run:?}");
        }
    }
    for command in changes(email) {
        let run = change(&stack, &command).await;
        assert!(secrets.iter().all(|secret| !format!("{run:?}").contains(secret)), "{command:?}: {run:?}");
    }
}

#[tokio::test]
async fn show_prints_everything_about_an_account_that_is_no_secret() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "5")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    ana.reset_token().await;
    ana.form(paths::SEND_VERIFICATION, &[]).await;
    ana.elsewhere().login(OTHER).await;
    let shown = accounts(&stack, &["show", &ana.email, "--json"]).await.json();
    let expected = [
        ("email", json!(ana.email)),
        ("name", json!("Ana García")),
        ("email_verified", json!(0)),
        ("disabled_at", Value::Null),
        ("generation", json!(1)),
        ("password_hash", json!("argon2id")),
        ("google_link", json!("none")),
        ("browsers", json!(1)),
        ("credentials_changed_by", Value::Null),
        ("imported_by", Value::Null),
        ("new_email", Value::Null),
        ("new_email_until", Value::Null),
        ("former_emails", json!([])),
        ("sessions", json!(1)),
        ("live_sessions", json!(1)),
        ("failures_counted", json!(1)),
    ];
    for (name, value) in &expected {
        assert_eq!(shown[*name], *value, "{name} of {shown}");
    }
    let names: BTreeSet<&str> = shown.as_object().unwrap().keys().map(String::as_str).collect();
    let others = ["id", "key", "url_image", "accept_news", "google_sub", "passkeys", "known_browsers"];
    let times = ["created_at", "reset_token_until", "verification_token_until", "last_failure_at", "browsers_since"];
    let consents = ["news_changed_at", "terms_accepted_at", "terms_version"];
    let known = expected.iter().map(|(name, _)| *name).chain(others).chain(consents).chain(times);
    assert_eq!(names, known.collect(), "a new field must be no secret");
    for time in ["created_at", "reset_token_until", "verification_token_until", "last_failure_at"] {
        assert!(text(&shown, time).starts_with("20"), "{time} of {shown}");
    }
    let browser = &shown["known_browsers"][0];
    assert!(browser["name"].is_string() && text(browser, "since").starts_with("20"), "{shown}");
    assert_eq!(browser.as_object().unwrap().len(), 2, "no hash: {shown}");
    assert!(text(&shown, "browsers_since").starts_with("20"), "{shown}");
    // Google proves the address, which removes the password and the reset token.
    ana.elsewhere().google(json!({})).await;
    assert_done(&change(&stack, &["disable", &ana.email]).await);
    let shown = accounts(&stack, &["show", &ana.email, "--json"]).await.json();
    let found = ["google_link", "password_hash", "email_verified", "live_sessions"].map(|name| shown[name].clone());
    assert_eq!(found, [json!("here"), json!("none"), json!(1), json!(0)], "{shown}");
    assert!(text(&shown, "disabled_at").starts_with("20"), "{shown}");
}

#[tokio::test]
async fn stats_count_accounts_sessions_and_entries() {
    let (stack, mut ana) = start().await;
    ana.elsewhere().login(PASSWORD).await;
    ana.json(paths::RECEIVE_DATA, "[{\"a\":1},{\"a\":2}]").await;
    let legacy = stack.service.visitor().registered().await;
    set_password(&stack, &legacy.email, BCRYPT).await;
    stack.service.visitor().google(json!({})).await;
    let disabled = stack.service.visitor().signed_in().await;
    assert_done(&change(&stack, &["disable", &disabled.email]).await);
    let broken = stack.service.visitor().registered().await;
    set(&stack, &broken.email, "email_verified", AttributeValue::S("yes".to_owned())).await;
    let run = accounts(&stack, &["stats", "--entries", "--json"]).await;
    assert_done(&run);
    let mut stats = run.json();
    assert!(stats["read_units"].as_f64().unwrap() > 0.0, "{stats}");
    stats.as_object_mut().unwrap().remove("read_units");
    let expected = json!({
        "accounts": 4, "proved": 1, "disabled": 1, "with_google": 1, "without_password": 1,
        "password_hashes": {"argon2id": 2, "bcrypt": 1}, "legacy_hashes": 1, "live_sessions": 3, "broken": 1, "entries": 2,
    });
    assert_eq!(stats, expected);
    assert!(accounts(&stack, &["stats", "--json"]).await.json().get("entries").is_none());
}
