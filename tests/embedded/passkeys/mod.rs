//! Passkeys: everyday use, hostile answers of authenticators, parallel requests, and the end of an account.

mod crowds;
mod ends;
mod limits;
mod logins;
mod registrations;
mod used;
mod vectors;

use journeys::authenticator::Authenticator;
use journeys::{Embedded, Item, Visitor};

use journeys::rows;

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
