//! `argon2-rust`, which uses the widest vector instructions of an x86-64 processor. It takes less than half the time of
//! `RustCrypto`'s `argon2`. It is new and not audited, so every start runs a known-answer test. No other module depends
//! on it.

use ::argon2_rust::params::TagLen;
use ::argon2_rust::{Algorithm, Argon2, Error, Hasher, Params, Version};

use super::{HASH_BYTES, HashCost};

/// The memory for hashes up to a cost. It is wiped after each hash.
pub(super) struct Memory(Hasher);

impl Memory {
    pub(super) fn reserved(cost: HashCost) -> Result<Self, Error> {
        let mut hasher = argon2(cost)?.hasher();
        hasher.reserve()?;
        Ok(Self(hasher))
    }

    /// The hash. A hash that needs more memory than this allocates its own and frees it afterwards.
    pub(super) fn hash(&mut self, cost: HashCost, password: &[u8], salt: &[u8]) -> Result<[u8; HASH_BYTES], Error> {
        let argon2 = argon2(cost)?;
        let mut hash = [0; HASH_BYTES];
        if cost.memory_kib as usize > self.0.reserved_blocks() {
            argon2.hash_into(password, salt, &mut hash)?;
        } else {
            self.0.set_argon2(argon2);
            self.0.hash_into(password, salt, &mut hash)?;
        }
        Ok(hash)
    }
}

fn argon2(cost: HashCost) -> Result<Argon2, Error> {
    let params = Params::builder()
        .memory(::argon2_rust::params::Memory::kib(u64::from(cost.memory_kib)))
        .passes(cost.passes)
        .lanes(cost.lanes)
        .threads(1)
        .tag_len(TagLen::bytes(HASH_BYTES as u64));
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params.build()?))
}
