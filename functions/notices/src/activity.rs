//! What the owner of an account can see of a change of it.

use shared::store::Happened;
use shared::stream::Change;
use shared::{Account, BrowserName};

use crate::event::has_other_password;

/// What has happened with a change. Unlike a notice, it names everything, also what an operator did. Imports and deletions
/// leave nothing.
pub(crate) fn of(change: &Change) -> Vec<Happened> {
    let Some(after) = change.after.as_ref().filter(|_| !change.is_import) else { return Vec::new() };
    let happened = |kind| Happened { at: change.at, kind, method: None, browser: browser_of(kind, after) };
    kinds(change.before.as_ref(), after).into_iter().map(happened).collect()
}

fn kinds(before: Option<&Account>, after: &Account) -> Vec<&'static str> {
    let Some(before) = before else { return vec!["registered"] };
    let is_locked = after.locked_at != before.locked_at;
    let happened = [
        // A lock also removes the password and the passkeys.
        ("account-locked", is_locked),
        ("email-changed", after.email != before.email),
        ("email-verified", after.email_verified && (!before.email_verified || after.email != before.email)),
        ("google-linked", after.google_sub.is_some() && after.google_sub != before.google_sub),
        ("google-unlinked", after.google_sub.is_none() && before.google_sub.is_some()),
        ("password-changed", after.password.hash().is_some() && has_other_password(before, after)),
        ("password-removed", !is_locked && after.password.hash().is_none() && before.password.hash().is_some()),
        ("passkey-created", !after.passkeys.is_subset(&before.passkeys)),
        ("passkey-removed", !is_locked && !before.passkeys.is_subset(&after.passkeys)),
        ("account-exported", after.exported_at != before.exported_at),
        ("account-disabled", after.is_disabled() && !before.is_disabled()),
        ("account-enabled", !after.is_disabled() && before.is_disabled()),
    ];
    happened.into_iter().filter_map(|(kind, is_so)| is_so.then_some(kind)).collect()
}

/// The browser of a change, if the account names it.
fn browser_of(kind: &str, after: &Account) -> Option<String> {
    let names_it = ["google-linked", "google-unlinked", "password-changed", "passkey-created", "passkey-removed"];
    let browser = after.credentials_changed_by.as_ref().filter(|_| names_it.contains(&kind));
    browser.filter(|browser| **browser != BrowserName::default()).map(|browser| browser.as_str().to_owned())
}
