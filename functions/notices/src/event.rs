//! What happened to an account, derived from its images before and after the change.

use shared::mail::{GoogleLinkFacts, NewPasswordFacts};
use shared::stream::Change;
use shared::{Account, BrowserName, NoticesSetting};

/// An event of which the owner is notified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The password was changed in the settings or by a reset.
    PasswordChanged(NewPasswordFacts),
    /// The account was linked to a Google identity.
    GoogleLinked(GoogleLinkFacts),
    /// The account is no longer linked to a Google identity.
    GoogleUnlinked,
    /// The account has another address.
    EmailChanged,
    /// A passkey was created.
    PasskeyCreated,
    /// A passkey was removed.
    PasskeyRemoved,
    /// The account was exported.
    AccountExported,
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
        // The lock of an account has a mail of its own, with a reset link.
        if change.is_import || after.locked_at != before.locked_at {
            return None;
        }
        if after.email != before.email {
            return Some(Self::EmailChanged);
        }
        let are_passkeys_removed = !before.passkeys.is_subset(&after.passkeys);
        let is_first_proof = after.email_verified && !before.email_verified;
        if after.google_sub.is_some() && after.google_sub != before.google_sub {
            let is_password_removed = before.password.hash().is_some() && after.password.hash().is_none();
            let facts = GoogleLinkFacts { is_password_removed, are_passkeys_removed, is_first_proof };
            return Some(Self::GoogleLinked(facts));
        }
        let is_google_unlinked = before.google_sub.is_some() && after.google_sub.is_none();
        if after.password.hash().is_some() && has_other_password(before, after) {
            let passkeys_kept = after.passkeys.len();
            return Some(Self::PasswordChanged(NewPasswordFacts {
                passkeys_kept,
                are_passkeys_removed,
                is_google_unlinked,
                is_first_proof,
            }));
        }
        if is_google_unlinked {
            return Some(Self::GoogleUnlinked);
        }
        if !after.passkeys.is_subset(&before.passkeys) {
            return Some(Self::PasskeyCreated);
        }
        if are_passkeys_removed {
            return Some(Self::PasskeyRemoved);
        }
        if after.exported_at != before.exported_at {
            return Some(Self::AccountExported);
        }
        new_browser(before, after).map(Self::NewBrowser)
    }

    /// The name of its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        let index = match self {
            Self::PasswordChanged(_) => 0,
            Self::GoogleLinked(_) => 1,
            Self::PasskeyCreated => 2,
            Self::PasskeyRemoved => 3,
            Self::AccountExported => 4,
            Self::AccountDeleted => 5,
            Self::NewBrowser(_) => 6,
            Self::EmailChanged => 7,
            Self::GoogleUnlinked => 8,
        };
        KINDS.get(index).map_or("", |(name, _)| name)
    }

    /// The lowest setting at which the owner is notified. A link to Google that removed the password or passkeys is
    /// reported even if notices are off.
    #[must_use]
    pub fn lowest_setting(&self) -> NoticesSetting {
        match self {
            Self::GoogleLinked(facts) if facts.is_password_removed || facts.are_passkeys_removed => NoticesSetting::Off,
            Self::PasswordChanged(_)
            | Self::GoogleLinked(_)
            | Self::GoogleUnlinked
            | Self::EmailChanged
            | Self::PasskeyCreated
            | Self::PasskeyRemoved
            | Self::AccountExported
            | Self::AccountDeleted => NoticesSetting::Changes,
            Self::NewBrowser(_) => NoticesSetting::On,
        }
    }
}

/// The name of a kind of event in the counts of mails, and what happened in the words of a joined notice.
const KINDS: [(&str, &str); 9] = [
    ("password-changed", "ha cambiado la contraseña"),
    ("google-linked", "se ha vinculado con Google"),
    ("passkey-created", "se ha guardado una llave de acceso"),
    ("passkey-removed", "se ha eliminado una llave de acceso"),
    ("account-exported", "se han descargado tus datos"),
    ("account-deleted", "se ha eliminado una cuenta"),
    ("new-browser", "ha entrado un navegador nuevo"),
    ("email-changed", "ha cambiado el email"),
    ("google-unlinked", "se ha desvinculado de Google"),
];

/// What happened in the words of a joined notice, for the name of a kind.
#[must_use]
pub(crate) fn in_words(kind: &str) -> Option<&'static str> {
    KINDS.into_iter().find(|(name, _)| *name == kind).map(|(_, words)| words)
}

/// Whether the password was set, replaced or removed. An upgraded hash is of the same password, and ends no session.
pub(crate) fn has_other_password(before: &Account, after: &Account) -> bool {
    after.password.hash() != before.password.hash() && after.generation > before.generation
}

/// The browser that was added, unless it is the first one of the account.
fn new_browser(before: &Account, after: &Account) -> Option<BrowserName> {
    before.browsers_since?;
    // Whoever ends all other sessions has proved who they are, and makes the browser known.
    if after.generation > before.generation {
        return None;
    }
    let is_new = |hash: &str| before.browsers.iter().all(|browser| browser.hash != hash);
    after.browsers.iter().find(|browser| is_new(&browser.hash)).map(|browser| browser.name.clone())
}
