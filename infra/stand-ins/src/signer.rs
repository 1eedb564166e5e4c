//! The key of an identity provider. It signs credentials as Google does, and a key set publishes it.

use aws_lc_rs::digest::{SHA256, digest};
pub use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize, PublicKey};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaEncoding};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// An RSA key pair and its name.
pub struct Signer {
    pair: KeyPair,
    kid: String,
}

impl Signer {
    /// Generates a key, which takes a while. Its key id is the digest of its modulus.
    ///
    /// # Errors
    /// The generator failed.
    pub fn new() -> Result<Self, Unspecified> {
        let pair = KeyPair::generate(KeySize::Rsa2048)?;
        let kid = URL_SAFE_NO_PAD.encode(digest(&SHA256, modulus(&pair)));
        Ok(Self { pair, kid })
    }

    /// The same key with another key id.
    #[must_use]
    pub fn named(self, kid: &str) -> Self {
        Self { kid: kid.to_owned(), ..self }
    }

    /// Its key id.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> &PublicKey {
        self.pair.public_key()
    }

    /// The public key in the format of a key set.
    #[must_use]
    pub fn jwk(&self) -> Value {
        json!({
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": self.kid,
            "n": URL_SAFE_NO_PAD.encode(modulus(&self.pair)),
            "e": URL_SAFE_NO_PAD.encode(self.public_key().exponent().big_endian_without_leading_zero()),
        })
    }

    /// A key set with this key only.
    #[must_use]
    pub fn key_set(&self) -> Value {
        json!({ "keys": [self.jwk()] })
    }

    /// The header of a valid credential.
    #[must_use]
    pub fn header(&self) -> Value {
        json!({ "alg": "RS256", "kid": self.kid, "typ": "JWT" })
    }

    /// A credential with these claims.
    ///
    /// # Errors
    /// The signature failed.
    pub fn credential(&self, claims: &Value) -> Result<String, Unspecified> {
        self.sign(self.header().to_string(), claims.to_string())
    }

    /// A credential of any header and payload, signed with RS256 whatever the header says.
    ///
    /// # Errors
    /// The signature failed.
    pub fn sign(&self, header: impl AsRef<[u8]>, payload: impl AsRef<[u8]>) -> Result<String, Unspecified> {
        self.sign_with(&RSA_PKCS1_SHA256, header, payload)
    }

    /// The same, signed with another algorithm.
    ///
    /// # Errors
    /// The signature failed.
    pub fn sign_with(
        &self,
        algorithm: &'static dyn RsaEncoding,
        header: impl AsRef<[u8]>,
        payload: impl AsRef<[u8]>,
    ) -> Result<String, Unspecified> {
        let input = signing_input(header, payload);
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair.sign(algorithm, &SystemRandom::new(), input.as_bytes(), &mut signature)?;
        Ok(format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn modulus(pair: &KeyPair) -> &[u8] {
    pair.public_key().modulus().big_endian_without_leading_zero()
}

/// The text to sign: header and payload as the first two parts of a credential (RFC 7515, section 5.1).
pub fn signing_input(header: impl AsRef<[u8]>, payload: impl AsRef<[u8]>) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload))
}
