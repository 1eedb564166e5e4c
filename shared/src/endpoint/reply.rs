//! What a rule answers when nothing stopped it.

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::account::{Account, User};
use crate::{Fault, Token};

/// What an answer does to the client's session cookie.
pub(crate) enum SessionChange {
    None,
    Open(Token),
    End,
}

/// An answer, and what it does to the session.
pub struct Reply {
    pub(crate) body: Body,
    pub(crate) session: SessionChange,
    pub(crate) account_id: Option<u64>,
}

pub(crate) enum Body {
    Json(Members),
    /// 303 to an address of the configuration.
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
        let mut members = Self::default();
        // A flag and a text can always be written.
        let _ = members.add("success", &success).and_then(|()| members.add("message", message));
        members
    }

    fn of(name: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        let mut members = Self::default();
        let _ = members.add(name, value);
        members
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
        Self::json(Members::of("success", &true))
    }

    /// `{"status":…}`, the identity provider login's answer.
    #[must_use]
    pub fn status(status: &str) -> Self {
        Self::json(Members::of("status", status))
    }

    /// 303 to an address that must come from the configuration and never from the request.
    #[must_use]
    pub fn see_other(address: String) -> Self {
        Self { body: Body::SeeOther(address), session: SessionChange::None, account_id: None }
    }

    /// Adds `user`, all five fields of it.
    ///
    /// # Errors
    /// The account cannot be written as JSON.
    pub fn user(self, account: &Account) -> Result<Self, Fault> {
        self.with("user", &User::from(account)).map(|reply| reply.of(account))
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

    /// Says, for the log, whose call this was.
    #[must_use]
    pub fn of(mut self, account: &Account) -> Self {
        self.account_id = Some(account.id);
        self
    }

    /// Hands a new session to the client.
    #[must_use]
    pub fn opening(mut self, token: Token) -> Self {
        self.session = SessionChange::Open(token);
        self
    }

    /// Takes the session cookie from the client.
    #[must_use]
    pub fn ending(mut self) -> Self {
        self.session = SessionChange::End;
        self
    }

    fn json(body: Members) -> Self {
        Self { body: Body::Json(body), session: SessionChange::None, account_id: None }
    }
}
