//! The emails that the service sends. They address users by name only if the address is verified: otherwise somebody
//! who registers another person's address could put any text into the email.

use crate::system::clock::Timestamp;
use crate::{BrowserName, FrontEnd, Setup, Token};

/// An email without its address. No `Debug`: it may contain a link with a token.
pub struct Letter {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

/// Writes the emails of one service.
#[derive(Clone)]
pub struct Letters {
    front_end: FrontEnd,
}

/// A change of an account that its owner is notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The owner's name, if the address is verified.
    pub name: Option<String>,
    /// When the account changed.
    pub at: Timestamp,
    /// The browser that changed it, if it is known.
    pub browser: Option<BrowserName>,
}

impl Letters {
    /// Reads `FRONT_END_URL`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { front_end: FrontEnd::new(setup.settings()) }
    }

    /// The email with the link to set a new password.
    #[must_use]
    pub fn reset(&self, token: &Token, lifetime_minutes: u64) -> Letter {
        let link = self.front_end.reset_link(token.reveal().as_str());
        let minutes = lifetime_minutes.to_string();
        let filled = |template: &str| template.replace("{link}", &link).replace("{minutes}", &minutes);
        Letter {
            subject: "Restablece tu contraseña".to_owned(),
            text: filled(include_str!("letters/reset.txt")),
            html: filled(include_str!("letters/reset.html")),
        }
    }

    /// The notice that the password is a new one, after a change in the settings or a reset.
    #[must_use]
    pub fn password_changed(&self, notice: &Notice) -> Letter {
        self.plain("Tu contraseña ha cambiado", "Tu cuenta tiene una contraseña nueva.", notice)
    }

    /// The notice that the account was linked to a Google identity, which may have removed its password.
    #[must_use]
    pub fn google_linked(&self, notice: &Notice, is_password_removed: bool) -> Letter {
        let what = if is_password_removed {
            "Alguien que ha demostrado a Google que esta dirección de correo es suya ha entrado en tu cuenta. Por seguridad, hemos borrado la contraseña que tenía la cuenta y hemos cerrado todas sus sesiones."
        } else {
            "Ya puedes entrar en tu cuenta con Google."
        };
        self.plain("Tu cuenta se ha vinculado con Google", what, notice)
    }

    /// The notice that the account was deleted.
    #[must_use]
    pub fn account_deleted(&self, notice: &Notice) -> Letter {
        self.plain("Tu cuenta se ha eliminado", "Hemos eliminado tu cuenta.", notice)
    }

    /// The notice that a browser logged in for the first time.
    #[must_use]
    pub fn new_browser(&self, notice: &Notice) -> Letter {
        self.plain("Un navegador nuevo ha entrado en tu cuenta", "Un navegador nuevo ha entrado en tu cuenta.", notice)
    }

    fn plain(&self, subject: &str, what: &str, notice: &Notice) -> Letter {
        let browser = notice.browser.as_ref().map_or("", BrowserName::as_str);
        let text = format!("{what}\n\n{}\n{browser}\n\n{}\n", notice.at.to_rfc3339(), self.front_end.address());
        Letter { subject: subject.to_owned(), html: format!("<p>{text}</p>"), text }
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
        let letters = Letters { front_end: FrontEnd::for_tests() };
        let reset = letters.reset(&token, 30);
        for half in [&reset.text, &reset.html] {
            assert!(half.contains(&link) && half.contains("30 minutos"), "{half}");
            assert!(!half.contains(['{', '}']), "{half}");
        }
    }
}
