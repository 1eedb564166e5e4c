//! What happened to an account, derived from its images before and after the change.

use shared::stream::Change;
use shared::{Account, BrowserName, NoticesSetting};

/// An event of which the owner is notified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The password was changed in the settings or by a reset.
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
    /// A browser that the account did not know logged in, and it is not the account's first one.
    NewBrowser(BrowserName),
}

impl Event {
    /// The event of a change, or `None`. A new account, an upgraded hash and an import are not events. Of an operator's
    /// changes, only an erasure and a removed passkey are events. The caller leaves out the deletions by `import undo`,
    /// and the events that the setting turns off.
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
        // An upgraded hash is of the same password, and ends no session.
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

    /// The lowest setting at which the owner is notified. A link to Google that removed the password or passkeys is
    /// reported even if notices are off.
    #[must_use]
    pub fn lowest_setting(&self) -> NoticesSetting {
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
