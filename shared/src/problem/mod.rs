//! The errors of a call: one table of statuses and messages, and the internal fault, which is only logged.

mod fault;
mod messages;

pub use fault::{Fault, FaultKind};
pub use messages::success;

use self::messages::refusal;

/// The reason why a call was refused or failed. Its public part is the [`Problem::row`]. The fault in
/// [`Problem::Internal`] is logged and never part of an answer.
#[derive(Debug)]
pub enum Problem {
    /// The method is not POST.
    MethodNotAllowed,
    /// `X-Requested-With` or, in a call from Google's page, the double-submit cookie is missing or wrong.
    Forbidden,
    /// [`Problem::Forbidden`] with the message of the data endpoint.
    AccessDenied,
    /// The call went around the proxy in front of the gateway.
    DirectCall,
    /// A session is required and there is none.
    NoSession,
    /// The caller proved who they are too long ago, and has to do so again.
    Unproved,
    /// The caller has not proved who they are. All reasons have the same answer.
    NotConfirmed,
    /// [`Problem::NoSession`] with the message of account deletion.
    NoSessionEmail,
    /// The body is unreadable, or a field without a message of its own is invalid.
    InvalidParameters,
    /// `email` is empty.
    EmailMissing,
    /// `email` is not an address.
    EmailInvalid,
    /// The password does not meet the policy.
    PasswordWeak,
    /// The new password is common, or is made of its owner's address or name.
    PasswordCommon,
    /// Password and confirmation differ.
    PasswordsDiffer,
    /// `terms` is not `on`.
    TermsNotAccepted,
    /// A login with a password was refused. All reasons have the same answer.
    WrongCredentials,
    /// The address has an account already.
    EmailTaken,
    /// The address has no account.
    UnknownEmail,
    /// The reset token or the verification token is invalid or expired.
    InvalidToken,
    /// The identity provider's credential is not valid, or its account is disabled.
    InvalidCredential,
    /// A login with a passkey was refused. All reasons but the next have the same answer.
    InvalidPasskey,
    /// [`Problem::InvalidPasskey`] because no account has the credential. The answer says so, that the browser may forget it.
    /// Whoever asks has the credential's id, which nobody can guess, so the answer tells nothing about anybody else.
    UnknownPasskey,
    /// A new passkey was refused: its challenge was used or has expired, or it is not valid.
    PasskeyRefused,
    /// The account has the maximum number of passkeys.
    TooManyPasskeys,
    /// Google is the only way in, so it stays linked.
    OnlyWayIn,
    /// The account is locked, but nothing was mailed: it is disabled, and an operator has to give it back to its owner.
    LockedWithoutLink,
    /// Too many links were mailed to an address, or for an account.
    TooManyMails,
    /// The captcha token was refused, or a required one is missing.
    CaptchaRefused,
    /// The data endpoint's body is not JSON.
    InvalidJson,
    /// An entry is too large for an item of the table.
    EntryTooLarge,
    /// A dependency failed, stored data is broken, or the call panicked or took too long.
    Internal(Fault),
}

/// The public part of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The stable name in logs and metrics.
    pub code: &'static str,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The message for the user.
    pub message: &'static str,
}

impl Problem {
    /// The code, status and message of the problem. Only this table assigns them.
    #[must_use]
    pub fn row(&self) -> Row {
        let (code, status, message) = match self {
            Self::MethodNotAllowed => ("method-not-allowed", 405, refusal::METHOD_NOT_ALLOWED),
            Self::Forbidden => ("forbidden", 403, refusal::FORBIDDEN),
            Self::AccessDenied => ("forbidden", 403, refusal::ACCESS_DENIED),
            Self::DirectCall => ("direct-call", 403, refusal::FORBIDDEN),
            Self::NoSession => ("no-session", 401, refusal::NO_SESSION),
            Self::Unproved => ("unproved", 403, refusal::UNPROVED),
            Self::NotConfirmed => ("not-confirmed", 200, refusal::NOT_CONFIRMED),
            Self::NoSessionEmail => ("no-session", 200, refusal::NO_SESSION_EMAIL),
            Self::InvalidParameters => ("invalid-parameters", 400, refusal::INVALID_PARAMETERS),
            Self::EmailMissing => ("email-missing", 200, refusal::EMAIL_MISSING),
            Self::EmailInvalid => ("email-invalid", 200, refusal::EMAIL_INVALID),
            Self::PasswordWeak => ("password-weak", 200, refusal::PASSWORD_WEAK),
            Self::PasswordCommon => ("password-common", 200, refusal::PASSWORD_COMMON),
            Self::PasswordsDiffer => ("passwords-differ", 200, refusal::PASSWORDS_DIFFER),
            Self::TermsNotAccepted => ("terms-not-accepted", 200, refusal::TERMS_NOT_ACCEPTED),
            Self::WrongCredentials => ("wrong-credentials", 200, refusal::WRONG_CREDENTIALS),
            Self::EmailTaken => ("email-taken", 200, refusal::EMAIL_TAKEN),
            Self::UnknownEmail => ("unknown-email", 200, refusal::UNKNOWN_EMAIL),
            Self::InvalidToken => ("invalid-token", 200, refusal::INVALID_TOKEN),
            Self::InvalidCredential => ("invalid-credential", 401, refusal::INVALID_CREDENTIAL),
            // One code, because each code of a function is a metric that costs.
            Self::InvalidPasskey | Self::UnknownPasskey => ("invalid-passkey", 401, refusal::INVALID_PASSKEY),
            Self::PasskeyRefused => ("passkey-refused", 200, refusal::INVALID_PASSKEY),
            Self::TooManyPasskeys => ("too-many-passkeys", 200, refusal::TOO_MANY_PASSKEYS),
            Self::OnlyWayIn => ("only-way-in", 200, refusal::ONLY_WAY_IN),
            Self::LockedWithoutLink => ("locked-without-link", 200, refusal::LOCKED_WITHOUT_LINK),
            Self::TooManyMails => ("too-many-mails", 200, refusal::TOO_MANY_MAILS),
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
