//! Everything that can stop a call: one table of statuses and messages, and the fault that only the
//! log sees.

mod fault;
mod messages;

pub use fault::{Fault, FaultKind};
pub use messages::success;

use self::messages::refusal;

/// Why a call was refused or failed. Its public half is the [`Problem::row`]; what lies inside
/// [`Problem::Internal`] reaches the log and never an answer.
#[derive(Debug)]
pub enum Problem {
    /// The method is not POST.
    MethodNotAllowed,
    /// `X-Requested-With` is missing or wrong.
    Forbidden,
    /// The same, as the data-receiving endpoint says it.
    AccessDenied,
    /// A session is required and there is none.
    NoSession,
    /// The same, as account deletion says it.
    NoSessionEmail,
    /// The body is unreadable, or a field without a message of its own is invalid.
    InvalidParameters,
    /// `email` is empty.
    EmailMissing,
    /// `email` is not an address.
    EmailInvalid,
    /// A password breaks the rules.
    PasswordWeak,
    /// Password and confirmation differ.
    PasswordsDiffer,
    /// `terms` is not `on`.
    TermsNotAccepted,
    /// Unknown account or wrong password: the same answer for both.
    WrongCredentials,
    /// The address has an account already.
    EmailTaken,
    /// The address has no account.
    UnknownEmail,
    /// The reset token is not a live one.
    InvalidToken,
    /// The identity provider's credential is refused.
    InvalidCredential,
    /// The captcha provider refused the token, or a required one is missing.
    CaptchaRefused,
    /// The data endpoint's body is not JSON.
    InvalidJson,
    /// An entry does not fit into a table item.
    EntryTooLarge,
    /// A dependency failed, or stored data is broken.
    Internal(Fault),
}

/// The public half of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Stable name for logs and metrics.
    pub code: &'static str,
    /// HTTP status of the answer.
    pub status: u16,
    /// The message a user reads.
    pub message: &'static str,
}

impl Problem {
    /// Code, status and message: the only place where they meet.
    #[must_use]
    pub fn row(&self) -> Row {
        let (code, status, message) = match self {
            Self::MethodNotAllowed => ("method-not-allowed", 405, refusal::METHOD_NOT_ALLOWED),
            Self::Forbidden => ("forbidden", 403, refusal::FORBIDDEN),
            Self::AccessDenied => ("forbidden", 403, refusal::ACCESS_DENIED),
            Self::NoSession => ("no-session", 401, refusal::NO_SESSION),
            Self::NoSessionEmail => ("no-session", 200, refusal::NO_SESSION_EMAIL),
            Self::InvalidParameters => ("invalid-parameters", 400, refusal::INVALID_PARAMETERS),
            Self::EmailMissing => ("email-missing", 200, refusal::EMAIL_MISSING),
            Self::EmailInvalid => ("email-invalid", 200, refusal::EMAIL_INVALID),
            Self::PasswordWeak => ("password-weak", 200, refusal::PASSWORD_WEAK),
            Self::PasswordsDiffer => ("passwords-differ", 200, refusal::PASSWORDS_DIFFER),
            Self::TermsNotAccepted => ("terms-not-accepted", 200, refusal::TERMS_NOT_ACCEPTED),
            Self::WrongCredentials => ("wrong-credentials", 200, refusal::WRONG_CREDENTIALS),
            Self::EmailTaken => ("email-taken", 200, refusal::EMAIL_TAKEN),
            Self::UnknownEmail => ("unknown-email", 200, refusal::UNKNOWN_EMAIL),
            Self::InvalidToken => ("invalid-token", 200, refusal::INVALID_TOKEN),
            Self::InvalidCredential => ("invalid-credential", 401, refusal::INVALID_CREDENTIAL),
            Self::CaptchaRefused => ("captcha-refused", 200, refusal::CAPTCHA_REFUSED),
            Self::InvalidJson => ("invalid-json", 200, refusal::INVALID_JSON),
            Self::EntryTooLarge => ("entry-too-large", 413, refusal::ENTRY_TOO_LARGE),
            Self::Internal(_) => ("internal", 500, refusal::INTERNAL),
        };
        Row { code, status, message }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::Internal(fault)
    }
}
