//! Passkeys: everyday use, hostile answers of authenticators, parallel requests, and the end of an account.

mod crowds;
mod ends;
mod limits;
mod logins;
mod registrations;
mod used;
mod vectors;

use journeys::authenticator::Authenticator;
use journeys::{Embedded, Visitor};

/// A visitor with a session and a passkey.
async fn with_passkey(stack: &Embedded) -> (Visitor, Authenticator) {
    let mut ana = stack.service.visitor().signed_in().await;
    let authenticator = ana.with_passkey().await;
    (ana, authenticator)
}
