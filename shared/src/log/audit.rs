//! Security events: one line each, beside the line of the call that they happened in. On by default.
//!
//! A rule records an event as soon as the table has confirmed it, and the line is written at once: what
//! happens to the rest of the call does not take it back. As with all lines, only names, codes and numbers
//! get here.

use std::sync::Arc;

use serde::Serialize;

use super::{Entry, Log};
use crate::system::clock::Clock;

/// What has happened to an account, or was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An account was made, by a registration or by a first login of an identity.
    AccountRegistered,
    /// A session was opened, for a password or for a credential of the identity provider.
    LoginSucceeded,
    /// A login was refused. Of an address without an account there is no account id.
    LoginFailed(LoginFailure),
    /// A session was ended by its holder.
    LoggedOut,
    /// A new password was set from a session; all other sessions and the reset token ended.
    PasswordChanged,
    /// A reset token was issued.
    PasswordResetRequested,
    /// A new password was set by a reset token; all sessions ended.
    PasswordReset,
    /// A reset token was presented that is not alive. Whose it might have been is not known.
    PasswordResetFailed,
    /// An identity of the provider was linked to an account that was there before.
    IdentityLinked,
    /// The same link took password, sessions and reset token, because somebody else may have had them.
    CredentialsRevoked,
    /// An account was erased.
    AccountDeleted,
}

/// Why a login was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginFailure {
    /// No account of this address has this password.
    WrongCredentials,
    /// Too many failures came before, so nobody has looked at the password.
    TooManyFailures,
    /// The credential of the identity provider is not valid.
    InvalidCredential,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::AccountRegistered => "account-registered",
            Self::LoginSucceeded => "login-succeeded",
            Self::LoginFailed(_) => "login-failed",
            Self::LoggedOut => "logged-out",
            Self::PasswordChanged => "password-changed",
            Self::PasswordResetRequested => "password-reset-requested",
            Self::PasswordReset => "password-reset",
            Self::PasswordResetFailed => "password-reset-failed",
            Self::IdentityLinked => "identity-linked",
            Self::CredentialsRevoked => "credentials-revoked",
            Self::AccountDeleted => "account-deleted",
        }
    }

    fn reason(self) -> Option<&'static str> {
        let Self::LoginFailed(failure) = self else { return None };
        Some(match failure {
            LoginFailure::WrongCredentials => "wrong-credentials",
            LoginFailure::TooManyFailures => "too-many-failures",
            LoginFailure::InvalidCredential => "invalid-credential",
        })
    }
}

/// Where one call records its events.
pub struct Audit {
    /// `AUDIT_LOG`, true by default.
    pub(crate) is_on: bool,
    pub(crate) function: &'static str,
    pub(crate) request_id: String,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) log: Arc<dyn Log>,
}

/// The members of an event's line.
#[derive(Serialize)]
struct Recorded {
    #[serde(rename = "audit.event")]
    event: &'static str,
    #[serde(rename = "audit.reason", skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(rename = "account.id", skip_serializing_if = "Option::is_none")]
    account_id: Option<u64>,
}

impl Audit {
    /// Writes the line of an event, with the account's id if it has an account.
    pub fn record(&self, event: Event, account_id: impl Into<Option<u64>>) {
        if !self.is_on {
            return;
        }
        let about = Recorded { event: event.name(), reason: event.reason(), account_id: account_id.into() };
        let (function, request_id) = (self.function, &*self.request_id);
        let timestamp = self.clock.now().to_rfc3339();
        Entry { timestamp, level: "INFO", function, request_id, about }.write(self.log.as_ref());
    }
}
