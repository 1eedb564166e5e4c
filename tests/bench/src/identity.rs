//! The identity provider: one key, its key set, and the credentials that it signs.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::Outcome;

/// The id of the key.
const KID: &str = "bench";

/// The provider.
pub struct Identity(KeyPair);

impl Identity {
    /// Generates the key.
    ///
    /// # Errors
    /// The key cannot be generated.
    pub fn new() -> Outcome<Self> {
        Ok(Self(KeyPair::generate(KeySize::Rsa2048)?))
    }

    /// The key set.
    #[must_use]
    pub fn key_set(&self) -> Value {
        let public = self.0.public_key();
        json!({"keys": [{
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": KID,
            "n": URL_SAFE_NO_PAD.encode(public.modulus().big_endian_without_leading_zero()),
            "e": URL_SAFE_NO_PAD.encode(public.exponent().big_endian_without_leading_zero()),
        }]})
    }

    /// Signs these claims.
    ///
    /// # Errors
    /// The signature failed.
    pub fn sign(&self, claims: &Value) -> Outcome<String> {
        let header = json!({"alg": "RS256", "kid": KID, "typ": "JWT"});
        let signed = [&header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}
