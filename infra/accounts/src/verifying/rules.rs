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
use Thing::{Account, Caller, Entry, Other, Passkey, Passkeys, Password, Sessions};

/// The events of the service, some with their `audit.method`. Besides, every event needs the account and the caller's
/// session, unless it begins that session or needs only its row.
const SERVICE: &[(&str, Option<&str>, &[Does])] = &[
    ("account-registered", None, &[Begins(Account)]),
    ("login-succeeded", None, &[Begins(Caller), Needs(Entry)]),
    ("login-succeeded", Some("password"), &[Needs(Password)]),
    ("login-succeeded", Some("passkey"), &[Needs(Passkey)]),
    ("confirmed", None, &[Needs(Entry)]),
    ("confirmed", Some("password"), &[Needs(Password)]),
    ("confirmed", Some("passkey"), &[Needs(Passkey)]),
    // Also the row of a session that has ended, or whose account was deleted, is deleted.
    ("logged-out", None, &[Finds(Caller), Ends(Caller)]),
    ("session-ended", None, &[Needs(Other), Ends(Other)]),
    ("sessions-ended", None, &[Ends(Sessions), Begins(Other)]),
    ("password-changed", None, &[Ends(Sessions), Begins(Other), Begins(Password)]),
    ("identity-unlinked", None, &[Ends(Sessions), Begins(Other)]),
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
    ("password-removed", None, &[Ends(Sessions), Ends(Password)]),
    ("sessions-ended", None, &[Ends(Sessions)]),
];

/// The change of an operator after which an account may have any state.
pub(super) const FRESH: &str = "account-restored";

/// For each function whose successful calls always record an event: the events, of which each call has one.
const RECORDED: &[(&str, &[&str])] = &[
    ("register", &["account-registered"]),
    ("login", &["login-succeeded"]),
    ("google-login", &["login-succeeded"]),
    ("google-redirect", &["login-succeeded"]),
    ("passkey-login", &["login-succeeded"]),
    ("confirm", &["confirmed"]),
    ("close-session", &["session-ended", "sessions-ended"]),
    ("reset-password", &["password-reset"]),
    ("change-email", &["email-change-requested"]),
    ("confirm-email", &["email-changed"]),
    ("verify-email", &["email-verified"]),
    ("unlink-google", &["identity-unlinked"]),
    ("passkey-register", &["passkey-created"]),
    ("remove-passkey", &["passkey-removed"]),
    ("export-account", &["account-exported"]),
    ("lock-account", &["account-locked"]),
    ("delete-account", &["account-deleted"]),
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

/// The events of which a successful call of a function has recorded one; none if it need not have.
pub(super) fn recorded_by(function: &str) -> &'static [&'static str] {
    RECORDED.iter().find(|(name, _)| *name == function).map_or(&[], |(_, events)| events)
}
