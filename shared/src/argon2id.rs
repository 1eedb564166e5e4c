//! Argon2id (RFC 9106), version 1.3, on memory that is kept. The one place that knows whose implementation it is.

use argon2_rust::params::{Memory, TagLen};
use argon2_rust::{Algorithm, Argon2, Error, Hasher, Params, Version};

/// Bytes of a hash.
pub(crate) const HASH_BYTES: usize = 32;

/// What a hash costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// KiB of memory.
    pub(crate) memory_kib: u32,
    /// Passes over the memory.
    pub(crate) passes: u32,
    /// Lanes of the memory. One thread fills them all: a function has one processor at the most.
    pub(crate) lanes: u32,
}

impl Cost {
    /// 19456 KiB, two passes, one lane: of the equal choices that OWASP's password storage cheat sheet names
    /// for Argon2id, the middle one.
    pub const OWASP: Self = Self { memory_kib: 19_456, passes: 2, lanes: 1 };
    /// The least that there is (RFC 9106, 3.1). It protects nothing.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };

    fn argon2(self) -> Result<Argon2, Error> {
        let params = Params::builder()
            .memory(Memory::kib(u64::from(self.memory_kib)))
            .passes(self.passes)
            .lanes(self.lanes)
            .threads(1)
            .tag_len(TagLen::bytes(HASH_BYTES as u64));
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params.build()?))
    }
}

/// Memory to hash in, of one hash at a time. It is wiped after each.
pub(crate) struct Argon2id(Hasher);

impl Argon2id {
    /// Memory for hashes of a cost, whose pages the first of them meets.
    pub(crate) fn reserved(cost: Cost) -> Result<Self, Error> {
        let mut memory = Self(cost.argon2()?.hasher());
        memory.0.reserve()?;
        Ok(memory)
    }

    /// The same, touched by one pass over it, so that no later hash meets a page for the first time.
    pub(crate) fn ready(cost: Cost) -> Result<Self, Error> {
        let mut memory = Self::reserved(cost)?;
        memory.hash(Cost { passes: 1, ..cost }, b"", &[0; 16])?;
        Ok(memory)
    }

    /// The hash of a password under a salt. What needs more memory than there is gets its own, and gives it back:
    /// a function's memory is sized for the usual cost.
    ///
    /// # Errors
    /// A cost or salt that the RFC does not allow, or no memory.
    pub(crate) fn hash(&mut self, cost: Cost, password: &[u8], salt: &[u8]) -> Result<[u8; HASH_BYTES], Error> {
        let argon2 = cost.argon2()?;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The implementation of `RustCrypto`: older, slower and of other descent.
    fn other(cost: Cost, password: &[u8], salt: &[u8]) -> [u8; HASH_BYTES] {
        let params = argon2::Params::new(cost.memory_kib, cost.passes, cost.lanes, None).unwrap();
        let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
        let mut hash = [0; HASH_BYTES];
        argon2.hash_password_into(password, salt, &mut hash).unwrap();
        hash
    }

    /// RFC 9106, 5.3: the one vector for Argon2id has a secret and associated data too, which the service does not use.
    #[test]
    fn the_vector_of_the_rfc_comes_out() {
        let params = Params::builder().memory(Memory::kib(32)).passes(3).lanes(4).threads(1);
        let params = params.tag_len(TagLen::bytes(HASH_BYTES as u64)).build().unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut hash = [0; HASH_BYTES];
        argon2.hash_into_with_ad(&[1; 32], &[2; 16], &[3; 8], &[4; 12], &mut hash).unwrap();
        let hash = hash.map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hash, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    /// What has been hashed before, and at what cost, must not show either: one memory serves all cases, half of which
    /// need more.
    #[test]
    fn ten_thousand_passwords_hash_as_another_implementation_hashes_them() {
        let memory = std::cell::RefCell::new(Argon2id::ready(Cost { memory_kib: 64, ..Cost::LEAST }).unwrap());
        let cost = (1..=4_u32, 1..=3_u32).prop_flat_map(|(lanes, passes)| {
            (8 * lanes..=128).prop_map(move |memory_kib| Cost { memory_kib, passes, lanes })
        });
        let password =
            prop_oneof![prop::collection::vec(any::<u8>(), 0..300), prop::collection::vec(any::<u8>(), 0..20)];
        let salt = prop::collection::vec(any::<u8>(), 8..=64);
        let config = ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(cost in cost, password in password, salt in salt)| {
            let hash = memory.borrow_mut().hash(cost, &password, &salt).unwrap();
            prop_assert_eq!(hash, other(cost, &password, &salt));
        });
    }

    #[test]
    fn a_hash_at_the_services_cost_is_that_of_another_implementation_whatever_was_hashed_before() {
        let mut memory = Argon2id::ready(Cost::OWASP).unwrap();
        for (cost, password) in [
            (Cost::OWASP, "Contraseña1".to_owned()),
            (Cost::OWASP, "x".repeat(6 << 20)),
            (Cost { memory_kib: 77_824, ..Cost::OWASP }, "Passw0rd".to_owned()),
            (Cost { lanes: 4, ..Cost::OWASP }, String::new()),
            (Cost::LEAST, "Passw0rd".to_owned()),
            (Cost::OWASP, "Passw0rd".to_owned()),
        ] {
            let hash = memory.hash(cost, password.as_bytes(), &[7; 16]).unwrap();
            assert_eq!(hash, other(cost, password.as_bytes(), &[7; 16]), "{cost:?}");
        }
    }

    #[test]
    fn what_the_rfc_does_not_allow_is_an_error() {
        let mut memory = Argon2id::ready(Cost::LEAST).unwrap();
        for (cost, salt) in [
            (Cost { memory_kib: 7, ..Cost::LEAST }, 16),
            (Cost { passes: 0, ..Cost::LEAST }, 16),
            (Cost { lanes: 0, ..Cost::LEAST }, 16),
            (Cost { lanes: 2, ..Cost::LEAST }, 16),
            (Cost::LEAST, 7),
        ] {
            assert!(memory.hash(cost, b"Passw0rd", &vec![7; salt]).is_err(), "{cost:?} {salt}");
        }
    }
}
