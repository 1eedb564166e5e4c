//! Argon2id (RFC 9106), version 1.3, on memory that is kept and wiped: by `RustCrypto`'s `argon2`, and on x86-64 by
//! `argon2-rust` as long as it gives the known answers.

mod pool;
mod rustcrypto;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub(crate) use pool::Pool;

use argon2::Params;

use crate::HashCost;

/// Bytes of a hash.
pub(crate) const HASH_BYTES: usize = 32;

impl HashCost {
    fn params(self) -> argon2::Result<Params> {
        Params::new(self.memory_kib, self.passes, self.lanes, Some(HASH_BYTES))
    }
}

/// Which implementation hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Implementation {
    /// `argon2` of `RustCrypto`, on any processor.
    RustCrypto,
    /// `argon2-rust`.
    #[cfg(target_arch = "x86_64")]
    Vectors,
    /// One that hashes wrongly, for the tests.
    #[cfg(test)]
    Broken,
}

impl Implementation {
    /// The one that takes the least time on this processor.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const FASTEST: Self = Self::Vectors;
    /// The one that takes the least time on this processor.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) const FASTEST: Self = Self::RustCrypto;

    /// The crate's name.
    fn name(self) -> &'static str {
        match self {
            Self::RustCrypto => "argon2",
            #[cfg(target_arch = "x86_64")]
            Self::Vectors => "argon2-rust",
            #[cfg(test)]
            Self::Broken => "broken",
        }
    }
}

/// Memory to hash in, of one hash at a time. It is wiped after each.
pub(crate) struct Argon2id(Memory);

enum Memory {
    RustCrypto(rustcrypto::Memory),
    #[cfg(target_arch = "x86_64")]
    Vectors(vectors::Memory),
    #[cfg(test)]
    Broken,
}

impl Argon2id {
    /// Memory for hashes of a cost.
    ///
    /// # Errors
    /// A cost that the RFC does not allow, or no memory.
    pub(crate) fn reserved(engine: Implementation, cost: HashCost) -> Result<Self, String> {
        Ok(Self(match engine {
            Implementation::RustCrypto => Memory::RustCrypto(rustcrypto::Memory::reserved(cost).map_err(text)?),
            #[cfg(target_arch = "x86_64")]
            Implementation::Vectors => Memory::Vectors(vectors::Memory::reserved(cost).map_err(text)?),
            #[cfg(test)]
            Implementation::Broken => Memory::Broken,
        }))
    }

    /// The hash of a password under a salt. What needs more memory than there is gets its own, and gives it back:
    /// a function's memory is sized for the usual cost.
    ///
    /// # Errors
    /// A cost or salt that the RFC does not allow, or no memory.
    pub(crate) fn hash(&mut self, cost: HashCost, password: &[u8], salt: &[u8]) -> Result<[u8; HASH_BYTES], String> {
        match &mut self.0 {
            Memory::RustCrypto(memory) => memory.hash(cost, password, salt).map_err(text),
            #[cfg(target_arch = "x86_64")]
            Memory::Vectors(memory) => memory.hash(cost, password, salt).map_err(text),
            #[cfg(test)]
            Memory::Broken => Ok([0; HASH_BYTES]),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that map_err asks for")]
fn text(error: impl ToString) -> String {
    error.to_string()
}
