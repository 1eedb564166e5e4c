//! An account as the rules see it, and the values that it is made of.

pub mod avatar;
mod email;
mod full_name;
mod token;

pub use email::Email;
pub use full_name::FullName;
pub use token::Token;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::password::StoredHash;

/// Bytes of the address's SHA-256 that make a key: 128 bits keep a second address for a given key
/// out of reach.
const KEY_BYTES: usize = 16;
/// Characters of [`KEY_BYTES`] in base64url without padding.
const KEY_LENGTH: usize = 22;

/// The partition that holds everything of one account, derived from its address.
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

    /// Reads a key out of a token; `None` when it has not the shape of one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let shaped =
            text.len() == KEY_LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        shaped.then(|| Self(text.to_owned()))
    }

    /// The partition key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An account, as read from or just written to the table. No `Debug`: it holds personal data.
#[derive(Clone)]
pub struct Account {
    /// Its partition.
    pub key: AccountKey,
    /// Its number, from 1, below 2^53.
    pub id: u64,
    /// Its address.
    pub email: Email,
    /// Its owner's full name.
    pub name: String,
    /// Its avatar's address.
    pub url_image: String,
    /// Whether its owner wants the newsletter.
    pub accept_news: bool,
    /// Its password's hash; none when it is entered by the identity provider alone.
    pub password: Option<StoredHash>,
    /// The identity provider's name for its owner, when linked.
    pub google_sub: Option<String>,
    /// Whether somebody has proved to read the address's mail.
    pub email_verified: bool,
    /// Counts up whenever all its sessions end.
    pub generation: u64,
    /// When a link took its password, while its owner still has to be notified; seconds since 1970.
    pub notice_due_since: Option<u64>,
}

/// The five fields of `user`, in the order of the contract.
#[derive(Serialize)]
pub struct User<'a> {
    id: u64,
    email: &'a Email,
    name: &'a str,
    url_image: &'a str,
    accept_news: u8,
}

impl<'a> From<&'a Account> for User<'a> {
    fn from(account: &'a Account) -> Self {
        Self {
            id: account.id,
            email: &account.email,
            name: &account.name,
            url_image: &account.url_image,
            accept_news: u8::from(account.accept_news),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_nothing_of_the_address_and_is_the_same_for_each_spelling() {
        let key = AccountKey::of(&Email::parse("ana@example.com").unwrap());
        assert_eq!(key, AccountKey::of(&Email::parse(" ANA@example.com").unwrap()));
        assert_eq!(key.as_str().len(), KEY_LENGTH);
        assert_eq!(AccountKey::parse(key.as_str()), Some(key));
    }

    #[test]
    fn no_other_item_of_the_table_can_be_named_by_a_token() {
        for name in ["counter", "google#123456789012345", ""] {
            assert_eq!(AccountKey::parse(name), None);
        }
    }
}
