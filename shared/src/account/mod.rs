//! An account, and its values: key, email address, name, avatar, token, and the names of browsers.

pub mod avatar;
mod browser;
#[cfg(feature = "operator")]
mod digest;
mod email;
mod full_name;
mod invisible;
mod known_browser;
mod token;

pub use browser::BrowserName;
pub use email::Email;
pub use full_name::FullName;
pub use known_browser::{BrowserSecret, KnownBrowser, with_browser};
pub use token::Token;

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::avatar::{Avatar, Avatars};
use crate::Fault;
use crate::password::{PersonalWords, StoredPassword};
use crate::system::random::{self, Random};

/// Bytes of the address's SHA-256 in a key. At 128 bits, nobody can find a second address with a given key.
const KEY_BYTES: usize = 16;
/// Characters of [`KEY_BYTES`] in base64url without padding.
const KEY_LENGTH: usize = 22;

/// The partition key of an account. It is derived from the first address of the account, and stays when the address
/// changes. The partition holds the profile, sessions and passkeys of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountKey(String);

impl AccountKey {
    /// The key of an address.
    #[must_use]
    pub fn of(email: &Email) -> Self {
        let digest = Sha256::digest(email.as_str());
        Self(URL_SAFE_NO_PAD.encode(digest.get(..KEY_BYTES).unwrap_or_default()))
    }

    /// A key that is not derived from an address, because an account that has left the address has its key.
    ///
    /// # Errors
    /// The random number generator failed.
    pub fn random(random: &dyn Random) -> Result<Self, Fault> {
        Ok(Self(URL_SAFE_NO_PAD.encode(random::bytes::<KEY_BYTES>(random)?)))
    }

    /// Parses the key in a token. Returns `None` when the text does not have the format of a key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_key =
            text.len() == KEY_LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        is_key.then(|| Self(text.to_owned()))
    }

    /// The partition key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the owner has accepted, and when, in seconds since 1970. Each part is `None` if it is unknown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Consent {
    /// When the owner accepted the terms and conditions.
    pub terms_accepted_at: Option<u64>,
    /// Their version, of the setting `TERMS_VERSION`.
    pub terms_version: Option<String>,
    /// When the owner last chose whether to get the newsletter, or the service ended it.
    pub news_changed_at: Option<u64>,
}

/// An account, as read from or just written to the table. No `Debug`: it holds personal data.
#[derive(Clone)]
pub struct Account {
    /// The partition key.
    pub key: AccountKey,
    /// The account's number, from 1, below 2^53.
    pub id: u64,
    /// The email address.
    pub email: Email,
    /// The owner's full name.
    pub name: String,
    /// Whether the name is of somebody who had proved the address, or the identity provider's. Nobody else's name may be in
    /// a mail.
    pub is_name_proved: bool,
    /// The avatar.
    pub avatar: Avatar,
    /// Whether the owner subscribed to the newsletter.
    pub accept_news: bool,
    /// What the owner has accepted.
    pub consent: Consent,
    /// The password, as far as it was read.
    pub password: StoredPassword,
    /// When its owner set the password, in seconds since 1970; `None` if it is unknown. Without a password it says nothing.
    pub password_set_at: Option<u64>,
    /// The identity provider's subject identifier of the owner, when the account is linked.
    pub google_sub: Option<String>,
    /// Whether somebody has proved that they receive the mail of the address.
    pub email_verified: bool,
    /// A counter that increases whenever all sessions of the account end.
    pub generation: u64,
    /// The known browsers, in the order in which they became known.
    pub browsers: Vec<KnownBrowser>,
    /// The time of the first login whose browser was stored, in seconds since 1970. It is kept when the browsers are
    /// removed.
    pub browsers_since: Option<u64>,
    /// The ids of the passkeys.
    pub passkeys: BTreeSet<String>,
    /// The WebAuthn user handle; `None` before the first options of a passkey.
    pub passkey_user: Option<String>,
    /// The browser that last changed the password, a passkey or the link to the identity provider.
    pub credentials_changed_by: Option<BrowserName>,
    /// The time when an operator disabled the account, in seconds since 1970. Nobody can sign in to a disabled account.
    pub disabled_at: Option<u64>,
    /// When its owner or an operator last locked it, in milliseconds since 1970.
    pub locked_at: Option<u64>,
    /// When somebody last exported it, in milliseconds since 1970.
    pub exported_at: Option<u64>,
}

impl Account {
    /// A new account of an address that nobody has proved, with the default avatar. It has no password, no identity and no
    /// passkeys.
    #[must_use]
    pub fn new(id: u64, email: Email, name: String) -> Self {
        Self {
            key: AccountKey::of(&email),
            id,
            email,
            name,
            is_name_proved: false,
            avatar: Avatar::default(),
            accept_news: false,
            consent: Consent::default(),
            password: StoredPassword::None,
            password_set_at: None,
            google_sub: None,
            email_verified: false,
            generation: 1,
            browsers: Vec::new(),
            browsers_since: None,
            passkeys: BTreeSet::new(),
            passkey_user: None,
            credentials_changed_by: None,
            disabled_at: None,
            locked_at: None,
            exported_at: None,
        }
    }

    /// Whether the browser with this secret is a known one.
    #[must_use]
    pub fn knows(&self, browser: &BrowserSecret) -> bool {
        let hash = browser.hash();
        self.browsers.iter().any(|known| known.hash == hash)
    }

    /// Whether an operator has disabled the account.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        self.disabled_at.is_some()
    }
}

/// The JSON member `user`: five fields, in the order of the contract.
#[derive(Serialize)]
pub struct User<'a> {
    id: u64,
    email: &'a Email,
    name: &'a str,
    url_image: String,
    accept_news: u8,
}

impl<'a> User<'a> {
    /// The user of an account, in a deployment with these avatars.
    #[must_use]
    pub fn of(account: &'a Account, avatars: &Avatars) -> Self {
        Self {
            id: account.id,
            email: &account.email,
            name: &account.name,
            url_image: avatars.url(&account.avatar),
            accept_news: u8::from(account.accept_news),
        }
    }
}

impl PersonalWords {
    /// The words of an address and of a name.
    #[must_use]
    pub fn of_owner(email: &Email, name: &str) -> Self {
        Self::of([email.as_str(), email.local_part(), email.domain(), name])
    }

    /// The words of an account, and of the name that it is about to get.
    #[must_use]
    pub fn of_account(account: &Account, new_name: &str) -> Self {
        let email = &account.email;
        Self::of([email.as_str(), email.local_part(), email.domain(), &account.name, new_name])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_has_the_same_key() {
        let key = AccountKey::of(&Email::parse("ana@example.com").unwrap());
        assert_eq!(key, AccountKey::of(&Email::parse(" ANA@example.com").unwrap()));
        assert_eq!(key.as_str().len(), KEY_LENGTH);
        assert_eq!(AccountKey::parse(key.as_str()), Some(key));
    }

    #[test]
    fn a_token_cannot_name_an_item_that_is_not_an_account() {
        for name in ["counter", "google#123456789012345", ""] {
            assert_eq!(AccountKey::parse(name), None);
        }
    }
}
