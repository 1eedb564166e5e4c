//! The formats of legacy hashes, and how a password is compared with each.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha_crypt::{PasswordVerifier, ShaCrypt};
use sha2::{Digest, Sha384, Sha512};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::phpass::Phpass;
use super::wrapped::Wrapped;
use crate::password::Format;
use crate::password::argon2id::Pool;
use crate::password::stored::{ARGON2ID, Argon2Hash, StoredHash, Unusable};

/// The maximum number of bytes of a password that bcrypt reads.
const BCRYPT_BYTES: usize = 72;
/// The highest bcrypt cost: Symfony's default, 0.4 seconds of processor time. PHP's default is 12.
const BCRYPT_COST_MAX: u32 = 13;
/// The maximum number of rounds of SHA-crypt: ten times its default.
const SHA_CRYPT_ROUNDS_MAX: u32 = 50_000;
/// The longest password for phpass and SHA-crypt, in bytes. Their time grows with the length; phpass has this limit.
const LENGTH_MAX: usize = 4096;
/// The key with which WordPress hashes a password before bcrypt.
const WORDPRESS_KEY: &[u8] = b"wp-sha384";
/// The bytes that PHP's `trim` removes. WordPress trims every password, when it hashes it and at a login.
const PHP_SPACES: &[u8] = b" \t\n\r\0\x0b";
/// The prefix that the import adds to the bcrypt hashes of a Symfony application.
const SYMFONY: &str = "$symfony";
/// The prefix that WordPress adds to its bcrypt hashes.
const WORDPRESS: &str = "$wp";

/// Whether a password matches, and how much of it the hash covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    No,
    /// The hash covers the whole password.
    Exact,
    /// The hash covers only a part of this password, or may do so. It must not be replaced by a hash of the whole
    /// password: that would lock out an owner who types another ending.
    Part,
}

impl Match {
    fn new(matches: bool, exact: bool) -> Self {
        match (matches, exact) {
            (false, _) => Self::No,
            (true, true) => Self::Exact,
            (true, false) => Self::Part,
        }
    }
}

/// A legacy hash whose format and cost have been checked.
pub(super) enum LegacyHash {
    Argon2i(Argon2Hash),
    Bcrypt(String),
    Symfony(String),
    WordPress(String),
    Phpass(Phpass),
    ShaCrypt(String),
    Wrapped(Wrapped),
}

impl LegacyHash {
    /// Parses a stored hash. Returns `None` for an Argon2id hash, the format of this service.
    pub(super) fn parse(stored: &str) -> Result<Option<Self>, Unusable> {
        Ok(Some(match Format::of(stored).ok_or(Unusable::Unknown)? {
            Format::Argon2id => return Ok(None),
            Format::Argon2i => Self::Argon2i(Argon2Hash::read(stored, "argon2i")?),
            Format::Bcrypt => Self::Bcrypt(bcrypt(stored)?),
            Format::Symfony => Self::Symfony(bcrypt(stored.strip_prefix(SYMFONY).ok_or(Unusable::Broken)?)?),
            Format::WordPress => Self::WordPress(bcrypt(stored.strip_prefix(WORDPRESS).ok_or(Unusable::Broken)?)?),
            Format::Phpass => Self::Phpass(Phpass::parse(stored)?),
            Format::ShaCrypt => Self::ShaCrypt(sha_crypt(stored)?),
            Format::Wrapped => Self::Wrapped(Wrapped::parse(stored)?),
        }))
    }

    /// Whether the password is longer than this format's limit.
    pub(super) fn is_too_long(&self, password: &[u8]) -> bool {
        matches!(self, Self::Phpass(_) | Self::ShaCrypt(_)) && password.len() > LENGTH_MAX
    }

    /// Compares a password with the hash. If it does not match, and if the systems that write this format would have hashed
    /// another form of it, compares that form.
    pub(super) fn verify(&self, password: &[u8], pool: &Pool) -> Result<Match, String> {
        let mut found = self.verify_form(password, pool)?;
        for escape in self.escapes() {
            let escaped = escape(password);
            if found == Match::No && *escaped != password && !self.is_too_long(&escaped) {
                found = self.verify_form(&escaped, pool)?;
            }
        }
        Ok(found)
    }

    /// How the systems that write this format escape a password before they hash it: WordPress as in a text in quotes, and
    /// phpBB as in HTML. phpBB has used phpass, bcrypt and Argon2i.
    fn escapes(&self) -> &'static [Escape] {
        match self {
            Self::WordPress(_) => &[slashed],
            Self::Phpass(_) | Self::Bcrypt(_) => &[slashed, html_escaped],
            Self::Argon2i(_) => &[html_escaped],
            Self::Symfony(_) | Self::ShaCrypt(_) | Self::Wrapped(_) => &[],
        }
    }

    fn verify_form(&self, password: &[u8], pool: &Pool) -> Result<Match, String> {
        match self {
            Self::Argon2i(hash) => argon2i_matches(password, hash).map(|matches| Match::new(matches, true)),
            Self::Symfony(hash) if password.len() > BCRYPT_BYTES || password.contains(&0) => {
                let before = Zeroizing::new(STANDARD.encode(Sha512::digest(password)));
                bcrypt_equals(before.as_bytes(), hash).map(|matches| Match::new(matches, true))
            }
            Self::Bcrypt(hash) | Self::Symfony(hash) => bcrypt_matches(password, hash),
            Self::WordPress(hash) => {
                let trimmed = password.trim_bytes();
                let mut mac = Hmac::<Sha384>::new_from_slice(WORDPRESS_KEY).map_err(|error| error.to_string())?;
                mac.update(trimmed);
                let before = Zeroizing::new(STANDARD.encode(mac.finalize().into_bytes()));
                let matches = bcrypt_equals(before.as_bytes(), hash)?;
                Ok(Match::new(matches, trimmed == password))
            }
            Self::Phpass(hash) if hash.matches(password) => Ok(Match::Exact),
            Self::Phpass(hash) => {
                let trimmed = password.trim_bytes();
                Ok(Match::new(trimmed != password && hash.matches(trimmed), false))
            }
            Self::ShaCrypt(hash) => {
                let seen = before_nul(password);
                let matches = !seen.is_empty() && ShaCrypt::SHA512.verify_password(seen, hash.as_str()).is_ok();
                Ok(Match::new(matches, seen.len() == password.len()))
            }
            Self::Wrapped(hash) => hash.matches(password, pool).map(|matches| Match::new(matches, true)),
        }
    }
}

/// Reads the hash of another system, or one of this service, so that it can be stored. `symfony` says whether a bcrypt
/// hash was made by Symfony.
///
/// # Errors
/// The hash is not one that a login can verify.
pub fn read(text: &str, symfony: bool) -> Result<(StoredHash, Format), Unusable> {
    let is_marked = symfony && Format::of(text) == Some(Format::Bcrypt);
    let stored = if is_marked { format!("{SYMFONY}{text}") } else { text.to_owned() };
    if LegacyHash::parse(&stored)?.is_none() {
        Argon2Hash::read(&stored, ARGON2ID)?;
    }
    Format::of(&stored).map(|format| (StoredHash(stored), format)).ok_or(Unusable::Unknown)
}

fn bcrypt(hash: &str) -> Result<String, Unusable> {
    let parts: bcrypt::HashParts = hash.parse().map_err(|_| Unusable::Broken)?;
    match parts.get_cost() {
        4..=BCRYPT_COST_MAX => Ok(hash.to_owned()),
        0..4 => Err(Unusable::Broken),
        _ => Err(Unusable::TooExpensive),
    }
}

fn sha_crypt(hash: &str) -> Result<String, Unusable> {
    let rounds = hash.split('$').find_map(|field| field.strip_prefix("rounds="));
    if let Some(rounds) = rounds {
        let rounds: u32 = rounds.parse().map_err(|_| Unusable::Broken)?;
        if rounds > SHA_CRYPT_ROUNDS_MAX {
            return Err(Unusable::TooExpensive);
        }
    }
    // Verifying an empty password shows whether the whole hash can be parsed.
    match ShaCrypt::SHA512.verify_password(b"", hash) {
        Ok(()) | Err(sha_crypt::password_hash::Error::PasswordInvalid) => Ok(hash.to_owned()),
        Err(_) => Err(Unusable::Broken),
    }
}

/// PHP's bcrypt reads a password up to its first NUL, and at most 72 bytes.
fn bcrypt_matches(password: &[u8], hash: &str) -> Result<Match, String> {
    let seen = before_nul(password);
    let matches = !seen.is_empty() && bcrypt_equals(seen, hash)?;
    Ok(Match::new(matches, seen.len() == password.len() && seen.len() < BCRYPT_BYTES))
}

fn bcrypt_equals(password: &[u8], hash: &str) -> Result<bool, String> {
    bcrypt::verify(password, hash).map_err(|error| error.to_string())
}

fn argon2i_matches(password: &[u8], stored: &Argon2Hash) -> Result<bool, String> {
    let params = Params::new(stored.cost.memory_kib, stored.cost.passes, stored.cost.lanes, Some(stored.hash.len()));
    let argon2 = Argon2::new(Algorithm::Argon2i, Version::V0x13, params.map_err(|error| error.to_string())?);
    let mut hash = [0; 32];
    argon2.hash_password_into(password, &stored.salt, &mut hash).map_err(|error| error.to_string())?;
    Ok(hash.ct_eq(&stored.hash).into())
}

/// The part of a password before its first NUL. Functions written in C read no further.
fn before_nul(password: &[u8]) -> &[u8] {
    password.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A password as a system escapes it.
type Escape = fn(&[u8]) -> Zeroizing<Vec<u8>>;

/// As PHP's `addslashes` writes it.
fn slashed(password: &[u8]) -> Zeroizing<Vec<u8>> {
    replaced(password, |byte| match byte {
        b'\0' => Some(br"\0"),
        b'\'' => Some(br"\'"),
        b'"' => Some(br#"\""#),
        b'\\' => Some(br"\\"),
        _ => None,
    })
}

/// As PHP's `htmlspecialchars` writes it with `ENT_COMPAT`.
fn html_escaped(password: &[u8]) -> Zeroizing<Vec<u8>> {
    replaced(password, |byte| match byte {
        b'&' => Some(b"&amp;"),
        b'"' => Some(b"&quot;"),
        b'<' => Some(b"&lt;"),
        b'>' => Some(b"&gt;"),
        _ => None,
    })
}

fn replaced(password: &[u8], by: fn(u8) -> Option<&'static [u8]>) -> Zeroizing<Vec<u8>> {
    // A vector that grows would leave its old bytes in memory. The longest replacement has six bytes.
    let mut escaped = Zeroizing::new(Vec::with_capacity(6 * password.len()));
    for byte in password {
        match by(*byte) {
            Some(text) => escaped.extend_from_slice(text),
            None => escaped.push(*byte),
        }
    }
    escaped
}

trait TrimBytes {
    /// The bytes without those that PHP's `trim` removes at both ends.
    fn trim_bytes(&self) -> &[u8];
}

impl TrimBytes for [u8] {
    fn trim_bytes(&self) -> &[u8] {
        let is_kept = |byte: &u8| !PHP_SPACES.contains(byte);
        let start = self.iter().position(is_kept).unwrap_or(self.len());
        let end = self.iter().rposition(is_kept).map_or(start, |last| last + 1);
        self.get(start..end).unwrap_or_default()
    }
}
