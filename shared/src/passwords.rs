//! Argon2id on a kept buffer, off the async threads, with a decoy where there is nothing to verify.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use zeroize::Zeroize;

use crate::random::{self, Random};
use crate::{Fault, Password, Setup};

/// 19456 KiB, two passes, one lane: the least that OWASP's password storage cheat sheet names for
/// Argon2id, and the crate's default.
const PARAMS: Params = Params::DEFAULT;
/// Bytes of a hash.
const HASH_BYTES: usize = 32;
/// Bytes of a salt (RFC 9106, 3.1).
const SALT_BYTES: usize = 16;
/// What a stored hash may ask for: four times [`PARAMS`]' memory, so that parameters can rise but a
/// broken row cannot take the function's memory.
const STORED_MEMORY_MAX_KIB: u32 = 4 * Params::DEFAULT_M_COST;
/// Passes that a stored hash may ask for.
const STORED_PASSES_MAX: u32 = 8;

/// A hash as the table keeps it, a PHC string. No `Debug`, no `Display`.
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

/// How a password met a stored hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is another password, or there is none to meet.
    Wrong,
    /// It is the one.
    Right,
    /// It is the one, and the hash was made with other parameters than today's.
    RightButOutdated,
}

/// Hashes and verifies passwords: one Argon2 for each call of either, no more of them at once than
/// there are processors.
#[derive(Clone)]
pub struct Passwords {
    random: Arc<dyn Random>,
    hashed: Arc<AtomicU64>,
    permits: Arc<Semaphore>,
    buffers: Arc<Mutex<Vec<Vec<Block>>>>,
}

impl Passwords {
    /// Takes the randomness of `setup` and touches the first buffer, so that the first call need not.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            random: setup.random(),
            hashed: setup.hash_counter(),
            permits: Arc::new(Semaphore::new(processors)),
            buffers: Arc::new(Mutex::new(vec![vec![Block::new(); PARAMS.block_count()]])),
        }
    }

    /// Hashes a password with a fresh salt.
    ///
    /// # Errors
    /// The random generator or the hash failed.
    pub async fn hash(&self, password: &Password) -> Result<StoredHash, Fault> {
        let salt: [u8; SALT_BYTES] = random::bytes(self.random.as_ref())?;
        let hash = self.run(password.clone(), salt.to_vec(), PARAMS).await?;
        phc(&salt, &hash).ok_or_else(|| Fault::new("password.hash", "unwritable"))
    }

    /// Verifies a password. Without a stored hash it costs the same and is [`Verdict::Wrong`].
    ///
    /// # Errors
    /// The stored hash is broken or asks for too much; the random generator or the hash failed.
    pub async fn verify(&self, stored: Option<&StoredHash>, password: &Password) -> Result<Verdict, Fault> {
        let Some(stored) = stored else {
            let salt: [u8; SALT_BYTES] = random::bytes(self.random.as_ref())?;
            self.run(password.clone(), salt.to_vec(), PARAMS).await?;
            return Ok(Verdict::Wrong);
        };
        let (salt, params, expected) = read(stored)?;
        let outdated =
            (params.m_cost(), params.t_cost(), params.p_cost()) != (PARAMS.m_cost(), PARAMS.t_cost(), PARAMS.p_cost());
        let hash = self.run(password.clone(), salt, params).await?;
        Ok(match (bool::from(hash.ct_eq(&expected)), outdated) {
            (false, _) => Verdict::Wrong,
            (true, false) => Verdict::Right,
            (true, true) => Verdict::RightButOutdated,
        })
    }

    async fn run(&self, password: Password, salt: Vec<u8>, params: Params) -> Result<[u8; HASH_BYTES], Fault> {
        let failed = |cause: &str| Fault::new("password.hash", cause);
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| failed("closed"))?;
        let buffers = Arc::clone(&self.buffers);
        self.hashed.fetch_add(1, Ordering::Relaxed);
        let hashed = tokio::task::spawn_blocking(move || {
            let mut buffer = take(&buffers);
            buffer.resize(params.block_count().max(buffer.len()), Block::new());
            let mut hash = [0; HASH_BYTES];
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            let done = argon2.hash_password_into_with_memory(password.as_bytes(), &salt, &mut hash, &mut buffer);
            buffer.iter_mut().for_each(Zeroize::zeroize);
            buffer.truncate(PARAMS.block_count());
            give_back(&buffers, buffer);
            drop(permit);
            done.map(|()| hash)
        });
        hashed.await.map_err(|_| failed("panic"))?.map_err(|cause| failed(&cause.to_string()))
    }
}

fn take(buffers: &Mutex<Vec<Vec<Block>>>) -> Vec<Block> {
    buffers.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
}

fn give_back(buffers: &Mutex<Vec<Vec<Block>>>, buffer: Vec<Block>) {
    buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
}

fn phc(salt: &[u8], hash: &[u8]) -> Option<StoredHash> {
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&PARAMS).ok()?,
        salt: Some(Salt::new(salt).ok()?),
        hash: Some(Output::new(hash).ok()?),
    };
    Some(StoredHash(hash.to_string()))
}

/// Takes a stored hash apart, and refuses what today's service would never have written.
fn read(stored: &StoredHash) -> Result<(Vec<u8>, Params, [u8; HASH_BYTES]), Fault> {
    let broken = || Fault::new("password.stored", "broken");
    let parsed = PasswordHash::new(stored.as_str()).map_err(|_| broken())?;
    let params = Params::try_from(&parsed).map_err(|_| broken())?;
    let version = parsed.version == Some(Version::V0x13.into());
    if parsed.algorithm != ARGON2ID_IDENT || !version {
        return Err(broken());
    }
    if params.m_cost() > STORED_MEMORY_MAX_KIB || params.t_cost() > STORED_PASSES_MAX {
        return Err(Fault::new("password.stored", "asks for too much"));
    }
    let salt = parsed.salt.ok_or_else(broken)?;
    let hash = parsed.hash.ok_or_else(broken)?;
    Ok((salt.as_ref().to_vec(), params, hash.as_bytes().try_into().map_err(|_| broken())?))
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;

    fn passwords() -> Passwords {
        Passwords::new(&Setup::for_tests([]))
    }

    fn password(text: &str) -> Password {
        Password::parse(Zeroizing::new(text.to_owned())).unwrap_or_else(|_| unreachable!())
    }

    async fn verdict(stored: &str, text: &str) -> Result<Verdict, Fault> {
        passwords().verify(Some(&StoredHash(stored.to_owned())), &password(text)).await
    }

    #[tokio::test]
    async fn only_the_very_same_bytes_are_the_password() {
        let passwords = passwords();
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

    #[tokio::test]
    async fn a_password_differs_beyond_byte_72() {
        let passwords = passwords();
        let base = format!("A1{}", "x".repeat(70));
        let stored = passwords.hash(&password(&format!("{base}y"))).await.unwrap();
        let other = password(&format!("{base}z"));
        assert_eq!(passwords.verify(Some(&stored), &other).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn the_same_password_is_never_hashed_alike_twice() {
        let passwords = passwords();
        let (one, other) = (
            passwords.hash(&password("Passw0rd")).await.unwrap(),
            passwords.hash(&password("Passw0rd")).await.unwrap(),
        );
        assert!(one != other);
    }

    #[tokio::test]
    async fn nothing_stored_is_wrong_and_no_error() {
        assert_eq!(passwords().verify(None, &password("Passw0rd")).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_hash_with_weaker_parameters_verifies_and_is_outdated() {
        let weak = Params::new(8, 1, 1, None).unwrap();
        let mut hash = [0; HASH_BYTES];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, weak.clone())
            .hash_password_into(b"Passw0rd", &[7; SALT_BYTES], &mut hash)
            .unwrap();
        let stored = phc(&[7; SALT_BYTES], &hash).unwrap().0.replace("m=19456,t=2", "m=8,t=1");
        assert_eq!(verdict(&stored, "Passw0rd").await.unwrap(), Verdict::RightButOutdated);
        assert_eq!(verdict(&stored, "Passw0rd2").await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_broken_or_greedy_hash_is_a_fault_and_never_a_match() {
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
            assert!(verdict(&stored, "Passw0rd").await.is_err(), "{stored}");
        }
    }
}
