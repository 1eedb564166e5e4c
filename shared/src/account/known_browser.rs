//! The browsers that have logged in to an account.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

use super::BrowserName;
use crate::Fault;
use crate::system::random::{self, Random};

/// Bytes of a secret. 256 bits cannot be guessed.
const SECRET_BYTES: usize = 32;
/// The maximum number of known browsers of an account. A further one replaces the oldest (decision 18).
const BROWSERS_MAX: usize = 20;

/// A browser that has logged in to an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBrowser {
    /// The SHA-256 of the secret in its cookie, in base64url.
    pub hash: String,
    /// The browser's name.
    pub name: BrowserName,
    /// The time of the browser's first login, in seconds since 1970.
    pub created_at: u64,
}

/// The secret in a browser's cookie. It identifies the browser to the accounts that have logged in with it, and signs
/// nobody in. No `Debug`, no `Display`.
#[derive(Clone)]
pub struct BrowserSecret([u8; SECRET_BYTES]);

impl BrowserSecret {
    /// Creates a new secret.
    ///
    /// # Errors
    /// The random number generator failed.
    pub fn mint(random: &dyn Random) -> Result<Self, Fault> {
        random::bytes(random).map(Self)
    }

    /// Parses a secret that a browser sent. Returns `None` unless the text is exactly a secret.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let secret = Zeroizing::new(URL_SAFE_NO_PAD.decode(text).ok()?);
        secret.as_slice().try_into().ok().map(Self)
    }

    /// The secret's text, for the browser.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(URL_SAFE_NO_PAD.encode(self.0))
    }

    /// The secret's SHA-256 in base64url. The table stores this hash and never the secret.
    #[must_use]
    pub fn hash(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.0))
    }
}

impl Drop for BrowserSecret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The known browsers of an account with a new one. At the limit, the new one replaces the oldest.
#[must_use]
pub fn with_browser(known: &[KnownBrowser], new: KnownBrowser) -> Vec<KnownBrowser> {
    let surplus = (known.len() + 1).saturating_sub(BROWSERS_MAX);
    known.iter().skip(surplus).cloned().chain([new]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::random::SystemRandom;

    #[test]
    fn only_the_exact_text_of_a_secret_is_parsed() {
        let secret = BrowserSecret::mint(&SystemRandom).unwrap();
        let text = secret.reveal().to_string();
        assert_eq!(BrowserSecret::parse(&text).unwrap().hash(), secret.hash());
        assert!(!text.contains(&secret.hash()));
        for miss in [String::new(), format!("{text}A"), format!("{text}="), format!(" {text}"), text.replace('A', "")] {
            assert!(miss == text || BrowserSecret::parse(&miss).is_none(), "{miss:?}");
        }
    }

    #[test]
    fn a_new_browser_replaces_the_one_that_has_been_known_longest() {
        let browser =
            |hash: usize| KnownBrowser { hash: hash.to_string(), name: BrowserName::of(None), created_at: hash as u64 };
        let mut known = Vec::new();
        for number in 0..=BROWSERS_MAX {
            known = with_browser(&known, browser(number));
        }
        let hashes: Vec<_> = known.iter().map(|browser| browser.hash.clone()).collect();
        assert_eq!(hashes, (1..=BROWSERS_MAX).map(|number| number.to_string()).collect::<Vec<_>>());
    }
}
