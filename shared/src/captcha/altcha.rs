//! The service as its own captcha provider, with version 2 of ALTCHA's protocol. With `CAPTCHA_REQUIRED`, each login
//! needs a proof of work, which makes guessing passwords expensive. Nothing is stored until a challenge is solved.
//!
//! A challenge consists of signed parameters. A solution is a counter: PBKDF2 of the nonce and the counter must yield a
//! key that starts with the prefix. Finding one takes 256 tries on average; verifying it takes one.

use std::num::NonZeroU32;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::{hmac, pbkdf2};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::Kind;
use super::secret::Secret;
use crate::store::SpentProofs;
use crate::system::clock::Clock;
use crate::system::random::{self, Random};
use crate::{Fault, Setup};

/// How long a solution of a challenge is accepted: five minutes, in seconds.
const LIFETIME_SECONDS: u64 = 5 * 60;
/// The highest cost that may be set. Its verification takes about as long as the hash of a password.
const COST_MAX: u64 = 100_000;
/// The required start of the key, in hexadecimal. Two digits take 256 tries on average.
const KEY_PREFIX: &str = "00";
/// The name of the algorithm.
const ALGORITHM: &str = "PBKDF2/SHA-256";
/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Bytes of a nonce and of a salt.
const NONCE_BYTES: usize = 16;
/// The shortest signing key, in bytes. Everybody can obtain signatures, and could use them to guess a shorter key.
const SECRET_MIN: usize = 32;
/// The name of the operation in faults.
const OPERATION: &str = "captcha.sign";

/// The parameters of a challenge. They are signed as JSON, in the alphabetical order of their names.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    algorithm: String,
    cost: NonZeroU32,
    expires_at: u64,
    key_length: usize,
    key_prefix: String,
    nonce: String,
    salt: String,
}

/// A challenge: its parameters and their signature.
#[derive(Clone, Serialize, Deserialize)]
pub struct Challenge {
    parameters: Parameters,
    signature: String,
}

/// The counter that solves a challenge, and the key that PBKDF2 derives from it, in hexadecimal.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Solution {
    counter: u32,
    derived_key: String,
}

/// A challenge and its solution, as the page sends them in base64. Neither is verified.
#[derive(Deserialize)]
pub struct Proof {
    challenge: Challenge,
    solution: Solution,
}

/// Issues challenges.
#[derive(Clone)]
pub struct Challenges {
    signer: Signer,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    cost: NonZeroU32,
}

/// Verifies solutions. Each is accepted once.
#[derive(Clone)]
pub(super) struct Solutions {
    signer: Signer,
    clock: Arc<dyn Clock>,
    spent: SpentProofs,
}

/// The key that signs challenges.
#[derive(Clone)]
struct Signer(Secret);

impl Signer {
    fn new(setup: &Setup) -> Option<Self> {
        let Some(arn) = setup.settings().optional("CAPTCHA_SECRET_ARN") else {
            setup.settings().fault("CAPTCHA_SECRET_ARN", "is missing, and CAPTCHA_PROVIDER is altcha");
            return None;
        };
        Some(Self(Secret::new(setup, arn)))
    }

    async fn key(&self) -> Result<hmac::Key, Fault> {
        let secret = self.0.value().await?;
        if secret.len() < SECRET_MIN {
            return Err(Fault::new(OPERATION, "secret shorter than 32 bytes"));
        }
        Ok(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))
    }
}

impl Challenges {
    /// Reads `CAPTCHA_PROVIDER`, `CAPTCHA_SECRET_ARN` and `CAPTCHA_COST`. Returns `None` unless the service is its own
    /// provider.
    #[must_use]
    pub fn new(setup: &Setup) -> Option<Self> {
        let settings = setup.settings();
        let cost = settings.number("CAPTCHA_COST", 1..=COST_MAX);
        let cost = u32::try_from(cost).ok().and_then(NonZeroU32::new)?;
        let signer = if Kind::new(settings) == Kind::Altcha { Signer::new(setup) } else { None };
        Some(Self { signer: signer?, clock: setup.clock(), random: setup.random(), cost })
    }

    /// Issues a challenge.
    ///
    /// # Errors
    /// The secret or the random number generator is not available.
    pub async fn issue(&self) -> Result<Challenge, Fault> {
        let key = self.signer.key().await?;
        let parameters = Parameters {
            algorithm: ALGORITHM.to_owned(),
            cost: self.cost,
            expires_at: self.clock.now().seconds() + LIFETIME_SECONDS,
            key_length: KEY_BYTES,
            key_prefix: KEY_PREFIX.to_owned(),
            nonce: hex::encode(random::bytes::<NONCE_BYTES>(self.random.as_ref())?),
            salt: hex::encode(random::bytes::<NONCE_BYTES>(self.random.as_ref())?),
        };
        let signature = hex::encode(hmac::sign(&key, parameters.text()?.as_bytes()));
        Ok(Challenge { parameters, signature })
    }
}

impl Parameters {
    /// The text that is signed.
    fn text(&self) -> Result<String, Fault> {
        serde_json::to_string(self).map_err(|_| Fault::new(OPERATION, "unwritable"))
    }

    /// The key that PBKDF2 derives from a counter. Returns `None` when the parameters are not of this version of the
    /// service.
    fn key(&self, counter: u32) -> Option<[u8; KEY_BYTES]> {
        if self.algorithm != ALGORITHM || self.key_length != KEY_BYTES {
            return None;
        }
        let salt = hex::decode(&self.salt).ok()?;
        let password = [hex::decode(&self.nonce).ok()?.as_slice(), &counter.to_be_bytes()].concat();
        let mut key = [0; KEY_BYTES];
        pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, self.cost, &salt, &password, &mut key);
        Some(key)
    }
}

impl Solutions {
    /// Reads `ACCOUNTS_TABLE` and `CAPTCHA_SECRET_ARN`.
    pub(super) fn new(setup: &Setup) -> Option<Self> {
        Some(Self { signer: Signer::new(setup)?, clock: setup.clock(), spent: SpentProofs::new(setup) })
    }

    /// Whether a proof is correct, not expired and unused. An accepted proof counts as used.
    ///
    /// # Errors
    /// The secret or the table is not available.
    pub(super) async fn accept(&self, token: &str) -> Result<bool, Fault> {
        let Some(proof) = Proof::parse(token) else { return Ok(false) };
        let parameters = &proof.challenge.parameters;
        let Ok(signature) = hex::decode(&proof.challenge.signature) else { return Ok(false) };
        let key = self.signer.key().await?;
        // The parameters are used only after their signature is verified.
        if hmac::verify(&key, proof.signed_text()?.as_bytes(), &signature).is_err()
            || parameters.expires_at <= self.clock.now().seconds()
            || !is_solved(parameters, &proof.solution)
        {
            return Ok(false);
        }
        self.spent.spend(&parameters.nonce, parameters.expires_at).await
    }
}

impl Proof {
    /// Parses the captcha token of a login. Returns `None` unless it has all members of a proof.
    #[must_use]
    pub fn parse(token: &str) -> Option<Self> {
        serde_json::from_slice(&STANDARD.decode(token).ok()?).ok()
    }

    /// The text of the challenge's parameters that the signature must cover.
    ///
    /// # Errors
    /// The parameters cannot be written.
    pub fn signed_text(&self) -> Result<String, Fault> {
        self.challenge.parameters.text()
    }
}

fn is_solved(parameters: &Parameters, solution: &Solution) -> bool {
    let Some(key) = parameters.key(solution.counter) else { return false };
    let key = hex::encode(key);
    key.starts_with(&parameters.key_prefix) && bool::from(key.as_bytes().ct_eq(solution.derived_key.as_bytes()))
}
