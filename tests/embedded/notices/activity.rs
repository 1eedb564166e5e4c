//! What the owner of an account sees of what has happened to it.

use std::collections::BTreeSet;
use std::time::Duration;

use journeys::{Embedded, Failure, PASSWORD, Visitor, paths, rows};
use serde_json::{Value, json};
use shared::system::clock::Timestamp;

const WRONG: &str = "Equivocada1";
const HOUR: Duration = Duration::from_hours(1);

/// The items of the list after all changes are delivered, the latest first.
async fn listed(stack: &Embedded, visitor: &mut Visitor) -> Vec<Value> {
    assert!(stack.deliver_changes().await, "{:?}", stack.log().last());
    let answer = visitor.form(paths::ACTIVITY, &[]).await;
    assert_eq!(answer.success(), true);
    answer.json()["activity"].as_array().unwrap().clone()
}

/// Kind, method and count of each item, sorted.
async fn seen(stack: &Embedded, visitor: &mut Visitor) -> Vec<(String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = listed(stack, visitor).await;
    let items = items.iter().map(|item| (text(&item["kind"]), text(&item["method"]), item["count"].as_u64().unwrap()));
    let mut items: Vec<_> = items.collect();
    items.sort();
    items
}

fn items(expected: &[(&str, &str, u64)]) -> Vec<(String, String, u64)> {
    expected.iter().map(|(kind, method, count)| ((*kind).to_owned(), (*method).to_owned(), *count)).collect()
}

/// The kinds of what was not seen before in this way.
async fn new_kinds(stack: &Embedded, visitor: &mut Visitor, before: &mut BTreeSet<(String, String)>) -> Vec<String> {
    let seen = seen(stack, visitor).await.into_iter().map(|(kind, method, _)| (kind, method));
    seen.filter(|item| before.insert(item.clone())).map(|(kind, _)| kind).collect()
}

#[tokio::test]
async fn the_owner_sees_every_login_with_its_method_and_browser_and_every_change_of_the_account() {
    let (stack, mut ana) = Embedded::signed_in(&[("CONFIRM_SECONDS", "0")]).await;
    let mut before = BTreeSet::new();
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, ["login", "registered"]);
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Otro nombre")]).await.success(), true);
    assert_eq!(ana.json(paths::RECEIVE_DATA, "{}").await.success(), true);
    ana.session().await;
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, [""; 0], "a name, entries and a check are not activity");
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, ["password-changed"], "the new session is no login");
    assert_eq!(ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await.success(), true);
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, [""; 0], "and neither is this one");
    let mut authenticator = ana.with_passkey().await;
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, ["passkey-created"]);
    assert_eq!(ana.elsewhere().passkey_login(&mut authenticator).await.success(), true);
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, ["login"]);
    assert_eq!(ana.google(json!({})).await.json()["status"], "exists");
    let linked = new_kinds(&stack, &mut ana, &mut before).await;
    assert_eq!(linked, ["email-verified", "google-linked", "login", "passkey-removed", "password-removed"]);
    ana.reset_to(PASSWORD).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    drop(new_kinds(&stack, &mut ana, &mut before).await);
    assert_eq!(ana.form(paths::UNLINK_GOOGLE, &[]).await.success(), true);
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, ["google-unlinked"]);
    assert_eq!(ana.form(paths::EXPORT_ACCOUNT, &[]).await.success(), true);
    assert_eq!(new_kinds(&stack, &mut ana, &mut before).await, ["account-exported"]);
    let email = ana.new_email();
    let mut ana = ana.moved_to(&email).await;
    assert_eq!(
        new_kinds(&stack, &mut ana, &mut before).await,
        ["email-changed"],
        "a new address is verified by the link"
    );
    let methods: Vec<_> = before.iter().filter(|(kind, _)| kind == "login").map(|(_, method)| method.clone()).collect();
    assert_eq!(methods, ["google", "passkey", "password"]);

    let exported = ana.form(paths::EXPORT_ACCOUNT, &[]).await.json();
    let listed = listed(&stack, &mut ana).await;
    assert_eq!(exported["activity"].as_array().unwrap().len(), listed.len(), "{exported}");
    for item in &listed {
        assert!(item["browser"].is_null() || item["browser"] == "Navegador desconocido", "{item}");
        assert_eq!(item["method"].is_string(), item["kind"] == "login", "{item}");
    }
}

#[tokio::test]
async fn logins_of_one_browser_within_an_hour_are_one_item_so_that_a_thief_cannot_push_them_out() {
    let stack = Embedded::start(&[]).await;
    // A whole hour of the clock lies ahead.
    stack.advance(Duration::from_secs(3600 - stack.now().seconds() % 3600));
    let mut ana = stack.service.visitor().signed_in().await;
    assert_eq!(seen(&stack, &mut ana).await, items(&[("login", "password", 1), ("registered", "", 1)]));
    for _ in 0..45 {
        stack.advance(Duration::from_secs(1));
        assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
    }
    assert_eq!(seen(&stack, &mut ana).await, items(&[("login", "password", 46), ("registered", "", 1)]));
    stack.advance(HOUR);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    let list = listed(&stack, &mut ana).await;
    let kinds: Vec<_> =
        list.iter().map(|item| (item["kind"].as_str().unwrap(), item["count"].as_u64().unwrap())).collect();
    assert_eq!(kinds, [("login", 1), ("login", 46), ("registered", 1)], "the latest first");
    assert_eq!(list[0]["at"], Timestamp::from_seconds(stack.now().seconds()).to_rfc3339());
}

#[tokio::test]
async fn refused_logins_are_listed_once_an_hour_if_failed_logins_are_counted_also_at_a_new_address() {
    for (limit, refused) in [("0", 0), ("3", 1)] {
        let (stack, ana) = Embedded::signed_in(&[("LOGIN_MAX_FAILURES", limit), ("CONFIRM_SECONDS", "0")]).await;
        let old = ana.clone();
        let email = ana.new_email();
        let mut ana = ana.moved_to(&email).await;
        for stranger in [ana.elsewhere(), ana.elsewhere(), ana.elsewhere(), old.elsewhere(), stack.service.visitor()] {
            stack.advance(Duration::from_secs(1));
            assert_eq!(stranger.clone().login(WRONG).await.success(), false);
        }
        let list = listed(&stack, &mut ana).await;
        let refusals: Vec<_> = list.iter().filter(|item| item["kind"] == "login-refused").collect();
        assert_eq!(refusals.len(), refused, "{list:?}");
        for refusal in refusals {
            let shown =
                json!({"method": &refusal["method"], "browser": &refusal["browser"], "count": &refusal["count"]});
            assert_eq!(
                shown,
                json!({"method": "password", "browser": null, "count": 2}),
                "not those at other addresses"
            );
        }
    }
}

#[tokio::test]
async fn a_right_password_is_no_refused_login_and_a_wrong_one_before_it_is() {
    let (stack, mut ana) = Embedded::signed_in(&[("LOGIN_MAX_FAILURES", "3")]).await;
    assert_eq!(seen(&stack, &mut ana).await, items(&[("login", "password", 1), ("registered", "", 1)]));
    assert_eq!(ana.elsewhere().login(WRONG).await.success(), false);
    stack.advance(Duration::from_secs(1));
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
    let kinds: Vec<_> = listed(&stack, &mut ana).await.iter().map(|item| item["kind"].clone()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "login-refused").count(), 1, "{kinds:?}");
}

#[tokio::test]
async fn what_has_happened_is_forgotten_after_ninety_days_and_with_the_account_and_nobody_else_sees_it() {
    let (stack, mut ana) = Embedded::signed_in(&[("SESSION_ABSOLUTE_SECONDS", "31536000")]).await;
    let mut eva = stack.service.visitor().signed_in().await;
    assert_eq!(listed(&stack, &mut eva).await.len(), 2);
    assert_eq!(listed(&stack, &mut ana).await.len(), 2);
    let rows = |items: Vec<_>| items.iter().filter(|item| rows::text(item, "pk").starts_with("activity#")).count();
    assert_eq!(rows(stack.items("accounts").await), 4);
    assert_eq!(eva.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    assert_eq!(rows(stack.items("accounts").await), 2, "those of Ana");
    let day = Duration::from_hours(24);
    stack.advance(day * 90);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(listed(&stack, &mut ana).await.len(), 3, "an hour is kept until all of it is ninety days old");
    stack.advance(HOUR);
    assert_eq!(listed(&stack, &mut ana).await.len(), 1);
    assert_eq!(rows(stack.items("accounts").await), 3, "TTL deletes the others");
}

#[tokio::test]
async fn a_delivery_that_failed_is_repeated_and_counts_nothing_twice() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    for failure in [Failure::Error, Failure::DropBefore, Failure::DropAfter] {
        stack.advance(HOUR);
        assert_eq!(ana.login(PASSWORD).await.success(), true);
        for after in 0..3 {
            stack.table.fail_call(after, failure.clone());
            stack.deliver_changes().await;
            stack.table.heal();
        }
        let list = listed(&stack, &mut ana).await;
        assert_eq!((&list[0]["kind"], &list[0]["count"]), (&json!("login"), &json!(1)), "{failure:?}: {list:?}");
    }
    assert_eq!(stack.dead_letters().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_damaged_row_hides_no_other() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    assert_eq!(listed(&stack, &mut ana).await.len(), 2);
    let items = stack.items("accounts").await;
    let row = items.iter().find(|item| rows::text(item, "sk").ends_with("#registered##")).unwrap();
    rows::put(&stack, rows::with(row, "times", None)).await;
    let list = listed(&stack, &mut ana).await;
    assert_eq!(list.iter().map(|item| &item["kind"]).collect::<Vec<_>>(), ["login"]);
}
