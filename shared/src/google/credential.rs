//! Verification of credentials, following RFC 8725: one algorithm, keys from one URL, all claims checked.

use std::collections::HashSet;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};

use super::claims::Claims;
use super::keys::Keys;
use super::signature::verify_with_ring;
use crate::endpoint::body::object::Object;
use crate::log::audit::{Audit, Event, LoginFailure};
use crate::store::Identity;
use crate::system::clock::Clock;
use crate::{Problem, Setup};

/// The longest accepted credential, in bytes. Google's have about 1,200.
const CREDENTIAL_MAX: usize = 16 * 1024;

/// Verifies credentials (ID tokens) of the identity provider.
#[derive(Clone)]
pub struct CredentialVerifier {
    keys: Keys,
    client_ids: Arc<[String]>,
    clock: Arc<dyn Clock>,
}

impl CredentialVerifier {
    /// Reads `GOOGLE_CLIENT_IDS`, separated by commas, and `GOOGLE_KEYS_URL`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        verify_with_ring();
        let ids = setup.settings().required("GOOGLE_CLIENT_IDS");
        let ids: Vec<String> = ids.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        if ids.is_empty() {
            setup.settings().fault("GOOGLE_CLIENT_IDS", "is missing");
        }
        Self { keys: Keys::new(setup), client_ids: ids.into(), clock: setup.clock() }
    }

    /// The identity in a credential. An invalid credential is recorded as a failed login.
    ///
    /// # Errors
    /// As [`CredentialVerifier::examine`].
    pub async fn verify(&self, credential: &str, audit: &Audit) -> Result<Identity, Problem> {
        let verified = self.examine(credential).await;
        if let Err(Problem::InvalidCredential) = &verified {
            audit.record(Event::LoginFailed(LoginFailure::InvalidCredential), None);
        }
        verified
    }

    /// The identity in a credential.
    ///
    /// # Errors
    /// [`Problem::InvalidCredential`] when the credential is not valid; [`Problem::Internal`] when the provider's keys
    /// are not available.
    pub async fn examine(&self, credential: &str) -> Result<Identity, Problem> {
        let refused = || Problem::InvalidCredential;
        if credential.len() > CREDENTIAL_MAX || !is_utf8(credential) {
            return Err(refused());
        }
        let header = decode_header(credential).map_err(|_| refused())?;
        // `jku`, `x5u` and `jwk` are ignored. No critical extension (`crit`) is supported.
        if header.alg != Algorithm::RS256 || header.crit.is_some() {
            return Err(refused());
        }
        let kid = header.kid.ok_or_else(refused)?;
        let key = self.keys.key(&kid).await?.ok_or_else(refused)?;
        let signed = decode::<Object<Claims>>(credential, &key, &signature_only()).map_err(|_| refused())?;
        let Object(claims) = signed.claims;
        claims.identity(&self.client_ids, self.clock.now()).ok_or_else(refused)
    }
}

/// Whether header and payload are UTF-8, as RFC 7519, section 7.2, requires. The library does not check members that it
/// ignores.
fn is_utf8(credential: &str) -> bool {
    let mut parts = credential.split('.').take(2).map(|part| URL_SAFE_NO_PAD.decode(part));
    parts.all(|part| part.is_ok_and(|bytes| str::from_utf8(&bytes).is_ok()))
}

/// Makes the library check the signature only. [`Claims`] checks the claims, with the injected clock.
fn signature_only() -> Validation {
    let mut validation = Validation::new(Algorithm::RS256);
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation.required_spec_claims = HashSet::new();
    validation
}
