//! Fast hashes (MD5 and SHA-1), and the Argon2id hashes of them that are stored instead (OWASP's password storage cheat
//! sheet, "Upgrading legacy hashes").

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use md5::Md5;
use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::Digest as _;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::Fault;
use crate::password::argon2id::Pool;
use crate::password::stored::Unusable;
use crate::password::stored::{ARGON2ID, Argon2Hash};
use crate::password::{Passwords, StoredHash};

/// The prefix of a wrapped hash. The digest's name and the salt follow, then a PHC string.
const MARK: &str = "$wrapped$";

/// A fast hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digest {
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
}

/// Whether the salt comes before or after the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaltPlace {
    /// hash(salt + password).
    First,
    /// hash(password + salt).
    Last,
}

/// An MD5 or SHA-1 hash of another system.
pub struct FastHash {
    digest: Digest,
    /// The hash in hexadecimal, in lower case.
    text: Zeroizing<String>,
    salt: Option<(SaltPlace, String)>,
}

impl FastHash {
    /// Reads 32 hexadecimal digits (MD5) or 40 (SHA-1). Returns `None` for another text.
    #[must_use]
    pub fn parse(text: &str, salt: Option<(SaltPlace, String)>) -> Option<Self> {
        let digest = match text.len() {
            32 => Digest::Md5,
            40 => Digest::Sha1,
            _ => return None,
        };
        let text = text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| text.to_ascii_lowercase())?;
        Some(Self { digest, text: Zeroizing::new(text), salt })
    }

    /// The part of the wrapped hash before the PHC string.
    fn start(&self) -> String {
        let name = match self.digest {
            Digest::Md5 => "md5",
            Digest::Sha1 => "sha1",
        };
        match &self.salt {
            None => format!("{MARK}{name}"),
            Some((SaltPlace::First, salt)) => format!("{MARK}{name},first={}", URL_SAFE_NO_PAD.encode(salt)),
            Some((SaltPlace::Last, salt)) => format!("{MARK}{name},last={}", URL_SAFE_NO_PAD.encode(salt)),
        }
    }

    /// Whether a stored hash may be this hash wrapped: it has the same digest and the same salt of the other system. Only
    /// [`Passwords::wrap`] can tell whether it is.
    #[must_use]
    pub fn may_be(&self, stored: &StoredHash) -> bool {
        stored.as_str().strip_prefix(&self.start()).is_some_and(|rest| rest.starts_with("$argon2id$"))
    }
}

impl Passwords {
    /// The SHA-256 digest of everything that [`Passwords::wrap`] depends on. It is as easy to guess as the fast hash, so it
    /// must not be stored where the fast hash must not.
    #[must_use]
    pub fn wrapping(&self, fast: &FastHash, salt: &[u8; 16]) -> [u8; 32] {
        let cost = self.pool.cost();
        let parameters = format!("m={},t={},p={}{}", cost.memory_kib, cost.passes, cost.lanes, fast.start());
        let digest = Sha256::new().chain_update(salt).chain_update(parameters).chain_update("$");
        digest.chain_update(fast.text.as_bytes()).finalize().into()
    }

    /// Hashes a fast hash with Argon2id and the salt `salt`. The result can be stored.
    ///
    /// # Errors
    /// The hash failed.
    pub async fn wrap(&self, fast: FastHash, salt: [u8; 16]) -> Result<StoredHash, Fault> {
        let (pool, start) = (std::sync::Arc::clone(&self.pool), fast.start());
        let cost = pool.cost();
        let hash = self.compute(move || pool.hash(cost, fast.text.as_bytes(), &salt)).await?;
        let phc = Argon2Hash { salt: salt.to_vec(), cost, hash }.stored();
        let phc = phc.ok_or_else(|| Fault::new("password.hash", "unwritable"))?;
        Ok(StoredHash(start + phc.as_str()))
    }
}

/// The Argon2id hash of a fast hash.
pub(super) struct Wrapped {
    digest: Digest,
    salt: Option<(SaltPlace, Vec<u8>)>,
    hash: Argon2Hash,
}

impl Wrapped {
    pub(super) fn parse(text: &str) -> Result<Self, Unusable> {
        let rest = text.strip_prefix(MARK).ok_or(Unusable::Broken)?;
        let (start, _) = rest.split_once('$').ok_or(Unusable::Broken)?;
        let phc = rest.get(start.len()..).ok_or(Unusable::Broken)?;
        let (name, salt) = start.split_once(',').map_or((start, None), |(name, salt)| (name, Some(salt)));
        let digest = match name {
            "md5" => Digest::Md5,
            "sha1" => Digest::Sha1,
            _ => return Err(Unusable::Broken),
        };
        let salt = salt.map(|salt| {
            let (place, salt) = salt.split_once('=').ok_or(Unusable::Broken)?;
            let salt = URL_SAFE_NO_PAD.decode(salt).map_err(|_| Unusable::Broken)?;
            match place {
                "first" => Ok((SaltPlace::First, salt)),
                "last" => Ok((SaltPlace::Last, salt)),
                _ => Err(Unusable::Broken),
            }
        });
        Ok(Self { digest, salt: salt.transpose()?, hash: Argon2Hash::read(phc, ARGON2ID)? })
    }

    pub(super) fn matches(&self, password: &[u8], pool: &Pool) -> Result<bool, String> {
        let parts: [&[u8]; 2] = match &self.salt {
            None => [password, b""],
            Some((SaltPlace::First, salt)) => [salt, password],
            Some((SaltPlace::Last, salt)) => [password, salt],
        };
        let fast = Zeroizing::new(match self.digest {
            Digest::Md5 => hexadecimal(&Md5::new().chain_update(parts[0]).chain_update(parts[1]).finalize()),
            Digest::Sha1 => hexadecimal(&Sha1::new().chain_update(parts[0]).chain_update(parts[1]).finalize()),
        });
        let hash = pool.hash(self.hash.cost, fast.as_bytes(), &self.hash.salt)?;
        Ok(hash.ct_eq(&self.hash.hash).into())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;

    bytes.iter().fold(String::with_capacity(40), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
