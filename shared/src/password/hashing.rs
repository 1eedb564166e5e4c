//! Password hashing with Argon2id, on blocking threads and with reused memory. Without a stored hash, verification
//! computes a decoy hash, so that it takes the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::Password;
use super::argon2id::{HASH_BYTES, Pool};
use crate::system::random::{self, Random};
use crate::{Fault, HashCost, Setup};

/// The algorithm's name in PHC strings.
const ALGORITHM: &str = "argon2id";
/// Version 1.3 in PHC strings.
const VERSION: u32 = 0x13;
/// Bytes of a salt (RFC 9106, 3.1).
const SALT_BYTES: usize = 16;
/// The most memory of a stored hash: four times [`HashCost::OWASP`]'s. It allows higher parameters later, and a broken
/// row cannot exhaust the function's memory.
const STORED_MEMORY_MAX_KIB: u32 = 4 * HashCost::OWASP.memory_kib;
/// The most passes of a stored hash.
const STORED_PASSES_MAX: u32 = 8;

/// A stored hash, a PHC string. No `Debug`, no `Display`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredHash(String);

impl StoredHash {
    /// The PHC string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The result of verifying a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The password does not match, or there is no stored hash.
    Wrong,
    /// The password matches.
    Right,
    /// The password matches, and its hash has other parameters than the current ones.
    RightButOutdated,
}

/// Hashes and verifies passwords. Each call computes one Argon2 hash. At most as many hashes run at once as there are
/// processors.
#[derive(Clone)]
pub struct Passwords {
    random: Arc<dyn Random>,
    hashed: Arc<AtomicU64>,
    permits: Arc<Semaphore>,
    pool: Arc<Pool>,
}

impl Passwords {
    /// Uses the randomness, cost, clock and log of `setup`, and reads `ARGON2_IMPLEMENTATION`. The warm-up reserves the
    /// memory for the first hash.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = Arc::new(Pool::new(setup));
        let ready = Arc::clone(&pool);
        // If the warm-up panics, the first hash reserves its memory.
        setup.warm_up_with(async move { drop(spawn_blocking(move || ready.warm_up()).await) });
        Self {
            random: setup.random(),
            hashed: setup.hash_counter(),
            permits: Arc::new(Semaphore::new(processors)),
            pool,
        }
    }

    /// Hashes a password with a fresh salt.
    ///
    /// # Errors
    /// The random number generator or the hash failed.
    pub async fn hash(&self, password: &Password) -> Result<StoredHash, Fault> {
        let salt: [u8; SALT_BYTES] = random::bytes(self.random.as_ref())?;
        let hash = self.run(password.clone(), salt.to_vec(), self.pool.cost()).await?;
        phc(self.pool.cost(), &salt, &hash).ok_or_else(|| Fault::new("password.hash", "unwritable"))
    }

    /// Verifies a password. Without a stored hash it takes the same time and gives [`Verdict::Wrong`].
    ///
    /// # Errors
    /// The stored hash is malformed or too expensive, or the random number generator or the hash failed.
    pub async fn verify(&self, stored: Option<&StoredHash>, password: &Password) -> Result<Verdict, Fault> {
        let Some(stored) = stored else {
            let salt: [u8; SALT_BYTES] = random::bytes(self.random.as_ref())?;
            self.run(password.clone(), salt.to_vec(), self.pool.cost()).await?;
            return Ok(Verdict::Wrong);
        };
        let (salt, cost, expected) = read(stored)?;
        let hash = self.run(password.clone(), salt, cost).await?;
        Ok(match (bool::from(hash.ct_eq(&expected)), cost != self.pool.cost()) {
            (false, _) => Verdict::Wrong,
            (true, false) => Verdict::Right,
            (true, true) => Verdict::RightButOutdated,
        })
    }

    async fn run(&self, password: Password, salt: Vec<u8>, cost: HashCost) -> Result<[u8; HASH_BYTES], Fault> {
        let failed = |cause: &str| Fault::new("password.hash", cause);
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| failed("closed"))?;
        let pool = Arc::clone(&self.pool);
        self.hashed.fetch_add(1, Ordering::Relaxed);
        let hashed = spawn_blocking(move || {
            let mut memory = pool.take()?;
            let hash = memory.hash(cost, password.as_bytes(), &salt);
            pool.give_back(memory);
            drop(permit);
            hash
        });
        hashed.await.map_err(|_| failed("panic"))?.map_err(|cause| failed(&cause))
    }
}

fn phc(cost: HashCost, salt: &[u8], hash: &[u8]) -> Option<StoredHash> {
    let mut params = ParamsString::new();
    for (name, value) in [("m", cost.memory_kib), ("t", cost.passes), ("p", cost.lanes)] {
        params.add_decimal(name, value).ok()?;
    }
    let hash = PasswordHash {
        algorithm: ALGORITHM.try_into().ok()?,
        version: Some(VERSION),
        params,
        salt: Some(Salt::new(salt).ok()?),
        hash: Some(Output::new(hash).ok()?),
    };
    Some(StoredHash(hash.to_string()))
}

/// The salt, cost and hash of a stored hash. It refuses a hash that this service would not have written.
fn read(stored: &StoredHash) -> Result<(Vec<u8>, HashCost, [u8; HASH_BYTES]), Fault> {
    let broken = || Fault::new("password.stored", "broken");
    let parsed = PasswordHash::new(stored.as_str()).map_err(|_| broken())?;
    if parsed.algorithm.as_str() != ALGORITHM || parsed.version != Some(VERSION) {
        return Err(broken());
    }
    let number = |name| parsed.params.get_decimal(name).ok_or_else(broken);
    let cost = HashCost { memory_kib: number("m")?, passes: number("t")?, lanes: number("p")? };
    if cost.memory_kib > STORED_MEMORY_MAX_KIB || cost.passes > STORED_PASSES_MAX {
        return Err(Fault::new("password.stored", "too expensive"));
    }
    let salt = parsed.salt.ok_or_else(broken)?;
    let hash = parsed.hash.ok_or_else(broken)?;
    Ok((salt.as_ref().to_vec(), cost, hash.as_bytes().try_into().map_err(|_| broken())?))
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::password::argon2id::{Argon2id, Implementation};

    /// Both implementations. Where only one exists, both are that one.
    fn both() -> [Passwords; 2] {
        ["fastest", "rustcrypto"].map(|hasher| Passwords::new(&Setup::for_tests([("ARGON2_IMPLEMENTATION", hasher)])))
    }

    fn password(text: &str) -> Password {
        Password::parse(Zeroizing::new(text.to_owned())).unwrap_or_else(|_| unreachable!())
    }

    async fn verdict(passwords: &Passwords, stored: &str, text: &str) -> Result<Verdict, Fault> {
        passwords.verify(Some(&StoredHash(stored.to_owned())), &password(text)).await
    }

    #[tokio::test]
    async fn the_warm_up_reserves_the_memory_of_the_first_hash() {
        for hasher in ["fastest", "rustcrypto"] {
            let setup = Setup::for_tests([("ARGON2_IMPLEMENTATION", hasher)]);
            let passwords = Passwords::new(&setup);
            assert_eq!(passwords.pool.idle(), 0);
            setup.warm_up().await;
            assert_eq!(passwords.pool.idle(), 1);
            passwords.hash(&password("Passw0rd")).await.unwrap();
            assert_eq!(passwords.pool.idle(), 1);
        }
    }

    #[tokio::test]
    async fn each_implementation_verifies_the_hashes_of_the_other() {
        let [one, other] = both();
        for (hashes, verifies) in [(&one, &other), (&other, &one)] {
            let stored = hashes.hash(&password("Passw0rd")).await.unwrap();
            assert_eq!(verifies.verify(Some(&stored), &password("Passw0rd")).await.unwrap(), Verdict::Right);
        }
    }

    #[tokio::test]
    async fn only_a_password_with_the_same_bytes_matches() {
        for passwords in both() {
            let stored = passwords.hash(&password("Contraseña1")).await.unwrap();
            assert!(stored.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
            let long = format!("Contraseña1{}", "x".repeat(80));
            for (text, expected) in [
                ("Contraseña1", Verdict::Right),
                ("Contrasen\u{303}a1", Verdict::Wrong),
                ("Contraseña1 ", Verdict::Wrong),
                ("Contraseña1\0", Verdict::Wrong),
                (&long, Verdict::Wrong),
            ] {
                assert_eq!(passwords.verify(Some(&stored), &password(text)).await.unwrap(), expected, "{text:?}");
            }
        }
    }

    #[tokio::test]
    async fn passwords_that_differ_only_after_byte_72_do_not_match() {
        for passwords in both() {
            let base = format!("A1{}", "x".repeat(70));
            let stored = passwords.hash(&password(&format!("{base}y"))).await.unwrap();
            let other = password(&format!("{base}z"));
            assert_eq!(passwords.verify(Some(&stored), &other).await.unwrap(), Verdict::Wrong);
        }
    }

    #[tokio::test]
    async fn two_hashes_of_one_password_differ() {
        for passwords in both() {
            let first = passwords.hash(&password("Passw0rd")).await.unwrap();
            assert!(first != passwords.hash(&password("Passw0rd")).await.unwrap());
        }
    }

    #[tokio::test]
    async fn without_a_stored_hash_a_password_is_wrong() {
        for passwords in both() {
            assert_eq!(passwords.verify(None, &password("Passw0rd")).await.unwrap(), Verdict::Wrong);
        }
    }

    #[tokio::test]
    async fn a_hash_with_weaker_parameters_verifies_and_is_outdated() {
        let mut memory = Argon2id::reserved(Implementation::RustCrypto, HashCost::LEAST).unwrap();
        let hash = memory.hash(HashCost::LEAST, b"Passw0rd", &[7; SALT_BYTES]).unwrap();
        let stored = phc(HashCost::LEAST, &[7; SALT_BYTES], &hash).unwrap().0;
        assert!(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{stored}");
        for passwords in both() {
            assert_eq!(verdict(&passwords, &stored, "Passw0rd").await.unwrap(), Verdict::RightButOutdated);
            assert_eq!(verdict(&passwords, &stored, "Passw0rd2").await.unwrap(), Verdict::Wrong);
        }
    }

    #[tokio::test]
    async fn a_malformed_or_too_expensive_hash_is_a_fault() {
        let salt = "AAAAAAAAAAAAAAAAAAAAAA";
        let hash = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        for stored in [
            String::new(),
            "$".to_owned(),
            "plain".to_owned(),
            "$argon2id$v=19$m=19456,t=2,p=1".to_owned(),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}"),
            format!("$argon2id$v=19$m=4194304,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=4000000,p=1${salt}${hash}"),
            format!("$argon2i$v=19$m=19456,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=16$m=19456,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}$AAAA"),
        ] {
            for passwords in both() {
                assert!(verdict(&passwords, &stored, "Passw0rd").await.is_err(), "{stored}");
            }
        }
    }
}
