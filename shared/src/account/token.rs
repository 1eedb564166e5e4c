//! The token in a session cookie or in a mailed link: `<account key>.<secret>`.
//!
//! The table holds only the SHA-256 of the secret, so a copy of the table signs nobody in. A plain hash is enough,
//! because 256 random bits cannot be guessed. The secret of a mailed link begins with its expiry, so that a page can
//! say that the link has expired before the user types a password.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::Fault;
use crate::account::AccountKey;
use crate::system::clock::Timestamp;
use crate::system::random::{self, Random};

/// Random bytes of a secret. 256 bits cannot be guessed.
const RANDOM_BYTES: usize = 32;
/// Bytes of the expiry with which the secret of a mailed link begins, in seconds since 1970. Five suffice until
/// the year 36812.
const TIME_BYTES: usize = 5;

/// A secret, and the key of the account whose partition stores its hash. No `Debug`, no `Display`.
#[derive(Clone)]
pub struct Token {
    key: AccountKey,
    secret: Zeroizing<Vec<u8>>,
}

impl Token {
    /// Creates a token with a new secret for the account.
    ///
    /// # Errors
    /// The random number generator failed.
    pub fn mint(key: &AccountKey, random: &dyn Random) -> Result<Self, Fault> {
        Self::mint_with_prefix(&[], key, random)
    }

    /// As [`Token::mint`], for a link. The secret begins with the time at which the link expires, so that the page that
    /// the link opens can say whether it has expired. The service checks the expiry that the table stores.
    ///
    /// # Errors
    /// The random number generator failed.
    pub fn mint_until(key: &AccountKey, expires_at: Timestamp, random: &dyn Random) -> Result<Self, Fault> {
        let [_, _, _, time @ ..] = expires_at.seconds().to_be_bytes();
        let time: [u8; TIME_BYTES] = time;
        Self::mint_with_prefix(&time, key, random)
    }

    /// A token whose secret begins with these bytes, at most [`TIME_BYTES`].
    fn mint_with_prefix(prefix: &[u8], key: &AccountKey, random: &dyn Random) -> Result<Self, Fault> {
        let random: Zeroizing<[u8; RANDOM_BYTES]> = Zeroizing::new(random::bytes(random)?);
        // A vector that grows would leave its old bytes in memory.
        let mut secret = Zeroizing::new(Vec::with_capacity(TIME_BYTES + RANDOM_BYTES));
        secret.extend_from_slice(prefix);
        secret.extend_from_slice(&*random);
        Ok(Self { key: key.clone(), secret })
    }

    /// Parses a token that a client sent. Returns `None` unless the text is exactly a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (key, secret) = text.split_once('.')?;
        let key = AccountKey::parse(key)?;
        let secret = Zeroizing::new(URL_SAFE_NO_PAD.decode(secret).ok()?);
        let is_secret = secret.len() == RANDOM_BYTES || secret.len() == TIME_BYTES + RANDOM_BYTES;
        is_secret.then_some(Self { key, secret })
    }

    /// When the link of the token expires; `None` if it is not of a link.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        let (time, _) = self.secret.split_last_chunk::<RANDOM_BYTES>()?;
        (time.len() == TIME_BYTES)
            .then(|| Timestamp::from_seconds(time.iter().fold(0, |seconds, byte| seconds << 8 | u64::from(*byte))))
    }

    /// The token's text, for the client.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let secret = Zeroizing::new(URL_SAFE_NO_PAD.encode(&*self.secret));
        Zeroizing::new(format!("{}.{}", self.key.as_str(), secret.as_str()))
    }

    /// The key of the account whose partition stores the hash.
    #[must_use]
    pub fn account(&self) -> &AccountKey {
        &self.key
    }

    /// The secret's SHA-256 in base64url. The table stores this hash and never the secret.
    #[must_use]
    pub fn hash(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&*self.secret))
    }

    /// The SHA-256 of the secret followed by a text, in base64url. Without the token, nobody can compute it, or test a
    /// guess of the text with it.
    #[must_use]
    pub fn seal(&self, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::new().chain_update(&*self.secret).chain_update(text).finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::email::Email;
    use crate::system::random::SystemRandom;

    fn token() -> Token {
        Token::mint(&AccountKey::of(&Email::parse("ana@example.com").unwrap()), &SystemRandom).unwrap()
    }

    #[test]
    fn a_token_is_parsed_from_its_own_text() {
        let token = token();
        let back = Token::parse(&token.reveal()).unwrap();
        assert_eq!(back.hash(), token.hash());
        assert_eq!(back.account(), token.account());
    }

    #[test]
    fn the_token_of_a_link_begins_with_the_time_of_its_expiry() {
        let key = AccountKey::of(&Email::parse("ana@example.com").unwrap());
        let token = Token::mint_until(&key, Timestamp::from_seconds(1_795_370_760), &SystemRandom).unwrap();
        let text = token.reveal();
        let secret = URL_SAFE_NO_PAD.decode(text.split_once('.').unwrap().1).unwrap();
        assert_eq!((secret.len(), &secret[..5]), (37, &[0, 0x6B, 0x03, 0x2F, 0x08][..]));
        assert_eq!(Token::parse(&text).unwrap().hash(), token.hash());
    }

    #[test]
    fn tokens_are_unique_and_the_hash_is_not_the_secret() {
        let (one, other) = (token(), token());
        assert_ne!(one.hash(), other.hash());
        assert!(!one.reveal().contains(&one.hash()));
    }

    #[test]
    fn texts_that_resemble_a_token_are_not_tokens() {
        let text = token().reveal().to_string();
        let (key, secret) = text.split_once('.').unwrap();
        for miss in [
            String::new(),
            ".".to_owned(),
            key.to_owned(),
            secret.to_owned(),
            format!("{key}."),
            format!(".{secret}"),
            format!("{key}.{secret}="),
            format!("{key}.{secret}A"),
            format!(" {text}"),
            format!("{text}.x"),
            format!("{key}x.{secret}"),
            text.replace('.', ":"),
        ] {
            assert!(Token::parse(&miss).is_none(), "{miss:?}");
        }
    }
}
