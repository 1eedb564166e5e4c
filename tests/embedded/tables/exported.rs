//! The export compared with the tables: nothing is missing, and every page is small enough. It also shows what an owner has
//! accepted, and when.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{DATA_SAVED, owned_sentence};
use journeys::{Embedded, FRONT_END, Item, PASSWORD, Visitor, paths, rows};
use serde_json::{Value, json};
use shared::system::clock::Timestamp;

/// The largest answer of a function (Lambda's quota), in bytes.
const LAMBDA_MAX: usize = 6 * 1024 * 1024;
/// The attributes that are not exported: hashes, keys (because they contain hashes), nonces, and attributes that repeat
/// others. The id of an entry contains its request and index, and the failures expire with their window.
const NOT_EXPORTED: [(&str, &str); 7] = [
    // Known browsers are compared separately, because each is a map with a hash.
    (
        "profile",
        "pk sk nonce profile_id password password_format reset_hash verify_hash reset_words import_digest browsers lock_links \
      change_hash change_session change_generation",
    ),
    ("passkey", "pk sk nonce id"),
    ("pointer", "pk sk account"),
    ("session", "pk sk nonce"),
    ("failures", "pk sk nonce expires_at"),
    ("identity", "sk account"),
    ("entry", "account request index"),
];
/// The names in the export that differ from those in the table.
const RENAMED: [(&str, &str); 13] = [
    ("change_email", "new_email"),
    ("change_expires_at", "email_change_expires_at"),
    ("former_emails", "email"),
    ("proved_at", "handed_over_at"),
    ("passkeys", "id"),
    ("passkey_user", "passkey_user_handle"),
    ("verify_expires_at", "verification_link_expires_at"),
    ("google_sub", "google_subject"),
    ("browsers_since", "browsers_known_since"),
    ("reset_expires_at", "reset_link_expires_at"),
    ("last_seen", "last_seen_at"),
    ("times", "failed_logins"),
    ("pk", "google_subject"),
];

/// The export with the entries of all its pages, and the number of pages.
async fn export(ana: &mut Visitor) -> (Value, usize) {
    let (mut whole, mut cursor, mut pages) = (Value::Null, String::new(), 0);
    loop {
        let answer = ana.form(paths::EXPORT_ACCOUNT, &[("cursor", &cursor)]).await;
        assert_eq!((answer.status, answer.success()), (200, json!(true)), "{:?}", answer.sentence());
        let to_lambda = serde_json::to_string(&answer.text).unwrap().len() + 1_000;
        assert!(answer.text.len() < 5_000_000 && to_lambda < LAMBDA_MAX, "{to_lambda} bytes");
        let mut page = answer.json();
        pages += 1;
        let next = page["cursor"].take();
        if let Some(whole) = whole.as_object_mut() {
            let entries = page["entries"].as_array_mut().unwrap();
            whole["entries"].as_array_mut().unwrap().append(entries);
        } else {
            whole = page;
        }
        match next {
            Value::Null => return (whole, pages),
            next => next.as_str().unwrap().clone_into(&mut cursor),
        }
    }
}

fn kind(item: &Item) -> &'static str {
    match rows::text(item, "sk").split('#').next().unwrap() {
        "profile" => "profile",
        "session" => "session",
        "failures" => "failures",
        "identity" => "identity",
        "passkey" => "passkey",
        "credential" => "pointer",
        _ => "entry",
    }
}

/// For each value of an attribute, the ways in which the export may write it.
fn spellings(value: &AttributeValue) -> Vec<Vec<Value>> {
    match value {
        AttributeValue::S(text) => {
            let avatar = format!("{FRONT_END}/assets/avatars/{text}.jpeg");
            vec![vec![json!(text), json!(text.trim_start_matches("google#")), json!(avatar)]]
        }
        AttributeValue::Bool(flag) => vec![vec![json!(flag)]],
        AttributeValue::N(number) => {
            let number: u64 = number.parse().unwrap();
            let times = [Timestamp::from_seconds(number), Timestamp::from_milliseconds(number)];
            vec![vec![json!(number), json!(times[0].to_rfc3339()), json!(times[1].to_rfc3339())]]
        }
        AttributeValue::L(values) => values.iter().flat_map(spellings).collect(),
        // A former address has its time before it.
        AttributeValue::Ss(texts) => {
            texts.iter().map(|text| vec![json!(text), json!(text.rsplit('#').next())]).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// Collects the values of all members with this name, at any depth.
fn members<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key == name {
                    match value {
                        Value::Array(values) => found.extend(values),
                        value => found.push(value),
                    }
                }
                members(value, name, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| members(value, name, found)),
        _ => {}
    }
}

/// An account with every kind of item that the test below compares, and with the attributes of an import.
async fn rich(stack: &Embedded) -> Visitor {
    let mut ana = stack.service.visitor().registered().await;
    ana.login(PASSWORD).await;
    ana.verification_token().await;
    ana.google(json!({"sub": "110169484474386276334"})).await;
    let mut authenticator = ana.with_passkey().await;
    assert_eq!(ana.passkey_login(&mut authenticator).await.success(), true);
    ana.reset_to(PASSWORD).await;
    ana.login(PASSWORD).await;
    ana.on_another_device().await;
    for _ in 0..2 {
        ana.elsewhere().login("Otra1234").await;
    }
    ana.without_session().login("Otra1234").await;
    ana.reset_token().await;
    let new = ana.new_email();
    ana.change_token(&new).await;
    let mut profile = rows::profile(stack, &ana.email).await.unwrap();
    let additions = [
        ("former_emails", AttributeValue::Ss(vec!["1795370760123#1#antes@example.com".to_owned()])),
        ("import_run", AttributeValue::S("20261121T101500Z-7f3a".to_owned())),
        ("import_digest", AttributeValue::S("a-digest-of-an-imported-row".to_owned())),
        ("import_generation", AttributeValue::N("17".to_owned())),
    ];
    profile.extend(additions.map(|(name, value)| (name.to_owned(), value)));
    rows::put(stack, profile).await;
    for body in [r#"{"importe":12.50}"#, r#"[{"a":1},{"b":"\u00f1"}]"#] {
        assert_eq!(ana.json(paths::RECEIVE_DATA, body).await.sentence(), owned_sentence(DATA_SAVED));
    }
    // An expired session whose row still exists.
    let row = rows::sessions(stack, &ana.email).await.pop().unwrap();
    let row = rows::with(&row, "sk", Some(AttributeValue::S(format!("session#{:043}", 0))));
    rows::put(stack, rows::with(&row, "expires_at", Some(AttributeValue::N("1700000000".to_owned())))).await;
    ana
}

#[tokio::test]
async fn every_attribute_of_an_account_in_both_tables_is_in_its_export() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "9")]).await;
    let mut ana = rich(&stack).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let (pk, id) = (rows::text(&profile, "pk"), rows::text(&profile, "id"));
    let mut items = stack.items("accounts").await;
    items.retain(|item| [rows::text(item, "pk"), rows::text(item, "account")].contains(&pk));
    items.extend(stack.items("entries").await.into_iter().filter(|item| rows::text(item, "account") == id));
    let kinds: BTreeSet<_> = items.iter().map(kind).collect();
    assert_eq!(kinds, NOT_EXPORTED.iter().map(|(kind, _)| *kind).collect(), "the account lacks a kind of item");

    let (export, _) = export(&mut ana).await;
    let text = export.to_string();
    for item in &items {
        let (_, not_exported) = NOT_EXPORTED.iter().find(|(of, _)| *of == kind(item)).unwrap();
        for (name, value) in item {
            if not_exported.split(' ').any(|other| other == name) {
                let hidden = value.as_s().map_or("", String::as_str);
                let secret = hidden.strip_prefix("session#").unwrap_or(hidden);
                assert!(secret.len() < 20 || name == "request" || !text.contains(secret), "{name} is in the export");
                continue;
            }
            let named = RENAMED.iter().find(|(of, _)| of == name).map_or(name.as_str(), |(_, named)| named);
            let mut found = Vec::new();
            members(&export, named, &mut found);
            for spellings in spellings(value) {
                let is_there = spellings.iter().any(|spelling| found.contains(&spelling));
                assert!(is_there, "{} of {} is not in the export: {value:?}, {found:?}", name, kind(item));
            }
        }
    }
    assert_eq!(export["sessions"].as_array().unwrap().len(), 3, "live or not");
    assert_eq!(export["account"]["failed_logins"].as_array().unwrap().len(), 3);
    let browsers = profile["browsers"].as_l().unwrap();
    let known = export["browsers"].as_array().unwrap();
    assert_eq!((known.len(), browsers.len()), (2, 2));
    for (stored, shown) in browsers.iter().map(|browser| browser.as_m().unwrap()).zip(known) {
        assert_eq!(shown["name"], rows::text(stored, "name"));
        assert!(spellings(&stored["created_at"]).concat().contains(&shown["created_at"]), "{shown}");
        assert!(!text.contains(&rows::text(stored, "hash")), "a hash is in the export");
    }
    assert_eq!(export["entries"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn what_an_earlier_account_of_the_address_has_left_is_not_in_the_export() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    ana.with_passkey().await;
    let pk = rows::partition_key(&ana.email);
    let left = stack.items("accounts").await.into_iter().filter(|item| {
        let sk = rows::text(item, "sk");
        rows::text(item, "pk") == pk && (sk.starts_with("session#") || sk.starts_with("passkey#"))
    });
    for row in left {
        let sk = format!("{}x", rows::text(&row, "sk"));
        let earlier = rows::with(&row, "id", Some(AttributeValue::N("999".to_owned())));
        rows::put(&stack, rows::with(&earlier, "sk", Some(AttributeValue::S(sk)))).await;
    }
    let (exported, _) = export(&mut ana).await;
    for kind in ["sessions", "passkeys"] {
        assert_eq!(exported[kind].as_array().unwrap().len(), 1, "{kind} of an earlier account");
    }
}

#[tokio::test]
async fn pages_are_smaller_than_five_megabytes_and_have_every_entry_once_and_in_order() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut sent = Vec::new();
    // The JSON of the export escapes quotes and backslashes, and Lambda's answer escapes them again.
    for filling in ["x", "\\\"", "ñ", "\\\\"] {
        for number in 0..9 {
            let entry = format!("{{\"{number}\":\"{}\"}}", filling.repeat(390_000 / filling.len()));
            assert_eq!(ana.json(paths::RECEIVE_DATA, entry.as_str()).await.sentence(), owned_sentence(DATA_SAVED));
            sent.push(entry);
            stack.advance(Duration::from_secs(1));
        }
    }
    let (export, pages) = export(&mut ana).await;
    let entries = export["entries"].as_array().unwrap().iter().map(|entry| entry["body"].as_str().unwrap());
    assert!(entries.eq(sent.iter()), "entries are missing, doubled or in another order");
    assert!((4..12).contains(&pages), "{pages} pages");
}

#[tokio::test]
async fn a_page_has_at_most_a_thousand_entries_and_each_call_reads_three_of_them() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let body = json!(vec![json!({}); 2_001]).to_string();
    assert_eq!(ana.json(paths::RECEIVE_DATA, body).await.sentence(), owned_sentence(DATA_SAVED));
    drop(stack.table.calls());
    let (export, pages) = export(&mut ana).await;
    let calls = stack.table.calls();
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!((pages, count("Query"), count("BatchGetItem")), (3, 3 * 3, 3 + 334 + 334 + 1));
    assert_eq!(count("UpdateItem"), 1, "the owner is told once");
    let ids: BTreeSet<_> =
        export["entries"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2_001);
}

#[tokio::test]
async fn entries_that_are_erased_during_an_export_are_left_out() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let body = json!(vec![json!({}); 1_500]).to_string();
    assert_eq!(ana.json(paths::RECEIVE_DATA, body).await.sentence(), owned_sentence(DATA_SAVED));
    let first = ana.form(paths::EXPORT_ACCOUNT, &[]).await.json();
    let id = rows::text(&rows::profile(&stack, &ana.email).await.unwrap(), "id").parse().unwrap();
    shared::store::Entries::new(&stack.setup(&[])).erase_of(id, stack.now()).await.unwrap();
    let second = ana.form(paths::EXPORT_ACCOUNT, &[("cursor", first["cursor"].as_str().unwrap())]).await.json();
    assert_eq!((&second["entries"], &second["cursor"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn an_account_that_was_imported_without_a_time_of_creation_is_exported_without_one() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    rows::put(&stack, rows::with(&profile, "created_at", Some(AttributeValue::N("0".to_owned())))).await;
    let (export, _) = export(&mut ana).await;
    assert_eq!(export["account"]["created_at"], Value::Null, "{export}");
}

/// The account in the owner's export.
async fn exported(ana: &mut Visitor) -> Value {
    ana.form(paths::EXPORT_ACCOUNT, &[]).await.json()["account"].clone()
}

#[tokio::test]
async fn a_registration_stores_when_and_which_terms_were_accepted_and_the_settings_when_the_newsletter_changed() {
    let (stack, mut ana) = Embedded::signed_in(&[("TERMS_VERSION", "2027-01"), ("CONFIRM_SECONDS", "0")]).await;
    let first = exported(&mut ana).await;
    assert_eq!(first["terms_version"], "2027-01");
    assert_eq!((&first["terms_accepted_at"], &first["news_changed_at"]), (&first["created_at"], &first["created_at"]));

    stack.advance(Duration::from_mins(1));
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("notifications", "")]).await.success(), true);
    assert_eq!(exported(&mut ana).await["news_changed_at"], first["news_changed_at"], "the same choice again");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("notifications", "on")]).await.success(), true);
    let changed = exported(&mut ana).await;
    assert!(changed["news_changed_at"].as_str() > first["news_changed_at"].as_str(), "{changed}");
    assert_eq!(changed["terms_accepted_at"], first["terms_accepted_at"]);
}

#[tokio::test]
async fn the_google_login_of_the_owner_ends_a_newsletter_that_a_stranger_has_ordered() {
    let stack = Embedded::start(&[("CONFIRM_SECONDS", "0")]).await;
    let mut ana = stack.service.visitor();
    assert_eq!(ana.register_with(&[("notifications", "on")]).await.success(), true);
    stack.advance(Duration::from_mins(1));
    assert_eq!(ana.google(json!({})).await.status, 200);
    let account = exported(&mut ana).await;
    assert_eq!(account["accept_news"], 0);
    assert!(account["news_changed_at"].as_str() > account["created_at"].as_str(), "{account}");
}
