//! Reading and changing rows of the accounts table in tests.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Embedded, Item, Visitor};
use argon2::{Algorithm, Argon2, Params, Version};
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::{Map, Value, json};
use shared::system::random::SystemRandom;
use shared::{AccountKey, Email, Token};

/// The ids of copied accounts. The counter of ids is raised above them.
const COPIES_START: u64 = 1_000_000;
const COPIES_END: u64 = 2_000_000;

/// An attribute, a string or a number, as text; empty if it is missing.
pub fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The partition of an address.
pub fn partition_key(email: &str) -> String {
    AccountKey::of(&Email::parse(email).unwrap()).as_str().to_owned()
}

/// The row of an address' account.
pub async fn profile(stack: &Embedded, email: &str) -> Option<Item> {
    rows(stack, email, "profile").await.pop()
}

/// The rows of an address' sessions.
pub async fn sessions(stack: &Embedded, email: &str) -> Vec<Item> {
    rows(stack, email, "session#").await
}

/// The row of an address' failed logins.
pub async fn failures(stack: &Embedded, email: &str) -> Option<Item> {
    rows(stack, email, "failures").await.pop()
}

async fn rows(stack: &Embedded, email: &str, sk: &str) -> Vec<Item> {
    let pk = partition_key(email);
    let items = stack.items("accounts").await;
    items.into_iter().filter(|item| text(item, "pk") == pk && text(item, "sk").starts_with(sk)).collect()
}

/// Writes a row, and replaces an existing one.
pub async fn put(stack: &Embedded, item: Item) {
    stack.dynamodb().put_item().table_name("accounts").set_item(Some(item)).send().await.unwrap();
}

/// Deletes a row.
pub async fn delete(stack: &Embedded, item: &Item) {
    let delete = stack.dynamodb().delete_item().table_name("accounts").key("pk", item["pk"].clone());
    delete.key("sk", item["sk"].clone()).send().await.unwrap();
}

/// Deletes the items of all erasures, as TTL does, and returns them.
pub async fn expire_erasures(stack: &Embedded) -> Vec<Item> {
    let erasures = stack.items("accounts").await.into_iter().filter(|item| text(item, "sk") == "erasure");
    let erasures: Vec<Item> = erasures.collect();
    for item in &erasures {
        delete(stack, item).await;
    }
    erasures
}

/// A row of the API's JSON, as the SDK returns it.
///
/// # Panics
/// An attribute has a type that no row has.
pub fn from_json(row: &Value) -> Item {
    row.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), attribute(value))).collect()
}

fn attribute(value: &Value) -> AttributeValue {
    let (kind, value) = value.as_object().and_then(|object| object.iter().next()).unwrap();
    match (kind.as_str(), value) {
        ("S", Value::String(text)) => AttributeValue::S(text.clone()),
        ("N", Value::String(number)) => AttributeValue::N(number.clone()),
        ("BOOL", Value::Bool(truth)) => AttributeValue::Bool(*truth),
        ("L", Value::Array(items)) => AttributeValue::L(items.iter().map(attribute).collect()),
        ("SS", Value::Array(texts)) => {
            AttributeValue::Ss(texts.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        }
        ("NS", Value::Array(numbers)) => {
            AttributeValue::Ns(numbers.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        }
        ("M", row) => AttributeValue::M(from_json(row)),
        other => panic!("{other:?} is no attribute of an account"),
    }
}

/// A row that the SDK has returned, in the API's JSON.
///
/// # Panics
/// As [`from_json`].
pub fn to_json(row: &Item) -> Value {
    row.iter().map(|(name, value)| (name.clone(), json_of(value))).collect::<Map<_, _>>().into()
}

fn json_of(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(number) => json!({"N": number}),
        AttributeValue::Bool(truth) => json!({"BOOL": truth}),
        AttributeValue::L(items) => json!({"L": items.iter().map(json_of).collect::<Vec<_>>()}),
        AttributeValue::Ss(texts) => json!({"SS": texts}),
        AttributeValue::Ns(numbers) => json!({"NS": numbers}),
        AttributeValue::M(row) => json!({"M": to_json(row)}),
        other => panic!("{other:?} is no attribute of an account"),
    }
}

/// The row with an attribute changed or removed.
pub fn with(item: &Item, name: &str, value: Option<AttributeValue>) -> Item {
    let mut item = item.clone();
    item.remove(name);
    item.extend(value.map(|value| (name.to_owned(), value)));
    item
}

/// Adds a number of sessions to an account, copied from its existing one.
pub async fn copy_session(stack: &Embedded, email: &str, copies: usize) {
    let session = sessions(stack, email).await.pop().unwrap();
    let dynamodb = stack.dynamodb();
    let puts: Vec<WriteRequest> = (0..copies)
        .map(|number| with(&session, "sk", Some(AttributeValue::S(format!("session#{number:043}")))))
        .map(|copy| PutRequest::builder().set_item(Some(copy)).build().unwrap())
        .map(|put| WriteRequest::builder().put_request(put).build())
        .collect();
    for batch in puts.chunks(25) {
        dynamodb.batch_write_item().request_items("accounts", batch.to_vec()).send().await.unwrap();
    }
}

/// An account for the visitor's address that differs from this one only in its id.
pub async fn copy_account(stack: &Embedded, profile: &Item, to: &Visitor) {
    static NEXT: AtomicU64 = AtomicU64::new(COPIES_START);
    let id = NEXT.fetch_add(1, Ordering::Relaxed).to_string();
    let copy = with(profile, "pk", Some(AttributeValue::S(partition_key(&to.email))));
    let copy = with(&copy, "email", Some(AttributeValue::S(to.email.clone())));
    let copy = with(&copy, "id", Some(AttributeValue::N(id.clone())));
    put(stack, with(&copy, "profile_id", Some(AttributeValue::N(id)))).await;
    let counter = stack
        .dynamodb()
        .update_item()
        .table_name("accounts")
        .update_expression("SET #total = :last")
        .expression_attribute_names("#total", "total");
    let counter = counter.key("pk", AttributeValue::S("counter".to_owned()));
    let counter = counter.key("sk", AttributeValue::S("user-id".to_owned()));
    counter.expression_attribute_values(":last", AttributeValue::N(COPIES_END.to_string())).send().await.unwrap();
}

/// Opens a session for the visitor without a login.
pub async fn open_session(stack: &Embedded, visitor: &Visitor) -> Visitor {
    let profile = profile(stack, &visitor.email).await.unwrap();
    let (token, now) = (mint(&visitor.email), stack.now().seconds());
    let n = |number: u64| AttributeValue::N(number.to_string());
    let mut session: Item = ["pk", "id", "generation"].map(|name| (name.to_owned(), profile[name].clone())).into();
    session.insert("sk".to_owned(), AttributeValue::S(format!("session#{}", token.hash())));
    let times = [("created_at", now), ("last_seen", now), ("expires_at", now + 7200)];
    session.extend(times.map(|(name, time)| (name.to_owned(), n(time))));
    put(stack, session).await;
    Visitor { cookie: Some(format!("session={}", token.reveal().as_str())), ..visitor.clone() }
}

/// A reset token of the account, without a mail.
pub async fn reset_token(stack: &Embedded, visitor: &Visitor) -> String {
    let (token, row) = (mint(&visitor.email), profile(stack, &visitor.email).await.unwrap());
    let row = with(&row, "reset_hash", Some(AttributeValue::S(token.hash())));
    let expires_at = AttributeValue::N((stack.now().seconds() + 1800).to_string());
    put(stack, with(&row, "reset_expires_at", Some(expires_at))).await;
    token.reveal().to_string()
}

fn mint(email: &str) -> Token {
    Token::mint(&AccountKey::of(&Email::parse(email).unwrap()), &SystemRandom).unwrap()
}

/// The stored SHA-256 of a token or of a cookie's value.
pub fn hash(token: &str) -> String {
    Token::parse(token.rsplit('=').next().unwrap()).unwrap().hash()
}

/// The PHC string of a password with weak parameters that no stack of the tests uses.
pub fn weak_hash(password: &str) -> String {
    let mut hash = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(16, 1, 1, None).unwrap());
    argon2.hash_password_into(password.as_bytes(), &[0; 16], &mut hash).unwrap();
    format!("$argon2id$v=19$m=16,t=1,p=1${}${}", STANDARD_NO_PAD.encode([0; 16]), STANDARD_NO_PAD.encode(hash))
}
