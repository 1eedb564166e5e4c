//! The URLs of the front end's pages.

use super::{Settings, domain_of, origin_of};

/// The pages that emails and redirects link to. Their host is configured and never taken from a request.
#[derive(Debug, Clone)]
pub struct FrontEnd {
    address: String,
}

impl FrontEnd {
    /// Reads `FRONT_END_URL`.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self { address: settings.url("FRONT_END_URL") }
    }

    /// The base URL, without a trailing slash.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The origin of its pages; `None` if the setting is faulty.
    pub(crate) fn origin(&self) -> Option<String> {
        origin_of(&self.address)
    }

    /// The RP ID of passkeys: the host of its pages. `None` if that is an IP address, because browsers do not support passkeys
    /// on such hosts. Without HTTPS they support them only on `localhost`, and [`Settings::url`] allows no other host name
    /// without HTTPS.
    #[must_use]
    pub fn rp_id(&self) -> Option<String> {
        domain_of(&self.address)
    }

    /// The start page.
    #[must_use]
    pub fn home(&self) -> String {
        format!("{}/", self.address)
    }

    /// The login page with the message that the Google sign-in failed.
    #[must_use]
    pub fn failed_google_login(&self) -> String {
        format!("{}/login?error=google", self.address)
    }

    /// The page where the user sets a new password, with the reset token.
    #[must_use]
    pub fn reset_link(&self, token: &str) -> String {
        format!("{}/restablecer?token={token}", self.address)
    }

    /// The page that verifies the user's address, with the verification token.
    #[must_use]
    pub fn verification_link(&self, token: &str) -> String {
        format!("{}/verificar?token={token}", self.address)
    }

    /// The page that changes the user's address to the one that the link was mailed to, with the token of the change.
    #[must_use]
    pub fn email_change_link(&self, token: &str) -> String {
        format!("{}/confirmar-email?token={token}", self.address)
    }

    /// The page where the owner of an address locks the account, with the token of a notice.
    #[must_use]
    pub fn lock_link(&self, token: &str) -> String {
        format!("{}/no-fui-yo?token={token}", self.address)
    }

    /// The page where users who forgot their password ask for a reset link.
    #[must_use]
    pub fn forgotten_password(&self) -> String {
        format!("{}/recuperar", self.address)
    }

    /// The page with the open sessions of the user.
    #[must_use]
    pub fn open_sessions(&self) -> String {
        format!("{}/sesiones", self.address)
    }

    /// The page with the passkeys of the user.
    #[must_use]
    pub fn passkeys(&self) -> String {
        format!("{}/llaves", self.address)
    }

    /// The page where a new user registers.
    #[must_use]
    pub fn registration(&self) -> String {
        format!("{}/registro", self.address)
    }
}
