//! What other services of the product learn of a change of an account.

use shared::Account;
use shared::stream::{BusEvent, Change};

use crate::event::has_other_password;

/// The events of a change, in the order in which they change what a service knows of the account: a new account has an
/// unverified address and is enabled, and so has one with another address. Unlike notices, events do not depend on who made
/// the change: an import and the operator's tool are announced too.
pub(crate) fn events_of(change: &Change) -> Vec<BusEvent> {
    let event = |account: &Account, kind| BusEvent::of(change, account.id, kind);
    match (&change.before, &change.after) {
        (_, Some(after)) => kinds(change.before.as_ref(), after).into_iter().map(|kind| event(after, kind)).collect(),
        (Some(before), None) => vec![event(before, "AccountDeleted")],
        (None, None) => Vec::new(),
    }
}

/// The kinds of the events of an account that exists after the change.
fn kinds(before: Option<&Account>, after: &Account) -> Vec<&'static str> {
    let has_other_address = before.is_none_or(|before| before.email != after.email);
    let had = |has: fn(&Account) -> bool| before.is_some_and(has);
    let had_passkey = |id: &String| before.is_some_and(|before| before.passkeys.contains(id));
    let loses_passkey = before.is_some_and(|before| !before.passkeys.is_subset(&after.passkeys));
    let is_locked = after.locked_at.is_some() && before.is_none_or(|before| before.locked_at != after.locked_at);
    let happened = [
        ("AccountRegistered", before.is_none()),
        ("EmailChanged", before.is_some() && has_other_address),
        ("EmailVerified", after.email_verified && (has_other_address || !had(|before| before.email_verified))),
        ("PasswordChanged", before.is_some_and(|before| has_other_password(before, after))),
        ("PasskeyAdded", !after.passkeys.iter().all(had_passkey)),
        ("PasskeyRemoved", loses_passkey),
        ("AccountLocked", is_locked),
        ("AccountDisabled", after.is_disabled() && !had(Account::is_disabled)),
        ("AccountEnabled", !after.is_disabled() && had(Account::is_disabled)),
    ];
    happened.into_iter().filter_map(|(kind, is_so)| is_so.then_some(kind)).collect()
}
