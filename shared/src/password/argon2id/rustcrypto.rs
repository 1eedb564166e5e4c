//! `RustCrypto`'s `argon2`, with memory that is reused and wiped.

use argon2::{Algorithm, Argon2, Block, Error, Version};
use zeroize::Zeroize;

use super::{HASH_BYTES, HashCost};

/// The memory for hashes up to a cost. Reserving it touches its pages.
pub(super) struct Memory(Vec<Block>);

impl Memory {
    pub(super) fn reserved(cost: HashCost) -> Result<Self, Error> {
        let count = cost.params()?.block_count();
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(count).map_err(|_| Error::OutOfMemory)?;
        blocks.resize(count, Block::new());
        Ok(Self(blocks))
    }

    /// The hash. A hash that needs more memory than this allocates its own and frees it afterwards.
    pub(super) fn hash(&mut self, cost: HashCost, password: &[u8], salt: &[u8]) -> Result<[u8; HASH_BYTES], Error> {
        let params = cost.params()?;
        let Some(blocks) = self.0.get_mut(..params.block_count()) else {
            return Self::reserved(cost)?.hash(cost, password, salt);
        };
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut hash = [0; HASH_BYTES];
        let hashed = argon2.hash_password_into_with_memory(password, salt, &mut hash, &mut *blocks);
        blocks.iter_mut().for_each(Zeroize::zeroize);
        hashed.map(|()| hash)
    }
}
