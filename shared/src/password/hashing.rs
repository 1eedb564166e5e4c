//! Password hashing with Argon2id, on blocking threads and with reused memory. Without a stored hash, verification
//! computes a decoy hash, so that it takes the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::Password;
use super::argon2id::{HASH_BYTES, Pool};
#[cfg(feature = "legacy-hashes")]
use super::legacy::Legacy;
use super::stored::{ARGON2ID, Argon2Hash, StoredHash, Unusable};
use crate::system::random::{self, Random};
use crate::{Fault, HashCost, Setup};

/// Bytes of a salt (RFC 9106, 3.1).
const SALT_BYTES: usize = 16;

/// The result of verifying a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The password does not match, or there is no stored hash.
    Wrong,
    /// The password matches, and its hash is kept.
    Right,
    /// The password matches, and its hash should be replaced: new hashes have another algorithm or other parameters.
    RightButOutdated,
}

/// Hashes and verifies passwords. Each call computes one hash. At most as many hashes run at once as there are
/// processors.
#[derive(Clone)]
pub struct Passwords {
    random: Arc<dyn Random>,
    hashed: Arc<AtomicU64>,
    permits: Arc<Semaphore>,
    pub(super) pool: Arc<Pool>,
    #[cfg(feature = "legacy-hashes")]
    pub(super) legacy: Option<Legacy>,
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
            #[cfg(feature = "legacy-hashes")]
            legacy: None,
        }
    }

    /// Hashes a password with a fresh salt.
    ///
    /// # Errors
    /// The random number generator or the hash failed.
    pub async fn hash(&self, password: &Password) -> Result<StoredHash, Fault> {
        let salt: [u8; SALT_BYTES] = random::bytes(self.random.as_ref())?;
        let hash = self.run(password.clone(), salt.to_vec(), self.pool.cost()).await?;
        let hash = Argon2Hash { salt: salt.to_vec(), cost: self.pool.cost(), hash };
        hash.stored().ok_or_else(|| Fault::new("password.hash", "unwritable"))
    }

    /// Verifies a password. Without a stored hash it computes a decoy hash, and returns [`Verdict::Wrong`].
    ///
    /// # Errors
    /// The stored hash is malformed or too expensive, or the random number generator or the hash failed.
    pub async fn verify(&self, stored: Option<&StoredHash>, password: &Password) -> Result<Verdict, Fault> {
        let Some(stored) = stored else { return self.verify_decoy(password).await };
        #[cfg(feature = "legacy-hashes")]
        if let Some(verdict) = self.verify_legacy(stored, password).await? {
            return Ok(verdict);
        }
        let Argon2Hash { salt, cost, hash: expected } =
            Argon2Hash::read(stored.as_str(), ARGON2ID).map_err(Unusable::into_fault)?;
        let hash = self.run(password.clone(), salt, cost).await?;
        Ok(match (bool::from(hash.ct_eq(&expected)), cost != self.pool.cost()) {
            (false, _) => Verdict::Wrong,
            (true, false) => Verdict::Right,
            (true, true) => Verdict::RightButOutdated,
        })
    }

    /// Computes a decoy hash, which takes as long as a verification, and returns [`Verdict::Wrong`].
    pub(super) async fn verify_decoy(&self, password: &Password) -> Result<Verdict, Fault> {
        let salt: [u8; SALT_BYTES] = random::bytes(self.random.as_ref())?;
        self.run(password.clone(), salt.to_vec(), self.pool.cost()).await?;
        Ok(Verdict::Wrong)
    }

    /// Computes an Argon2id hash.
    async fn run(&self, password: Password, salt: Vec<u8>, cost: HashCost) -> Result<[u8; HASH_BYTES], Fault> {
        let pool = Arc::clone(&self.pool);
        self.compute(move || pool.hash(cost, password.as_bytes(), &salt)).await
    }

    /// Computes a hash on a blocking thread, and waits until a processor is free for it.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        hash: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<T, Fault> {
        let failed = |cause: &str| Fault::new("password.hash", cause);
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| failed("closed"))?;
        self.hashed.fetch_add(1, Ordering::Relaxed);
        let hashed = spawn_blocking(move || {
            let hash = hash();
            drop(permit);
            hash
        });
        hashed.await.map_err(|_| failed("panic"))?.map_err(|cause| failed(&cause))
    }
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::password::argon2id::{HashMemory, Implementation};

    /// Both implementations. On a processor that has only one, both are the same.
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
        let mut memory = HashMemory::reserved(Implementation::RustCrypto, HashCost::LEAST).unwrap();
        let hash = memory.hash(HashCost::LEAST, b"Passw0rd", &[7; SALT_BYTES]).unwrap();
        let salt = vec![7; SALT_BYTES];
        let stored = Argon2Hash { salt, cost: HashCost::LEAST, hash }.stored().unwrap().0;
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
