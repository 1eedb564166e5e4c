//! `accounts doctor`: what it finds in a deployment and in the rows of the accounts table, and what it repairs.

mod deployment;
mod permissions;
pub(crate) mod recorded;

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Item, Visitor};
use serde_json::{Value, json};
use shared::store::operator::{Operator, Row};
use shared::{AccountKey, Email};

use crate::{Ended, local};

/// A text or number of an item as text; empty if it is missing.
fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => text.clone(),
        _ => String::new(),
    }
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn n(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn key(email: &str) -> AccountKey {
    AccountKey::of(&Email::parse(email).unwrap())
}

/// The row with an attribute changed or removed.
fn with(item: &Item, name: &str, value: Option<AttributeValue>) -> Item {
    let mut item = item.clone();
    item.remove(name);
    item.extend(value.map(|value| (name.to_owned(), value)));
    item
}

async fn put(stack: &Embedded, item: Item) {
    stack.dynamodb().put_item().table_name("accounts").set_item(Some(item)).send().await.unwrap();
}

async fn delete(stack: &Embedded, pk: &str, sk: &str) {
    let delete = stack.dynamodb().delete_item().table_name("accounts");
    delete.key("pk", s(pk)).key("sk", s(sk)).send().await.unwrap();
}

/// The rows of a partition whose sort keys start in this way.
async fn rows(stack: &Embedded, pk: &str, sk: &str) -> Vec<Item> {
    let items = stack.items("accounts").await;
    items.into_iter().filter(|item| text(item, "pk") == pk && text(item, "sk").starts_with(sk)).collect()
}

async fn profile(stack: &Embedded, visitor: &Visitor) -> Item {
    rows(stack, key(&visitor.email).as_str(), "profile").await.pop().unwrap()
}

/// Everything in the table, in an order that does not change.
async fn everything(stack: &Embedded) -> Vec<String> {
    let items = stack.items("accounts").await;
    let mut items: Vec<String> =
        items.into_iter().map(|item| format!("{:?}", item.into_iter().collect::<BTreeMap<_, _>>())).collect();
    items.sort();
    items
}

/// The findings by check.
fn results(run: &Ended) -> BTreeMap<String, Value> {
    let findings = run.json();
    let findings = findings.as_array().unwrap().iter();
    findings.map(|finding| (finding["check"].as_str().unwrap().to_owned(), finding.clone())).collect()
}

/// The checks that did not end with `ok`.
fn found(run: &Ended) -> Vec<String> {
    results(run).into_iter().filter(|(_, finding)| finding["result"] != "ok").map(|(check, _)| check).collect()
}

/// A user who signs in with Google.
async fn linked(stack: &Embedded, sub: &str) -> Visitor {
    let mut visitor = stack.service.visitor();
    let answer = visitor.google(json!({ "sub": sub })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    visitor
}

#[tokio::test]
async fn a_table_that_the_service_has_written_has_no_findings() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "9")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    ana.elsewhere().login("Otra1234").await;
    ana.google(json!({})).await;
    linked(&stack, "110").await;
    let moving = stack.service.visitor().signed_in().await;
    let (left, new) = (moving.elsewhere(), moving.new_email());
    moving.moved_to(&new).await;
    left.registered().await;
    let mut gone = stack.service.visitor().signed_in().await;
    assert_eq!(gone.form(journeys::paths::DELETE_ACCOUNT, &[]).await.success(), true);
    // A row records that the letter was sent, and another one that the entries are being erased.
    assert!(stack.deliver_changes().await);

    let run = local(&stack, &["doctor", "--data", "--json"]).await;
    assert_eq!((run.code, found(&run)), (0, Vec::new()), "{run:?}");
    assert!(run.err.contains("not checked on the local stack: the entries table"), "{run:?}");
    let shown = local(&stack, &["doctor", "--data"]).await;
    assert!(shown.out.contains("ok       sessions          Every session has an account.\n"), "{shown:?}");
}

/// Deletes the identity of an account that is linked to Google.
async fn lose_identity(stack: &Embedded, sub: &str) {
    delete(stack, &format!("google#{sub}"), "identity").await;
}

/// Sets the counter of ids to 1, and marks the ids up to 1,000 as reserved by an import.
async fn lower_counter(stack: &Embedded) {
    let counter = rows(stack, "counter", "user-id").await.pop().unwrap();
    put(stack, with(&with(&counter, "total", Some(n(1))), "closed", Some(n(1_000)))).await;
}

/// The profile of a new account with a passkey, and the id of the passkey.
async fn with_passkey(stack: &Embedded) -> (Item, String) {
    let mut ana = stack.service.visitor().signed_in().await;
    ana.with_passkey().await;
    let profile = profile(stack, &ana).await;
    let id = profile["passkeys"].as_ss().unwrap()[0].clone();
    (profile, id)
}

/// Damages rows in every way. For each damage, returns its check, the text that names the row, and whether `--fix`
/// repairs it.
pub(crate) async fn damage(stack: &Embedded) -> Vec<(&'static str, String, bool)> {
    let mut damages = Vec::new();
    let ana = stack.service.visitor().signed_in().await;
    let pk = text(&profile(stack, &ana).await, "pk");
    let session = rows(stack, &pk, "session#").await.pop().unwrap();

    let nobody = key("nobody@example.com").as_str().to_owned();
    put(stack, with(&session, "pk", Some(s(&nobody)))).await;
    damages.push(("sessions", nobody.clone(), true));
    let old = with(&session, "sk", Some(s(&format!("session#{:043}", 1))));
    put(stack, with(&old, "expires_at", Some(n(stack.now().seconds() - 8 * 24 * 60 * 60)))).await;
    damages.push(("rows-expired", pk.clone(), false));
    put(stack, Item::from([("pk".to_owned(), s(&pk)), ("sk".to_owned(), s("note"))])).await;
    damages.push(("rows-known", format!("{pk} note"), false));

    let identity = |sub: &str, account: &str| {
        Item::from(
            [("pk", format!("google#{sub}")), ("sk", "identity".to_owned()), ("account", account.to_owned())]
                .map(|(name, value)| (name.to_owned(), s(&value))),
        )
    };
    put(stack, identity("901", &nobody)).await;
    damages.push(("identities", "google:901".to_owned(), true));
    put(stack, identity("902", &pk)).await;
    damages.push(("identities-agree", "google:902".to_owned(), false));
    let lost = profile(stack, &linked(stack, "903").await).await;
    lose_identity(stack, "903").await;
    damages.push(("google-linked", text(&lost, "id"), true));
    let elsewhere = profile(stack, &linked(stack, "904").await).await;
    put(stack, with(&elsewhere, "google_sub", Some(s("902")))).await;
    lose_identity(stack, "904").await;
    damages.push(("google-agrees", text(&elsewhere, "id"), false));

    let twin = profile(stack, &stack.service.visitor().registered().await).await;
    let id = text(&profile(stack, &ana).await, "id");
    let same = AttributeValue::N(id.clone());
    put(stack, with(&with(&twin, "id", Some(same.clone())), "profile_id", Some(same))).await;
    damages.push(("ids-unique", format!("{id} of {}", text(&twin, "pk")), false));
    for (check, profile_id) in [("ids-indexed", None), ("ids-agree", Some(n(77)))] {
        let other = profile(stack, &stack.service.visitor().registered().await).await;
        put(stack, with(&other, "profile_id", profile_id)).await;
        damages.push((check, text(&other, "id"), true));
    }
    let locked = profile(stack, &stack.service.visitor().registered().await).await;
    put(stack, with(&locked, "password", Some(s("$unheard-of$1$secret")))).await;
    damages.push(("passwords", text(&locked, "id"), false));
    let (row, id) = with_passkey(stack).await;
    put(stack, with(&row, "passkeys", None)).await;
    delete(stack, &text(&row, "pk"), &format!("passkey#{id}")).await;
    damages.push(("passkeys", id, true));
    let (row, id) = with_passkey(stack).await;
    delete(stack, &format!("credential#{id}"), "credential").await;
    damages.push(("passkeys-whole", format!("{} {id}", text(&row, "id")), false));
    let pointer = |pk: &str, account: &str| {
        let members = [("pk", pk), ("sk", "profile#address"), ("account", account)];
        Item::from(members.map(|(name, value)| (name.to_owned(), s(value))))
    };
    put(stack, pointer(&nobody, &pk)).await;
    damages.push(("addresses", nobody.clone(), true));
    let moving = stack.service.visitor().signed_in().await;
    let row = profile(stack, &moving).await;
    let new = moving.new_email();
    moving.moved_to(&new).await;
    delete(stack, key(&new).as_str(), "profile#address").await;
    damages.push(("addresses-agree", text(&row, "id"), true));
    let broken = stack.service.visitor().signed_in().await;
    let row = profile(stack, &broken).await;
    put(stack, with(&row, "name", None)).await;
    damages.push(("rows-readable", format!("{} profile", text(&row, "pk")), false));
    // The last one, because every registration uses the counter.
    lower_counter(stack).await;
    damages.push(("ids-counter", "counter 1, largest id ".to_owned(), true));
    damages
}

/// Repairs without asking.
const FIX: [&str; 7] = ["doctor", "--data", "--with-hashes", "--fix", "--yes", "--reason", "after a restore"];

#[tokio::test]
async fn every_damage_is_found_and_named_and_what_is_safe_is_repaired() {
    let stack = Embedded::start(&[]).await;
    let damages = damage(&stack).await;

    let before = everything(&stack).await;
    let run = local(&stack, &["doctor", "--data", "--with-hashes", "--json"]).await;
    assert_eq!(run.code, 2, "{run:?}");
    let found_first = results(&run);
    for (check, row, is_safe) in &damages {
        let finding = &found_first[*check];
        assert_ne!(finding["result"], "ok", "{finding}");
        assert!(finding["text"].as_str().unwrap().contains(row.as_str()), "{row}: {finding}");
        let next = finding["next"].as_str().unwrap();
        assert_eq!(next == "accounts doctor --local --data --fix --reason TEXT", *is_safe, "{finding}");
        let calls = match *check {
            "passwords" => "accounts force-reset ID --local ",
            "passkeys-whole" => "accounts passkeys remove ID PASSKEY --local ",
            _ => "aws dynamodb --endpoint-url http://127.0.0.1:",
        };
        assert!(*is_safe || next.contains(calls), "{finding}");
    }
    // Every check of the rows has found its damage. The other checks concern the table itself. A counter that is too low is not
    // also at its end, which another test has.
    let of_table = local(&stack, &["doctor", "--json"]).await;
    let of_rows = found_first.keys().filter(|check| !results(&of_table).contains_key(*check) && *check != "ids-left");
    assert_eq!(found(&run), of_rows.cloned().collect::<Vec<_>>(), "{run:?}");
    assert_eq!(damages.len(), 17, "{damages:?}");
    assert_eq!(found(&run).len(), damages.len(), "{run:?}");
    assert!(!run.out.contains("secret") && !run.out.contains("session#0"), "{run:?}");

    let dry = local(&stack, &["doctor", "--data", "--with-hashes", "--fix", "--dry-run", "--json"]).await;
    assert_eq!(found(&dry), found(&run));
    assert!(results(&dry)["sessions"]["text"].as_str().unwrap().ends_with("--fix would repair: 1."), "{dry:?}");
    assert_eq!(everything(&stack).await, before, "a dry run changes nothing");

    let unasked = local(&stack, &["doctor", "--data", "--fix", "--reason", "after a restore"]).await;
    assert_eq!(unasked.code, 3, "without a terminal nobody is asked: {unasked:?}");
    let unreasoned = local(&stack, &["doctor", "--data", "--fix", "--yes"]).await;
    assert_eq!(unreasoned.code, 3, "every change has a reason: {unreasoned:?}");
    assert_eq!(everything(&stack).await, before);

    let fixed = local(&stack, &[&FIX[..], &["--json"]].concat()).await;
    assert_eq!(fixed.code, 2, "{fixed:?}");
    let repairs = [
        "session-deleted",
        "identity-deleted",
        "identity-restored",
        "counter-raised",
        "profile-id-corrected",
        "profile-id-corrected",
        "passkey-deleted",
        "address-deleted",
        "address-restored",
    ];
    let trail = |stage| repairs.map(|event| format!("{event} {stage}"));
    let (mut expected, mut trail) = ([trail("intended"), trail("done")].concat(), fixed.trail());
    expected.sort_unstable();
    trail.sort_unstable();
    assert_eq!(trail, expected, "{fixed:?}");
    let again = local(&stack, &["doctor", "--data", "--with-hashes", "--json"]).await;
    for (check, _, is_safe) in &damages {
        let (fixed, again) = (&results(&fixed)[*check], &results(&again)[*check]);
        assert_eq!(fixed["result"] == "ok", *is_safe, "{fixed}");
        assert_eq!(again["result"] == "ok", *is_safe, "{again}");
        assert_eq!(fixed["text"].as_str().unwrap().ends_with("Repaired: 1."), *is_safe, "{fixed}");
    }
    let profiles = |items: &[String]| items.iter().filter(|item| item.contains("\"sk\": S(\"profile\")")).count();
    assert_eq!(profiles(&everything(&stack).await), profiles(&before), "no profile is deleted");
}

#[tokio::test]
async fn a_repaired_counter_gives_no_id_that_an_import_has_closed() {
    let stack = Embedded::start(&[]).await;
    for _ in 0..2 {
        stack.service.visitor().registered().await;
    }
    lower_counter(&stack).await;
    assert_eq!(local(&stack, &FIX).await.code, 0);
    let counter = rows(&stack, "counter", "user-id").await.pop().unwrap();
    assert_eq!((text(&counter, "total"), text(&counter, "closed")), ("1000".to_owned(), "1000".to_owned()));
}

#[tokio::test]
async fn a_doctor_that_cannot_read_the_table_shows_its_findings_and_says_why() {
    let stack = Embedded::start(&[]).await;
    let denied = || journeys::Failure::Answer(400, json!({"__type": "AccessDeniedException"}).to_string());
    for (call, shown) in [("DescribeTable", "failed   accounts-active"), ("Scan", "ok       accounts-active")] {
        stack.table.fail_call_of(call, 0, denied(), true);
        let run = local(&stack, &["doctor", "--data"]).await;
        stack.table.heal();
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.out.contains(shown), "{run:?}");
        assert!(run.err.contains("error: ") && !run.err.contains("checks could not run"), "{run:?}");
    }
}

#[tokio::test]
async fn deliveries_and_erasures_that_ttl_does_not_delete_are_found() {
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    assert_eq!(ana.form(journeys::paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    let mut expected = Vec::new();
    for row in stack.items("accounts").await {
        if ["delivery", "erasure"].contains(&text(&row, "sk").as_str()) {
            expected.push(text(&row, "pk"));
            put(&stack, with(&row, "expires_at", Some(n(stack.now().seconds() - 8 * 24 * 60 * 60)))).await;
        }
    }
    assert_eq!(expected.len(), 2, "{expected:?}");
    let run = local(&stack, &["doctor", "--data", "--json"]).await;
    assert_eq!(found(&run), ["rows-expired"]);
    let finding = results(&run)["rows-expired"]["text"].as_str().unwrap().to_owned();
    assert!(expected.iter().all(|pk| finding.contains(pk)), "{finding}");
}

#[tokio::test]
async fn an_account_whose_damage_is_repaired_works_again() {
    let stack = Embedded::start(&[]).await;
    let mut ana = linked(&stack, "905").await;
    let row = profile(&stack, &ana).await;
    put(&stack, with(&row, "profile_id", None)).await;
    lose_identity(&stack, "905").await;
    let lost = local(&stack, &["find", &text(&row, "id")]).await;
    assert_eq!(lost.code, 4, "{lost:?}");

    assert_eq!(local(&stack, &FIX).await.code, 0);
    for who in [text(&row, "id"), "google:905".to_owned()] {
        let found = local(&stack, &["find", &who, "--json"]).await;
        assert_eq!(found.json()["email"], ana.email.as_str(), "{found:?}");
    }
    // The address at the provider has changed, so that only the identity leads to the account.
    let answer = ana.google(json!({"sub": "905", "email": "ana-otra@example.com"})).await;
    assert_eq!(answer.json()["user"]["email"], ana.email.as_str(), "{answer:?}");
}

#[tokio::test]
async fn a_repair_leaves_rows_that_have_changed_since_they_were_found() {
    let stack = Embedded::start(&[]).await;
    let operator = Operator::new(&stack.setup(&[]));
    let mut ana = stack.service.visitor().signed_in().await;
    ana.with_passkey().await;
    let row = profile(&stack, &ana).await;
    let passkey = row["passkeys"].as_ss().unwrap()[0].clone();
    let (pk, id) = (text(&row, "pk"), text(&row, "id").parse().unwrap());
    let session = rows(&stack, &pk, "session#").await.pop().unwrap();
    let sub = |sub: &str| {
        Item::from(
            [("pk", format!("google#{sub}")), ("sk", "identity".to_owned()), ("account", pk.clone())]
                .map(|(name, value)| (name.to_owned(), s(&value))),
        )
    };
    put(&stack, sub("906")).await;

    let before = everything(&stack).await;
    let key = key(&ana.email);
    // Refused, because the account exists.
    assert!(!operator.delete_session_without_account(&pk, &text(&session, "sk")).await.unwrap());
    assert!(!operator.delete_identity_without_account("906", &pk).await.unwrap());
    // Refused, because the identity is linked to another account.
    assert!(!operator.delete_identity_without_account("906", "another").await.unwrap());
    // Refused, because the account has another google_sub or another id, or the identity exists.
    assert!(!operator.restore_identity("907", &key, id).await.unwrap());
    put(&stack, with(&row, "google_sub", Some(s("907")))).await;
    assert!(!operator.restore_identity("907", &key, id + 1).await.unwrap());
    put(&stack, with(&row, "google_sub", Some(s("906")))).await;
    assert!(!operator.restore_identity("906", &key, id).await.unwrap());
    put(&stack, row).await;
    // The account has another `profile_id` than the one that was found, or another id.
    assert!(!operator.set_profile_id(&key, id, None).await.unwrap());
    assert!(!operator.set_profile_id(&key, id, Some(id + 1)).await.unwrap());
    assert!(!operator.set_profile_id(&key, id + 1, Some(id)).await.unwrap());
    // The profile names the passkey.
    for row in [Row::passkey_key(&pk, &passkey), Row::pointer_key(&passkey)] {
        assert!(!operator.delete_unnamed_passkey(&pk, &passkey, &row).await.unwrap());
    }
    assert_eq!(everything(&stack).await, before);
}
