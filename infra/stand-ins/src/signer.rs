//! The key of an identity provider. It signs credentials as Google does, and a key set publishes it.
//!
//! The two RSA keys in `keys` are public on purpose. Only a stack whose `GOOGLE_KEYS_URL` names the local identity
//! provider trusts them, and that provider signs for everybody who asks. They are files because the only library here
//! that could generate RSA keys is AWS-LC, whose C code took a tenth of the time of a first build. Each was made by
//! `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 | openssl pkcs8 -topk8 -nocrypt -outform DER`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::error::{KeyRejected, Unspecified};
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::signature::{RSA_PKCS1_SHA256, RsaEncoding};
use serde_json::{Value, json};

/// An RSA key pair and its name.
pub struct Signer {
    pair: KeyPair,
    kid: String,
}

impl Signer {
    /// The key of the local identity provider.
    ///
    /// # Errors
    /// The file in `keys` is not a key pair.
    pub fn first() -> Result<Self, KeyRejected> {
        Self::from_pkcs8(include_bytes!("../keys/first.pk8"))
    }

    /// Another key, for tests in which the provider changes its keys.
    ///
    /// # Errors
    /// The file in `keys` is not a key pair.
    pub fn second() -> Result<Self, KeyRejected> {
        Self::from_pkcs8(include_bytes!("../keys/second.pk8"))
    }

    /// Its key id is the digest of its modulus.
    fn from_pkcs8(file: &[u8]) -> Result<Self, KeyRejected> {
        let pair = KeyPair::from_pkcs8(file)?;
        let kid = URL_SAFE_NO_PAD.encode(digest(&SHA256, &public(&pair).n));
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

    /// The public key as an `RSAPublicKey` in DER (RFC 8017, appendix A.1.1).
    #[must_use]
    pub fn public_der(&self) -> &[u8] {
        self.pair.public().as_ref()
    }

    /// The public key in the format of a key set.
    #[must_use]
    pub fn jwk(&self) -> Value {
        let public = public(&self.pair);
        json!({
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": self.kid,
            "n": URL_SAFE_NO_PAD.encode(public.n),
            "e": URL_SAFE_NO_PAD.encode(public.e),
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
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair.sign(algorithm, &SystemRandom::new(), input.as_bytes(), &mut signature)?;
        Ok(format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn public(pair: &KeyPair) -> PublicKeyComponents<Vec<u8>> {
    pair.public().into()
}

/// The text to sign: header and payload as the first two parts of a credential (RFC 7515, section 5.1).
pub fn signing_input(header: impl AsRef<[u8]>, payload: impl AsRef<[u8]>) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload))
}
