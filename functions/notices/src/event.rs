//! What happened to an account, derived from its two images alone.

use shared::store::Change;
use shared::{Account, BrowserName, NoticesSetting};

/// Something that the owner is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The password is a new one, by a change in the settings or by a reset.
    PasswordChanged,
    /// The account was linked to a Google identity.
    GoogleLinked {
        /// Whether the link removed a password.
        is_password_removed: bool,
        /// Whether the link removed passkeys.
        are_passkeys_removed: bool,
    },
    /// A passkey was created.
    PasskeyCreated,
    /// A passkey was removed.
    PasskeyRemoved,
    /// The account was deleted.
    AccountDeleted,
    /// A browser logged in for the first time, and others had before.
    NewBrowser(BrowserName),
}

impl Event {
    /// The event of a change, if its owner deserves a notice. A new account, an upgraded hash, everything that an import
    /// writes, and everything that an operator does to an account except erasing it deserve none.
    #[must_use]
    pub fn of(change: &Change) -> Option<Self> {
        let before = change.before.as_ref()?;
        let Some(after) = &change.after else { return Some(Self::AccountDeleted) };
        if change.is_import {
            return None;
        }
        if after.google_sub.is_some() && after.google_sub != before.google_sub {
            let is_password_removed = before.password.is_some() && after.password.is_none();
            let are_passkeys_removed = !before.passkeys.is_subset(&after.passkeys);
            return Some(Self::GoogleLinked { is_password_removed, are_passkeys_removed });
        }
        // An upgraded hash is another one of the same password, and ends no session.
        if after.password.is_some() && after.password != before.password && after.generation > before.generation {
            return Some(Self::PasswordChanged);
        }
        if !after.passkeys.is_subset(&before.passkeys) {
            return Some(Self::PasskeyCreated);
        }
        if !before.passkeys.is_subset(&after.passkeys) {
            return Some(Self::PasskeyRemoved);
        }
        new_browser(before, after).map(Self::NewBrowser)
    }

    /// The lowest setting at which the owner is told. If the password or the passkeys that they have do not work any more,
    /// they are told even if notices are turned off.
    #[must_use]
    pub fn is_told_at(&self) -> NoticesSetting {
        match self {
            Self::GoogleLinked { is_password_removed: true, .. }
            | Self::GoogleLinked { are_passkeys_removed: true, .. } => NoticesSetting::Off,
            Self::PasswordChanged
            | Self::GoogleLinked { .. }
            | Self::PasskeyCreated
            | Self::PasskeyRemoved
            | Self::AccountDeleted => NoticesSetting::Changes,
            Self::NewBrowser(_) => NoticesSetting::On,
        }
    }
}

/// The browser that was added, unless it is the first one of the account.
fn new_browser(before: &Account, after: &Account) -> Option<BrowserName> {
    before.browsers_since?;
    let is_new = |hash: &str| before.browsers.iter().all(|browser| browser.hash != hash);
    after.browsers.iter().find(|browser| is_new(&browser.hash)).map(|browser| browser.name.clone())
}
