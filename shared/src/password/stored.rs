//! The hash of a password as it is stored, and the parts of a PHC string.

use std::fmt;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use serde::{Deserialize, Serialize};

use super::argon2id::HASH_BYTES;
use crate::{Fault, HashCost};

/// The algorithm's name in PHC strings.
pub(super) const ARGON2ID: &str = "argon2id";
/// Version 1.3 in PHC strings.
const VERSION: u32 = 0x13;
/// The largest memory parameter of a stored hash: four times that of [`HashCost::OWASP`]. It leaves room for higher
/// parameters later, and keeps a broken row from exhausting the function's memory.
const STORED_MEMORY_MAX_KIB: u32 = 4 * HashCost::OWASP.memory_kib;
/// The maximum number of passes of a stored hash.
const STORED_PASSES_MAX: u32 = 8;

/// A stored hash: a PHC string, or the hash of another system. No `Debug`, no `Display`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredHash(pub(super) String);

impl StoredHash {
    /// The text of the hash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The reason why a hash cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It has none of the known formats.
    Unknown,
    /// It has a known format, but is incomplete or malformed.
    Broken,
    /// It would take too much time or memory.
    TooExpensive,
}

impl Unusable {
    /// The fault of a stored hash that cannot be used.
    pub(super) fn into_fault(self) -> Fault {
        match self {
            Self::TooExpensive => Fault::new("password.stored", "too expensive"),
            Self::Unknown | Self::Broken => Fault::new("password.stored", "broken"),
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "the hash has no known format",
            Self::Broken => "the hash is incomplete or broken",
            Self::TooExpensive => "the hash takes more time or memory than a login allows",
        })
    }
}

/// The parts of an Argon2 hash.
pub(super) struct Argon2Hash {
    pub(super) salt: Vec<u8>,
    pub(super) cost: HashCost,
    pub(super) hash: [u8; HASH_BYTES],
}

impl Argon2Hash {
    /// Reads the PHC string of a hash by this algorithm. It refuses a hash that takes too much time or memory, and one
    /// that no implementation can verify. Salts that are too short or too long for Argon2 do not occur: the parser of
    /// PHC strings refuses them.
    pub(super) fn read(text: &str, algorithm: &str) -> Result<Self, Unusable> {
        let parsed = PasswordHash::new(text).map_err(|_| Unusable::Broken)?;
        if parsed.algorithm.as_str() != algorithm || parsed.version != Some(VERSION) {
            return Err(Unusable::Broken);
        }
        let number = |name| parsed.params.get_decimal(name).ok_or(Unusable::Broken);
        let cost = HashCost { memory_kib: number("m")?, passes: number("t")?, lanes: number("p")? };
        if cost.memory_kib > STORED_MEMORY_MAX_KIB || cost.passes > STORED_PASSES_MAX {
            return Err(Unusable::TooExpensive);
        }
        cost.params().map_err(|_| Unusable::Broken)?;
        let salt = parsed.salt.ok_or(Unusable::Broken)?.as_ref().to_vec();
        let hash = parsed.hash.ok_or(Unusable::Broken)?;
        Ok(Self { salt, cost, hash: hash.as_bytes().try_into().map_err(|_| Unusable::Broken)? })
    }

    /// The PHC string of the hash, by Argon2id.
    pub(super) fn stored(&self) -> Option<StoredHash> {
        let mut params = ParamsString::new();
        for (name, value) in [("m", self.cost.memory_kib), ("t", self.cost.passes), ("p", self.cost.lanes)] {
            params.add_decimal(name, value).ok()?;
        }
        let hash = PasswordHash {
            algorithm: ARGON2ID.try_into().ok()?,
            version: Some(VERSION),
            params,
            salt: Some(Salt::new(&self.salt).ok()?),
            hash: Some(Output::new(&self.hash).ok()?),
        };
        Some(StoredHash(hash.to_string()))
    }
}
