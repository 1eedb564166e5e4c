//! Key pairs of the tests, for credentials that the local provider would not sign.

use std::sync::OnceLock;

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaEncoding};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

/// The lifetime of credentials: ten days, in seconds, which is longer than any test moves the clock.
const LIFETIME: u64 = 10 * 24 * 60 * 60;

/// An RSA key pair and its name.
pub(crate) struct Signer {
    pair: KeyPair,
    /// Its key id.
    pub(crate) kid: &'static str,
}

impl Signer {
    fn new(kid: &'static str) -> Self {
        Self { pair: KeyPair::generate(KeySize::Rsa2048).unwrap(), kid }
    }

    /// The provider's key. Generating a key takes a while, so the process has only two.
    pub(crate) fn provider() -> &'static Self {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        SIGNER.get_or_init(|| Self::new("first"))
    }

    /// A key that the provider does not have yet.
    pub(crate) fn other() -> &'static Self {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        SIGNER.get_or_init(|| Self::new("second"))
    }

    /// The public key in the format of a key set.
    pub(crate) fn jwk(&self) -> Value {
        let public = self.pair.public_key();
        json!({
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": self.kid,
            "n": URL_SAFE_NO_PAD.encode(public.modulus().big_endian_without_leading_zero()),
            "e": URL_SAFE_NO_PAD.encode(public.exponent().big_endian_without_leading_zero()),
        })
    }

    /// The public key as DER and as PEM, the two formats that are mistaken for HMAC keys.
    pub(crate) fn public_texts(&self) -> [Vec<u8>; 2] {
        let der: PublicKeyX509Der<'_> = self.pair.public_key().as_der().unwrap();
        let text = STANDARD.encode(der.as_ref());
        let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"));
        [der.as_ref().to_vec(), pem.into_bytes()]
    }

    /// The header of a valid credential.
    pub(crate) fn header(&self) -> Value {
        json!({"alg": "RS256", "kid": self.kid, "typ": "JWT"})
    }

    /// A credential for an address, as the provider would issue it.
    pub(crate) fn credential(&self, email: &str) -> String {
        self.sign(&self.header(), &claims(email))
    }

    /// A credential with this header and these claims, always signed with RS256.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_text(&RSA_PKCS1_SHA256, header, &claims.to_string())
    }

    /// A credential of this header and payload, signed by this algorithm.
    pub(crate) fn sign_text(&self, algorithm: &'static dyn RsaEncoding, header: &Value, payload: &str) -> String {
        let signed = unsigned(header, payload);
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair.sign(algorithm, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Header and payload as the first two parts of a credential.
pub(crate) fn unsigned(header: &Value, payload: &str) -> String {
    [header.to_string().as_str(), payload].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
}

/// The claims of a valid credential for an address.
pub(crate) fn claims(email: &str) -> Value {
    let now = SystemClock.now().seconds();
    json!({
        "iss": "https://accounts.google.com",
        "aud": "local-client",
        "sub": format!("1{email}"),
        "email": email,
        "email_verified": true,
        "name": "Ana García",
        "iat": now,
        "exp": now + LIFETIME,
    })
}
