//! What each event does, as a table. `history` judges the lines of an account by it, and `calls` the lines of calls.

/// What an event begins, ends or needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    /// The account itself.
    Account,
    /// That its owner may sign in.
    Entry,
    /// Its password.
    Password,
    /// The link to the identity provider.
    Identity,
    /// The session in `session.id`.
    Caller,
    /// The session in `session.other`.
    Other,
    /// All sessions but the one in `session.other`.
    Sessions,
    /// The passkey in `passkey.id`.
    Passkey,
    /// All passkeys.
    Passkeys,
}

/// An effect of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Begins(Thing),
    Ends(Thing),
    Needs(Thing),
    /// Its row. If it ended together with others, the row may still be there.
    Finds(Thing),
}

use Does::{Begins, Ends, Finds, Needs};
use Thing::{Account, Caller, Entry, Identity, Other, Passkey, Passkeys, Password, Sessions};

/// The events of the service, some with their `audit.method`. Besides, every event needs the account and the caller's
/// session, unless it begins that session or needs only its row.
const SERVICE: &[(&str, Option<&str>, &[Does])] = &[
    ("account-registered", None, &[Begins(Account)]),
    ("login-succeeded", None, &[Begins(Caller), Needs(Entry)]),
    ("login-succeeded", Some("password"), &[Needs(Password)]),
    ("login-succeeded", Some("passkey"), &[Needs(Passkey)]),
    ("login-succeeded", Some("google"), &[Needs(Identity)]),
    ("confirmed", None, &[Needs(Entry)]),
    ("confirmed", Some("password"), &[Needs(Password)]),
    ("confirmed", Some("passkey"), &[Needs(Passkey)]),
    ("confirmed", Some("google"), &[Needs(Identity)]),
    // Also the row of a session that has ended, or whose account was deleted, is deleted.
    ("logged-out", None, &[Finds(Caller), Ends(Caller)]),
    ("session-ended", None, &[Needs(Other), Ends(Other)]),
    ("sessions-ended", None, &[Ends(Sessions), Begins(Other)]),
    ("password-changed", None, &[Ends(Sessions), Begins(Other), Begins(Password)]),
    ("identity-linked", None, &[Begins(Identity)]),
    ("identity-unlinked", None, &[Ends(Sessions), Begins(Other), Ends(Identity)]),
    ("passkey-created", None, &[Begins(Passkey)]),
    ("passkey-removed", None, &[Ends(Sessions), Begins(Other), Needs(Passkey), Ends(Passkey)]),
    ("password-reset", None, &[Ends(Sessions), Begins(Password)]),
    ("account-locked", None, &[Ends(Sessions), Ends(Password), Ends(Passkeys)]),
    ("credentials-revoked", None, &[Ends(Sessions), Ends(Password), Ends(Passkeys)]),
    ("account-deleted", None, &[Ends(Account)]),
];

/// The changes of operators. They need nothing: an operator may repeat them.
const OPERATOR: &[(&str, Option<&str>, &[Does])] = &[
    ("account-disabled", None, &[Ends(Entry), Ends(Sessions)]),
    ("account-enabled", None, &[Begins(Entry)]),
    ("account-erased", None, &[Ends(Account)]),
    ("account-locked", None, &[Ends(Sessions), Ends(Password), Ends(Passkeys)]),
    ("email-set", None, &[Ends(Sessions)]),
    ("email-verified", None, &[Ends(Sessions), Ends(Password), Ends(Passkeys)]),
    ("legacy-hash-removed", None, &[Ends(Password)]),
    ("passkey-removed", None, &[Ends(Sessions)]),
    ("password-removed", None, &[Ends(Sessions), Ends(Password)]),
    ("sessions-ended", None, &[Ends(Sessions)]),
];

/// The command of an operator after which any account may have any password and identity, and a deleted one may exist again.
/// Its lines name no account.
pub(super) const IMPORT: &str = "users-imported";

/// The change of an operator after which an account may have any state.
pub(super) const FRESH: &str = "account-restored";

/// The events of a function.
struct Recording {
    function: &'static str,
    /// Those of which each successful call has one; none if it need not have.
    always: &'static [&'static str],
    /// The others.
    also: &'static [&'static str],
}

const fn of(function: &'static str, always: &'static [&'static str], also: &'static [&'static str]) -> Recording {
    Recording { function, always, also }
}

/// What a login with Google also records.
const GOOGLE: &[&str] = &["account-registered", "identity-linked", "credentials-revoked", "login-failed"];

const RECORDINGS: &[Recording] = &[
    of("register", &["account-registered"], &[]),
    of("login", &["login-succeeded"], &["login-failed"]),
    of("google-login", &["login-succeeded"], GOOGLE),
    of("google-redirect", &["login-succeeded"], GOOGLE),
    of("passkey-login", &["login-succeeded"], &["login-failed"]),
    of("confirm", &["confirmed"], &["confirmation-failed", "login-failed"]),
    of("logout", &[], &["logged-out"]),
    of("close-session", &["session-ended", "sessions-ended"], &["proof-required"]),
    of("user-config", &[], &["password-changed", "proof-required"]),
    of("send-reset-link", &[], &["password-reset-requested"]),
    of("reset-password", &["password-reset"], &["password-reset-failed"]),
    of("send-verification", &[], &["verification-requested"]),
    of("verify-email", &["email-verified"], &[]),
    of("change-email", &["email-change-requested"], &["proof-required"]),
    of("confirm-email", &["email-changed"], &["email-change-failed"]),
    of("unlink-google", &["identity-unlinked"], &["identity-unlinking-failed", "proof-required"]),
    of("passkey-register-options", &[], &["proof-required"]),
    of("passkey-register", &["passkey-created"], &["passkey-creation-failed", "proof-required"]),
    of("remove-passkey", &["passkey-removed"], &["passkey-removal-failed", "proof-required"]),
    of("export-account", &["account-exported"], &["proof-required"]),
    of("lock-account", &["account-locked"], &["lock-failed"]),
    of("delete-account", &["account-deleted"], &["proof-required"]),
];

/// The events of calls that are refused.
const REFUSALS: &[&str] = &[
    "confirmation-failed",
    "email-change-failed",
    "identity-unlinking-failed",
    "lock-failed",
    "login-failed",
    "passkey-creation-failed",
    "passkey-removal-failed",
    "password-reset-failed",
    "proof-required",
];

/// What an event does.
pub(super) fn effects(event: &str, method: Option<&str>, by_operator: bool) -> impl Iterator<Item = Does> {
    let rules = if by_operator { OPERATOR } else { SERVICE };
    let own = rules.iter().filter(move |(name, of, _)| *name == event && (of.is_none() || *of == method));
    let own: Vec<Does> = own.flat_map(|(_, _, does)| does.iter().copied()).collect();
    let (opens, finds) = (own.contains(&Begins(Caller)), own.contains(&Finds(Caller)));
    let common = [Needs(Account), Needs(Caller)].into_iter();
    let common = common.filter(move |does| !(by_operator || finds || opens && *does == Needs(Caller)));
    own.into_iter().chain(common)
}

fn recording(function: &str) -> Option<&'static Recording> {
    RECORDINGS.iter().find(|recording| recording.function == function)
}

/// The events of which a successful call of a function has recorded one; none if it need not have.
pub(super) fn recorded_by(function: &str) -> &'static [&'static str] {
    recording(function).map_or(&[], |recording| recording.always)
}

/// Whether a function ever records an event.
pub(super) fn records(function: &str, event: &str) -> bool {
    recording(function).is_some_and(|recording| recording.always.contains(&event) || recording.also.contains(&event))
}

/// Whether only a refused call has this event.
pub(super) fn is_refusal(event: &str) -> bool {
    REFUSALS.contains(&event)
}
