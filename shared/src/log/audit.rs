//! Security events: one log line each, in addition to the line of the call. They are enabled by default.
//!
//! A rule records an event as soon as the table has confirmed the change, and the line is written immediately, even if
//! the call fails later. Beside names, codes and numbers, a line says who made the call, for an owner who did not: the
//! network address, the kind of browser, and the public ids of the session and the passkey. None of them opens anything.

use std::net::IpAddr;
use std::sync::Arc;

use serde::Serialize;

use super::{Entry, Invocation, Log};
use crate::system::clock::Clock;

/// A change to an account, an export of it, or a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An account was created, by a registration or by the first login of an identity.
    AccountRegistered,
    /// A session was opened.
    LoginSucceeded(Method),
    /// A login was refused. The event has no account id if the account is unknown.
    LoginFailed(LoginFailure),
    /// The holder of a session proved again who they are.
    Confirmed(Method),
    /// The holder of a session tried this in vain.
    ConfirmationFailed(Method),
    /// A call was refused, because the last proof of its session is too old.
    ProofRequired,
    /// The holder of a session ended it.
    LoggedOut,
    /// The holder of a session ended a session from the list of the account's sessions.
    SessionEnded,
    /// The holder of a session ended all other sessions of the account.
    SessionsEnded,
    /// A new password was set from a session. All other sessions and the reset token became invalid.
    PasswordChanged,
    /// A reset token was issued.
    PasswordResetRequested,
    /// A new password was set with a reset token. All sessions ended.
    PasswordReset,
    /// An invalid or expired reset token was presented. Its account is unknown.
    PasswordResetFailed,
    /// A verification token was issued.
    VerificationRequested,
    /// The address was verified with a token.
    EmailVerified,
    /// The holder of a session asked for a change of the address, and a link was issued for the new one.
    EmailChangeRequested,
    /// The address was changed with the link that was mailed to the new one. All other sessions ended.
    EmailChanged,
    /// An invalid or expired link for a change of address was presented. Its account is unknown.
    EmailChangeFailed,
    /// An identity of the provider was linked to an existing account.
    IdentityLinked,
    /// The holder of a session removed the link to the identity of the provider. All other sessions ended.
    IdentityUnlinked,
    /// The holder of a session tried this, but nothing else opens the account, or there is no link.
    IdentityUnlinkingFailed,
    /// The link also removed password, passkeys, sessions and reset token, because another person may have had them.
    CredentialsRevoked,
    /// The holder of a session created a passkey.
    PasskeyCreated,
    /// A new passkey was refused.
    PasskeyCreationFailed,
    /// The holder of a session removed a passkey.
    PasskeyRemoved,
    /// The holder of a session tried to remove a passkey that the account does not have.
    PasskeyRemovalFailed,
    /// The holder of a session read a page of the account's export.
    AccountExported,
    /// The account was locked with the link of a notice.
    AccountLocked,
    /// An invalid or expired link of a notice was presented. Its account is unknown.
    LockFailed,
    /// An account was deleted.
    AccountDeleted,
}

/// How somebody proved who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// With a password.
    Password,
    /// With a passkey.
    Passkey,
    /// With a credential of the identity provider.
    Google,
}

impl Method {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Passkey => "passkey",
            Self::Google => "google",
        }
    }
}

/// The reason why a login was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginFailure {
    /// No account has this address and this password.
    WrongCredentials,
    /// Too many attempts failed before, so the password was not checked.
    TooManyFailures,
    /// The credential of the identity provider is not valid.
    InvalidCredential,
    /// The answer of a passkey is not valid.
    InvalidPasskey,
    /// An operator has disabled the account.
    AccountDisabled,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::AccountRegistered => "account-registered",
            Self::LoginSucceeded(_) => "login-succeeded",
            Self::LoginFailed(_) => "login-failed",
            Self::Confirmed(_) => "confirmed",
            Self::ConfirmationFailed(_) => "confirmation-failed",
            Self::ProofRequired => "proof-required",
            Self::LoggedOut => "logged-out",
            Self::SessionEnded => "session-ended",
            Self::SessionsEnded => "sessions-ended",
            Self::PasswordChanged => "password-changed",
            Self::PasswordResetRequested => "password-reset-requested",
            Self::PasswordReset => "password-reset",
            Self::PasswordResetFailed => "password-reset-failed",
            Self::VerificationRequested => "verification-requested",
            Self::EmailVerified => "email-verified",
            Self::EmailChangeRequested => "email-change-requested",
            Self::EmailChanged => "email-changed",
            Self::EmailChangeFailed => "email-change-failed",
            Self::IdentityLinked => "identity-linked",
            Self::IdentityUnlinked => "identity-unlinked",
            Self::IdentityUnlinkingFailed => "identity-unlinking-failed",
            Self::CredentialsRevoked => "credentials-revoked",
            Self::PasskeyCreated => "passkey-created",
            Self::PasskeyCreationFailed => "passkey-creation-failed",
            Self::PasskeyRemoved => "passkey-removed",
            Self::PasskeyRemovalFailed => "passkey-removal-failed",
            Self::AccountExported => "account-exported",
            Self::AccountLocked => "account-locked",
            Self::LockFailed => "lock-failed",
            Self::AccountDeleted => "account-deleted",
        }
    }

    fn method(self) -> Option<&'static str> {
        let (Self::LoginSucceeded(method) | Self::Confirmed(method) | Self::ConfirmationFailed(method)) = self else {
            return None;
        };
        Some(method.as_str())
    }

    fn reason(self) -> Option<&'static str> {
        let Self::LoginFailed(failure) = self else { return None };
        Some(match failure {
            LoginFailure::WrongCredentials => "wrong-credentials",
            LoginFailure::TooManyFailures => "too-many-failures",
            LoginFailure::InvalidCredential => "invalid-credential",
            LoginFailure::InvalidPasskey => "invalid-passkey",
            LoginFailure::AccountDisabled => "account-disabled",
        })
    }
}

/// Records the events of one call.
#[derive(Clone)]
pub struct Audit {
    /// `AUDIT_LOG`.
    pub(crate) is_on: bool,
    pub(crate) function: &'static str,
    pub(crate) request_id: String,
    pub(crate) invocation: Invocation,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) seen: Seen,
}

/// Who makes a call, and what an event is about, as far as it is known.
#[derive(Clone, Default, Serialize)]
pub(crate) struct Seen {
    /// The address that the call came from: that of the client if `CloudFront` sent its secret
    /// (`ACCEPTED_ORIGIN_DIGESTS`), and otherwise that of the gateway's peer.
    #[serde(rename = "client.address", skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<IpAddr>,
    /// The address that the last proxy without the secret got the call from. Whoever calls the gateway directly can make
    /// it up.
    #[serde(rename = "client.forwarded", skip_serializing_if = "Option::is_none")]
    pub(crate) forwarded: Option<IpAddr>,
    /// The family and the system of the browser.
    #[serde(rename = "client.browser", skip_serializing_if = "Option::is_none")]
    pub(crate) browser: Option<String>,
    /// The id of the caller's session, or of the one that the call has opened or ended.
    #[serde(rename = "session.id", skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The id of the session that the caller has ended, or of the one that replaces the caller's.
    #[serde(rename = "session.other", skip_serializing_if = "Option::is_none")]
    pub(crate) other_session: Option<String>,
    /// The id of the passkey.
    #[serde(rename = "passkey.id", skip_serializing_if = "Option::is_none")]
    pub(crate) passkey: Option<String>,
}

/// The members of an event's line.
#[derive(Serialize)]
struct Recorded<'a> {
    #[serde(rename = "audit.event")]
    event: &'static str,
    #[serde(rename = "audit.method", skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(rename = "audit.reason", skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(rename = "account.id", skip_serializing_if = "Option::is_none")]
    account_id: Option<u64>,
    #[serde(flatten)]
    seen: &'a Seen,
}

impl Audit {
    /// For events of the session with this public id.
    #[must_use]
    pub fn of_session(mut self, id: String) -> Self {
        self.seen.session = Some(id);
        self
    }

    /// For an event that ends this session, or opens it in place of the caller's.
    #[must_use]
    pub fn about_session(mut self, id: String) -> Self {
        self.seen.other_session = Some(id);
        self
    }

    /// For an event of the passkey with this public id, if it is known.
    #[must_use]
    pub fn of_passkey(mut self, id: impl Into<Option<String>>) -> Self {
        self.seen.passkey = id.into();
        self
    }

    /// Writes the line of an event, with the account's id if it has an account.
    pub fn record(&self, event: Event, account_id: impl Into<Option<u64>>) {
        if !self.is_on {
            return;
        }
        let (method, reason) = (event.method(), event.reason());
        let (event, account_id) = (event.name(), account_id.into());
        let members = Recorded { event, method, reason, account_id, seen: &self.seen };
        let (function, request_id, invocation) = (self.function, &*self.request_id, &self.invocation);
        let timestamp = self.clock.now().to_rfc3339();
        Entry { timestamp, level: "INFO", function, request_id, invocation, members }.write(self.log.as_ref());
    }
}
