//! The emails that the service sends. They do not contain the user's name: somebody who registers another person's
//! address chooses the name, and could put any text into the email.

use crate::{FrontEnd, Token};

/// An email without its address. No `Debug`: it may contain a reset link.
pub struct Letter {
    pub(super) subject: &'static str,
    pub(super) text: String,
    pub(super) html: String,
}

impl Letter {
    /// The email with the link to set a new password.
    #[must_use]
    pub fn reset(front_end: &FrontEnd, token: &Token, lifetime_minutes: u64) -> Self {
        let link = front_end.reset_link(token.reveal().as_str());
        let minutes = lifetime_minutes.to_string();
        let filled = |template: &str| template.replace("{link}", &link).replace("{minutes}", &minutes);
        Self {
            subject: "Restablece tu contraseña",
            text: filled(include_str!("letters/reset.txt")),
            html: filled(include_str!("letters/reset.html")),
        }
    }

    /// The notice to the owner that the account was linked to a Google identity, which removed its password.
    #[must_use]
    pub fn linked(front_end: &FrontEnd) -> Self {
        let filled = |template: &str| template.replace("{front_end}", front_end.address());
        Self {
            subject: "Tu cuenta se ha vinculado con Google",
            text: filled(include_str!("letters/linked.txt")),
            html: filled(include_str!("letters/linked.html")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::random::SystemRandom;
    use crate::{AccountKey, Email};

    #[test]
    fn every_placeholder_of_text_and_html_is_replaced() {
        let token = Token::mint(&AccountKey::of(&Email::parse("ana@example.com").unwrap()), &SystemRandom).unwrap();
        let link = format!("https://app.example/restablecer?token={}", token.reveal().as_str());
        let reset = Letter::reset(&FrontEnd::for_tests(), &token, 30);
        for half in [&reset.text, &reset.html] {
            assert!(half.contains(&link) && half.contains("30 minutos"), "{half}");
        }
        let linked = Letter::linked(&FrontEnd::for_tests());
        for half in [&reset.text, &reset.html, &linked.text, &linked.html] {
            assert!(!half.contains(['{', '}']), "{half}");
        }
    }
}
