//! `argon2-rust`, which fills the memory with the widest vectors that an x86-64 processor has: less than half
//! the time of `RustCrypto`'s. It is young and has no audit, so its answer is checked at every start, and nothing else depends on it.

use argon2_rust::params::TagLen;
use argon2_rust::{Algorithm, Argon2, Error, Hasher, Params, Version};

use super::{HASH_BYTES, HashCost};

/// Memory of hashes of up to a cost, wiped after each.
pub(super) struct Memory(Hasher);

impl Memory {
    pub(super) fn reserved(cost: HashCost) -> Result<Self, Error> {
        let mut hasher = argon2(cost)?.hasher();
        hasher.reserve()?;
        Ok(Self(hasher))
    }

    /// The hash; what needs more memory than this gets its own, and gives it back.
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
        .memory(argon2_rust::params::Memory::kib(u64::from(cost.memory_kib)))
        .passes(cost.passes)
        .lanes(cost.lanes)
        .threads(1)
        .tag_len(TagLen::bytes(HASH_BYTES as u64));
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params.build()?))
}
