//! The answer of a rule that succeeds.

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::account::avatar::Avatars;
use crate::account::{Account, BrowserSecret, User};
use crate::store::Opened;
use crate::{Fault, Token};

/// The change that an answer makes to the client's session cookie.
pub(crate) enum SessionChange {
    None,
    Open(Token),
    End,
}

/// An answer, and the change that it makes to the session cookie.
pub struct Reply {
    pub(crate) body: Body,
    pub(crate) session: SessionChange,
    pub(crate) browser: Option<BrowserSecret>,
    pub(crate) account_id: Option<u64>,
}

pub(crate) enum Body {
    Json(Members),
    /// A redirect (303) to a URL from the configuration.
    SeeOther(String),
}

/// The members of a JSON object, in their order.
#[derive(Default)]
pub(crate) struct Members(Vec<(&'static str, Box<RawValue>)>);

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Members {
    /// `{"success":…,"message":…}`.
    pub(crate) fn verdict(success: bool, message: &str) -> Self {
        Self::default().and("success", &success).and("message", message)
    }

    /// Adds a member that always serialises, such as a boolean or a string.
    pub(crate) fn and(mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        let _ = self.add(name, value);
        self
    }

    fn add(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
        self.0.push((name, to_raw_value(value)?));
        Ok(())
    }

    /// The object's text.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Reply {
    /// `{"success":true,"message":…}`.
    #[must_use]
    pub fn success(message: &str) -> Self {
        Self::json(Members::verdict(true, message))
    }

    /// `{"success":true}`, where the contract has no message.
    #[must_use]
    pub fn plain_success() -> Self {
        Self::json(Members::default().and("success", &true))
    }

    /// `{"status":…}`, the answer of the Google login.
    #[must_use]
    pub fn status(status: &str) -> Self {
        Self::json(Members::default().and("status", status))
    }

    /// A redirect (303). The URL must come from the configuration, never from the request.
    #[must_use]
    pub fn see_other(address: String) -> Self {
        Self { body: Body::SeeOther(address), session: SessionChange::None, browser: None, account_id: None }
    }

    /// Adds `user` with its five fields.
    ///
    /// # Errors
    /// The account cannot be written as JSON.
    pub fn user(self, account: &Account, avatars: &Avatars) -> Result<Self, Fault> {
        self.with("user", &User::of(account, avatars)).map(|reply| reply.logging_account(account))
    }

    /// Adds any member.
    ///
    /// # Errors
    /// The value cannot be written as JSON.
    pub fn with(mut self, name: &'static str, value: &impl Serialize) -> Result<Self, Fault> {
        if let Body::Json(body) = &mut self.body {
            body.add(name, value).map_err(|_| Fault::new("reply.json", "unwritable"))?;
        }
        Ok(self)
    }

    /// Names the account in the log line. It is not sent.
    #[must_use]
    pub fn logging_account(mut self, account: &Account) -> Self {
        self.account_id = Some(account.id);
        self
    }

    /// Sets the cookies of a login.
    #[must_use]
    pub fn opened(mut self, opened: Opened) -> Self {
        self.browser = opened.browser;
        self.opening(opened.token)
    }

    /// Sets the cookie of a known browser.
    #[must_use]
    pub fn remembering(mut self, browser: Option<BrowserSecret>) -> Self {
        self.browser = browser;
        self
    }

    /// Sets the session cookie.
    #[must_use]
    pub fn opening(mut self, token: Token) -> Self {
        self.session = SessionChange::Open(token);
        self
    }

    /// Deletes the session cookie.
    #[must_use]
    pub fn ending(mut self) -> Self {
        self.session = SessionChange::End;
        self
    }

    fn json(body: Members) -> Self {
        Self { body: Body::Json(body), session: SessionChange::None, browser: None, account_id: None }
    }
}
