//! Key pairs of the tests, for credentials that the local provider would not sign.

use std::ops::Deref;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::RsaEncoding;
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

/// The lifetime of credentials: ten days, in seconds, which is longer than any test moves the clock.
const LIFETIME: u64 = 10 * 24 * 60 * 60;

/// How the `SubjectPublicKeyInfo` of an RSA key of 2,048 bits starts (RFC 3279, section 2.3.1). The key follows.
const PUBLIC_KEY_INFO: [u8; 24] = [
    0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    0x03, 0x82, 0x01, 0x0f, 0x00,
];

/// A key pair that signs any header and any claims.
pub(crate) struct Signer(stand_ins::Signer);

impl Deref for Signer {
    type Target = stand_ins::Signer;

    fn deref(&self) -> &stand_ins::Signer {
        &self.0
    }
}

impl Signer {
    /// The provider's key.
    pub(crate) fn provider() -> &'static Self {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        SIGNER.get_or_init(|| Self(stand_ins::Signer::first().unwrap()))
    }

    /// A key that the provider does not have yet.
    pub(crate) fn other() -> &'static Self {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        SIGNER.get_or_init(|| Self(stand_ins::Signer::second().unwrap()))
    }

    /// The public key as DER and as PEM, the two formats that a faulty verifier might accept as HMAC keys.
    pub(crate) fn public_texts(&self) -> [Vec<u8>; 2] {
        let der = [&PUBLIC_KEY_INFO[..], self.0.public_der()].concat();
        let text = STANDARD.encode(&der);
        let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"));
        [der, pem.into_bytes()]
    }

    /// A credential for an address, as the provider would issue it.
    pub(crate) fn credential(&self, email: &str) -> String {
        self.0.credential(&claims(email)).unwrap()
    }

    /// A credential with this header and these claims, always signed with RS256.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        self.0.sign(header.to_string(), claims.to_string()).unwrap()
    }

    /// A credential of this header and payload, signed by this algorithm.
    pub(crate) fn sign_text(&self, algorithm: &'static dyn RsaEncoding, header: &Value, payload: &str) -> String {
        self.0.sign_with(algorithm, header.to_string(), payload).unwrap()
    }
}

/// Header and payload as the first two parts of a credential.
pub(crate) fn unsigned(header: &Value, payload: &str) -> String {
    stand_ins::signing_input(header.to_string(), payload)
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
