//! Passkeys: everyday use, hostile answers of authenticators, parallel requests, and the end of an account.

mod ends;
mod limits;
mod logins;
mod registrations;
mod used;
mod vectors;

use journeys::authenticator::Authenticator;
use journeys::{Embedded, Item, Visitor, rows};
use serde_json::{Value, json};

type Damage = fn(&mut Value);

/// Changes that make client data invalid. The properties of `assertion` and `client_data` have all others.
const CLIENT_DATA: &[(&str, Damage)] = &[
    ("another type", |data| data["type"] = json!("webauthn.other")),
    ("no type", |data| drop(data.as_object_mut().unwrap().remove("type"))),
    ("another challenge", |data| data["challenge"] = json!("AAAAAAAAAAAAAAAAAAAAAA")),
    ("no challenge", |data| drop(data.as_object_mut().unwrap().remove("challenge"))),
    ("another origin", |data| data["origin"] = json!("https://evil.example")),
    ("another port", |data| data["origin"] = json!("http://localhost:5174")),
    ("a subdomain", |data| data["origin"] = json!("http://evil.localhost:5173")),
    ("no origin", |data| drop(data.as_object_mut().unwrap().remove("origin"))),
    ("from another origin", |data| data["crossOrigin"] = json!(true)),
    ("in a frame", |data| data["topOrigin"] = json!("https://evil.example")),
];

/// A stack, and a visitor with a session and a passkey.
async fn start(settings: &[(&str, &str)]) -> (Embedded, Visitor, Authenticator) {
    let stack = Embedded::start(settings).await;
    let (ana, authenticator) = with_passkey(&stack).await;
    (stack, ana, authenticator)
}

/// A visitor with a session and a passkey.
async fn with_passkey(stack: &Embedded) -> (Visitor, Authenticator) {
    let mut ana = stack.service.visitor().signed_in().await;
    let authenticator = ana.with_passkey().await;
    (ana, authenticator)
}

/// The number of rows and pointers of all passkeys.
async fn passkey_items(stack: &Embedded) -> usize {
    let items = stack.items("accounts").await;
    let is_of_passkey = |item: &&Item| {
        rows::text(item, "pk").starts_with("credential#") || rows::text(item, "sk").starts_with("passkey#")
    };
    items.iter().filter(is_of_passkey).count()
}
