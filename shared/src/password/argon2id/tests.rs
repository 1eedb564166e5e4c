//! Tests of all implementations. Each must give the same hashes.

use std::cell::RefCell;

use proptest::prelude::*;

use super::*;

/// All implementations for this processor.
const ENGINES: &[Implementation] = &[
    Implementation::RustCrypto,
    #[cfg(target_arch = "x86_64")]
    Implementation::Argon2Rust,
];

/// The hash computed with the plain interface of `RustCrypto`'s crate, which allocates memory each time.
fn expected(cost: HashCost, password: &[u8], salt: &[u8]) -> [u8; HASH_BYTES] {
    let params = cost.params().unwrap();
    let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let mut hash = [0; HASH_BYTES];
    argon2.hash_password_into(password, salt, &mut hash).unwrap();
    hash
}

/// The test vector of RFC 9106, 5.3.
const VECTOR: &str = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659";

fn hex(hash: [u8; HASH_BYTES]) -> String {
    hash.map(|byte| format!("{byte:02x}")).concat()
}

/// The RFC has one test vector for Argon2id. It includes a secret and associated data, which the service does not use.
#[test]
fn rustcrypto_passes_the_test_vector_of_the_rfc() {
    let mut params = argon2::ParamsBuilder::new();
    params.m_cost(32).t_cost(3).p_cost(4).data(argon2::AssociatedData::new(&[4; 12]).unwrap()).output_len(HASH_BYTES);
    let params = params.build().unwrap();
    let (algorithm, version) = (argon2::Algorithm::Argon2id, argon2::Version::V0x13);
    let argon2 = argon2::Argon2::new_with_secret(&[3; 8], algorithm, version, params).unwrap();
    let mut hash = [0; HASH_BYTES];
    argon2.hash_password_into(&[1; 32], &[2; 16], &mut hash).unwrap();
    assert_eq!(hex(hash), VECTOR);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn argon2_rust_passes_the_test_vector_of_the_rfc() {
    use ::argon2_rust::params::{Memory, TagLen};
    use ::argon2_rust::{Algorithm, Argon2, Params, Version};

    let params = Params::builder().memory(Memory::kib(32)).passes(3).lanes(4).threads(1);
    let params = params.tag_len(TagLen::bytes(HASH_BYTES as u64)).build().unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut hash = [0; HASH_BYTES];
    argon2.hash_into_with_ad(&[1; 32], &[2; 16], &[3; 8], &[4; 12], &mut hash).unwrap();
    assert_eq!(hex(hash), VECTOR);
}

/// All cases share one memory, so the test also fails if an earlier hash or its cost changes a later hash. Half of the
/// cases need more than the reserved memory.
#[test]
fn ten_thousand_passwords_have_the_hashes_of_the_plain_interface() {
    let reserved = |engine: &Implementation| {
        HashMemory::reserved(*engine, HashCost { memory_kib: 64, ..HashCost::LEAST }).unwrap()
    };
    let memories = RefCell::new(ENGINES.iter().map(reserved).collect::<Vec<_>>());
    let cost = (1..=4_u32, 1..=3_u32).prop_flat_map(|(lanes, passes)| {
        (8 * lanes..=128).prop_map(move |memory_kib| HashCost { memory_kib, passes, lanes })
    });
    let password = prop_oneof![prop::collection::vec(any::<u8>(), 0..300), prop::collection::vec(any::<u8>(), 0..20)];
    let salt = prop::collection::vec(any::<u8>(), 8..=64);
    let config = ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(cost in cost, password in password, salt in salt)| {
        let expected = expected(cost, &password, &salt);
        for memory in memories.borrow_mut().iter_mut() {
            prop_assert_eq!(memory.hash(cost, &password, &salt).unwrap(), expected);
        }
    });
}

#[test]
fn earlier_hashes_do_not_change_a_hash() {
    for engine in ENGINES {
        let mut memory = HashMemory::reserved(*engine, HashCost::OWASP).unwrap();
        for (cost, password) in [
            (HashCost::OWASP, "Contraseña1".to_owned()),
            (HashCost::OWASP, "x".repeat(6 << 20)),
            (HashCost { memory_kib: 77_824, ..HashCost::OWASP }, "Passw0rd".to_owned()),
            (HashCost { lanes: 4, ..HashCost::OWASP }, String::new()),
            (HashCost::LEAST, "Passw0rd".to_owned()),
            (HashCost::OWASP, "Passw0rd".to_owned()),
        ] {
            let hash = memory.hash(cost, password.as_bytes(), &[7; 16]).unwrap();
            assert_eq!(hash, expected(cost, password.as_bytes(), &[7; 16]), "{engine:?} {cost:?}");
        }
    }
}

#[test]
fn a_forbidden_cost_or_a_salt_of_seven_bytes_is_an_error() {
    for engine in ENGINES {
        let mut memory = HashMemory::reserved(*engine, HashCost::LEAST).unwrap();
        for (cost, salt) in [
            (HashCost { memory_kib: 7, ..HashCost::LEAST }, 16),
            (HashCost { passes: 0, ..HashCost::LEAST }, 16),
            (HashCost { lanes: 0, ..HashCost::LEAST }, 16),
            (HashCost { lanes: 2, ..HashCost::LEAST }, 16),
            (HashCost::LEAST, 7),
        ] {
            assert!(memory.hash(cost, b"Passw0rd", &vec![7; salt]).is_err(), "{engine:?} {cost:?} {salt}");
        }
    }
}
