//! An authenticator in software, with the browser that asks it. A test can change every part of an answer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

/// The user is present (WebAuthn, section 6.1).
pub const UP: u8 = 0x01;
/// The user is verified.
pub const UV: u8 = 0x04;
/// The credential can be backed up.
pub const BE: u8 = 0x08;
/// The credential is backed up.
pub const BS: u8 = 0x10;
/// A new credential follows.
pub const AT: u8 = 0x40;
/// Extensions follow.
pub const ED: u8 = 0x80;

/// The RSA key of the local identity provider.
const RSA_KEY: &[u8] = include_bytes!("../keys/first.pk8");

/// A kind of key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
    /// RSA with PKCS #1 v1.5 and SHA-256.
    Rs256,
}

/// All kinds.
pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::Es256, Algorithm::EdDsa, Algorithm::Rs256];

enum Key {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
    Rs256(Box<RsaKeyPair>),
}

/// An authenticator with one credential.
pub struct Authenticator {
    key: Key,
    random: SystemRandom,
    /// The id of its credential.
    pub id: Vec<u8>,
    /// The user handle, once it is known.
    pub user: Vec<u8>,
    /// The origin of the page.
    pub origin: String,
    /// The counter of signatures. It stays 0 if it is 0.
    pub counter: u32,
}

/// The data that an authenticator signs.
#[derive(Clone)]
pub struct AuthenticatorData {
    /// The relying party, whose hash is signed.
    pub rp_id: String,
    /// The flags.
    pub flags: u8,
    /// The counter of signatures.
    pub counter: u32,
    /// What follows: the new credential, and extensions.
    pub rest: Vec<u8>,
}

/// An answer to the options of a new passkey.
#[derive(Clone)]
pub struct Attesting {
    /// The client data.
    pub client_data: Value,
    /// The authenticator data, without the new credential.
    pub data: AuthenticatorData,
    /// The id of the credential.
    pub id: Vec<u8>,
    /// The public key (COSE).
    pub key: Vec<u8>,
    /// The format and the statement of the attestation (CBOR).
    pub statement: (&'static str, Vec<u8>),
    /// What follows the new credential.
    pub extensions: Vec<u8>,
}

/// An answer to the options of a login.
#[derive(Clone)]
pub struct Asserting {
    /// The client data.
    pub client_data: Value,
    /// The authenticator data.
    pub data: AuthenticatorData,
    /// The id of the credential.
    pub id: Vec<u8>,
    /// The user handle.
    pub user: Vec<u8>,
}

#[expect(clippy::expect_used, reason = "a test without its authenticator must fail")]
impl Authenticator {
    /// An authenticator with a new key. All RSA keys are the same, because it takes long to make one.
    ///
    /// # Panics
    /// The key or the random bytes cannot be made.
    #[must_use]
    pub fn new(algorithm: Algorithm, origin: &str) -> Self {
        let random = SystemRandom::new();
        let key = match algorithm {
            Algorithm::Es256 => {
                let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random);
                Key::Es256(pair.expect("the key is read"))
            }
            Algorithm::EdDsa => {
                let document = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
                Key::EdDsa(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("the key is read"))
            }
            Algorithm::Rs256 => Key::Rs256(Box::new(RsaKeyPair::from_pkcs8(RSA_KEY).expect("the key is read"))),
        };
        let mut id = vec![0; 32];
        random.fill(&mut id).expect("random bytes");
        Self { key, random, id, user: Vec::new(), origin: origin.to_owned(), counter: 1 }
    }

    /// The public key (COSE, RFC 9052).
    #[must_use]
    pub fn public_key(&self) -> Vec<u8> {
        match &self.key {
            Key::Es256(pair) => {
                let (x, y) = pair.public_key().as_ref().get(1..).unwrap_or_default().split_at(32);
                ec_key(x, y)
            }
            Key::EdDsa(pair) => [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32], pair.public_key().as_ref()].concat(),
            Key::Rs256(pair) => {
                let public: PublicKeyComponents<Vec<u8>> = PublicKeyComponents::from(pair.public());
                rsa_key(&public.n, &public.e)
            }
        }
    }

    /// Creates the credential for these options.
    pub fn create(&mut self, options: &Value) -> Attesting {
        let text = |pointer: &str| options.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        self.user = URL_SAFE_NO_PAD.decode(text("/publicKey/user/id")).unwrap_or_default();
        let data = AuthenticatorData {
            rp_id: text("/publicKey/rp/id"),
            flags: UP | UV | AT,
            counter: self.counter,
            rest: Vec::new(),
        };
        Attesting {
            client_data: self.client_data("webauthn.create", &text("/publicKey/challenge")),
            data,
            id: self.id.clone(),
            key: self.public_key(),
            statement: ("none", vec![0xa0]),
            extensions: Vec::new(),
        }
    }

    /// Answers the options of a login. The counter rises.
    pub fn get(&mut self, options: &Value) -> Asserting {
        let text = |pointer: &str| options.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        self.counter += u32::from(self.counter > 0);
        let data = AuthenticatorData {
            rp_id: text("/publicKey/rpId"),
            flags: UP | UV,
            counter: self.counter,
            rest: Vec::new(),
        };
        Asserting {
            client_data: self.client_data("webauthn.get", &text("/publicKey/challenge")),
            data,
            id: self.id.clone(),
            user: self.user.clone(),
        }
    }

    /// An answer as `toJSON()` gives it, with its signature.
    #[must_use]
    pub fn sign(&self, answer: &Asserting) -> Value {
        self.sign_bytes(answer, &answer.data.bytes(), answer.client_data.to_string().as_bytes())
    }

    /// As [`Authenticator::sign`], with other bytes as authenticator data and as client data.
    #[must_use]
    pub fn sign_bytes(&self, answer: &Asserting, data: &[u8], client_data: &[u8]) -> Value {
        let message = [data, digest(&SHA256, client_data).as_ref()].concat();
        json!({
            "id": encoded(&answer.id),
            "rawId": encoded(&answer.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encoded(client_data),
                "authenticatorData": encoded(data),
                "signature": encoded(&self.signature(&message)),
                "userHandle": encoded(&answer.user),
            },
        })
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        match &self.key {
            Key::Es256(pair) => pair.sign(&self.random, message).expect("a signature").as_ref().to_vec(),
            Key::EdDsa(pair) => pair.sign(message).as_ref().to_vec(),
            Key::Rs256(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &self.random, message, &mut signature).expect("a signature");
                signature
            }
        }
    }

    fn client_data(&self, kind: &str, challenge: &str) -> Value {
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
    }
}

impl AuthenticatorData {
    /// As it is signed.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let hash = digest(&SHA256, self.rp_id.as_bytes());
        [hash.as_ref(), &[self.flags], &self.counter.to_be_bytes(), &self.rest].concat()
    }
}

impl Attesting {
    /// The answer as `toJSON()` gives it.
    #[must_use]
    pub fn json(&self) -> Value {
        let length = u16::try_from(self.id.len()).unwrap_or(u16::MAX).to_be_bytes();
        let credential = [&[0; 16][..], &length, &self.id, &self.key, &self.extensions].concat();
        let data = AuthenticatorData { rest: credential, ..self.data.clone() }.bytes();
        let (format, statement) = &self.statement;
        let object =
            [&[0xa3][..], &text("fmt"), &text(format), &text("attStmt"), statement, &text("authData"), &bytes(&data)];
        self.json_of(&object.concat())
    }

    /// As [`Attesting::json`], with another attestation object.
    #[must_use]
    pub fn json_of(&self, object: &[u8]) -> Value {
        json!({
            "id": encoded(&self.id),
            "rawId": encoded(&self.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encoded(self.client_data.to_string().as_bytes()),
                "attestationObject": encoded(object),
                "transports": ["internal", "hybrid"],
            },
        })
    }
}

/// A key of P-256 with these coordinates (COSE).
#[must_use]
pub fn ec_key(x: &[u8], y: &[u8]) -> Vec<u8> {
    [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21], &*bytes(x), &[0x22], &*bytes(y)].concat()
}

/// An RSA key with this modulus and exponent (COSE).
#[must_use]
pub fn rsa_key(n: &[u8], e: &[u8]) -> Vec<u8> {
    [&[0xa4, 1, 3, 3, 0x39, 1, 0, 0x20], &*bytes(n), &[0x21], &*bytes(e)].concat()
}

/// A byte string (CBOR).
#[must_use]
pub fn bytes(content: &[u8]) -> Vec<u8> {
    [&*head(0x40, content.len()), content].concat()
}

/// A text string (CBOR).
#[must_use]
pub fn text(content: &str) -> Vec<u8> {
    [&*head(0x60, content.len()), content.as_bytes()].concat()
}

fn head(major: u8, length: usize) -> Vec<u8> {
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(length), _) if length < 24 => vec![major | length],
        (Ok(length), _) => vec![major | 0x18, length],
        (_, Ok(length)) => [&[major | 0x19][..], &length.to_be_bytes()].concat(),
        _ => [&[major | 0x1a][..], &u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()].concat(),
    }
}

/// Base64url without padding.
#[must_use]
pub fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
