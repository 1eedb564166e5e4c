//! Argon2id (RFC 9106), version 1.3, with memory that is reused and wiped. `RustCrypto`'s `argon2` runs everywhere. On
//! x86-64 the faster `argon2-rust` is used, unless `ARGON2_IMPLEMENTATION` is `rustcrypto` or `argon2-rust` fails its
//! known-answer test.

#[cfg(target_arch = "x86_64")]
mod argon2_rust;
mod pool;
mod rustcrypto;
#[cfg(test)]
mod tests;

pub(crate) use pool::Pool;

use argon2::Params;

use crate::HashCost;

/// Bytes of a hash.
pub(crate) const HASH_BYTES: usize = 32;

impl HashCost {
    /// The parameters for `RustCrypto`'s crate; an error if the RFC does not allow them.
    pub(super) fn params(self) -> argon2::Result<Params> {
        Params::new(self.memory_kib, self.passes, self.lanes, Some(HASH_BYTES))
    }
}

/// An implementation of Argon2id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Implementation {
    /// `RustCrypto`'s `argon2`, for any processor.
    RustCrypto,
    /// `argon2-rust`.
    #[cfg(target_arch = "x86_64")]
    Argon2Rust,
    /// An implementation with wrong hashes, for the tests.
    #[cfg(test)]
    Broken,
    /// An implementation for which there is not enough memory, for the tests.
    #[cfg(test)]
    Starved,
}

impl Implementation {
    /// The fastest implementation on this processor.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const FASTEST: Self = Self::Argon2Rust;
    /// The fastest implementation on this processor.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) const FASTEST: Self = Self::RustCrypto;

    /// Whether it writes to each page of the memory that it reserves.
    fn touches_memory(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Argon2Rust => false,
            _ => true,
        }
    }

    /// The crate's name.
    fn name(self) -> &'static str {
        match self {
            Self::RustCrypto => "argon2",
            #[cfg(target_arch = "x86_64")]
            Self::Argon2Rust => "argon2-rust",
            #[cfg(test)]
            Self::Broken => "broken",
            #[cfg(test)]
            Self::Starved => "starved",
        }
    }
}

/// The memory for one hash at a time. It is wiped after each hash.
pub(crate) struct HashMemory(Memory);

enum Memory {
    RustCrypto(rustcrypto::Memory),
    #[cfg(target_arch = "x86_64")]
    Argon2Rust(argon2_rust::Memory),
    #[cfg(test)]
    Broken,
}

impl HashMemory {
    /// Reserves the memory for hashes of a cost.
    ///
    /// # Errors
    /// The RFC does not allow the cost, or there is not enough memory.
    pub(crate) fn reserved(engine: Implementation, cost: HashCost) -> Result<Self, String> {
        Ok(Self(match engine {
            Implementation::RustCrypto => Memory::RustCrypto(rustcrypto::Memory::reserved(cost).map_err(text)?),
            #[cfg(target_arch = "x86_64")]
            Implementation::Argon2Rust => Memory::Argon2Rust(argon2_rust::Memory::reserved(cost).map_err(text)?),
            #[cfg(test)]
            Implementation::Broken => Memory::Broken,
            #[cfg(test)]
            Implementation::Starved => return Err("not enough memory".to_owned()),
        }))
    }

    /// Hashes a password with a salt. A hash that needs more than the reserved memory allocates its own and frees it
    /// afterwards, because a function's memory is sized for the usual cost.
    ///
    /// # Errors
    /// The RFC does not allow the cost, the salt has fewer than 8 bytes, or there is not enough memory.
    pub(crate) fn hash(&mut self, cost: HashCost, password: &[u8], salt: &[u8]) -> Result<[u8; HASH_BYTES], String> {
        match &mut self.0 {
            Memory::RustCrypto(memory) => memory.hash(cost, password, salt).map_err(text),
            #[cfg(target_arch = "x86_64")]
            Memory::Argon2Rust(memory) => memory.hash(cost, password, salt).map_err(text),
            #[cfg(test)]
            Memory::Broken => Ok([0; HASH_BYTES]),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err requires this signature")]
fn text(error: impl ToString) -> String {
    error.to_string()
}
