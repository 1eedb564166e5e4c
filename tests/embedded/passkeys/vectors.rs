//! Three examples that WebAuthn, Level 3, publishes in section 16, of credentials for `https://example.org`.
//!
//! Their challenges have 32 bytes and the service's have 16, so the service itself cannot accept their signatures. `ring`
//! verifies them with the keys that the service has stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journeys::Embedded;
use journeys::authenticator::{Algorithm, UV, bytes, encoded, text};
use journeys::sentences::{INVALID_PASSKEY, PASSKEY_CREATED, PASSKEY_REFUSED, assert_says};
use ring::digest::{SHA256, digest};
use ring::error::Unspecified;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Value, json};

use journeys::rows;

/// The offset of the flags in authenticator data: after the hash of the relying party's id.
const FLAGS: usize = 32;
/// The offset of the credential's id: after the flags, the counter, the authenticator's id and the length.
const ID: std::ops::Range<usize> = 55..87;

/// The examples. Each has the authenticator data of the registration (`created`), the client data, the authenticator data
/// and the signature of the login, in hexadecimal digits.
const EXAMPLES: &str = include_str!("vectors.json");

/// The bytes of a member of an example.
fn example(name: &str, member: &str) -> Vec<u8> {
    let digits = serde_json::from_str::<Value>(EXAMPLES).unwrap()[name][member].as_str().unwrap().to_owned();
    let pairs = digits.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// An attestation object without an attestation.
fn object(data: &[u8]) -> Vec<u8> {
    [&[0xa3][..], &text("fmt"), &text("none"), &text("attStmt"), &[0xa0], &text("authData"), &bytes(data)].concat()
}

/// Registers the credential of an example, checks that its published answer is refused, and returns the stored key.
async fn stored_key(name: &str) -> Vec<u8> {
    let (stack, mut ana) = Embedded::signed_in(&[("FRONT_END_URL", "https://example.org")]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let mut data = example(name, "created");
    authenticator.id = data[ID].to_vec();
    if data[FLAGS] & UV == 0 {
        let answer = authenticator.create(&ana.passkey_options().await).json_of(&object(&data));
        assert_says(&ana.register_passkey(&answer).await, PASSKEY_REFUSED, "as published");
        data[FLAGS] |= UV;
    }
    let answer = authenticator.create(&ana.passkey_options().await).json_of(&object(&data));
    assert_says(&ana.register_passkey(&answer).await, PASSKEY_CREATED, "of a verified user");

    let answer = authenticator.get(&ana.passkey_login_options().await);
    let mut answer = authenticator.sign(&answer);
    for (member, of) in [("clientDataJSON", "client_data"), ("authenticatorData", "data"), ("signature", "signature")] {
        answer["response"][member] = json!(encoded(&example(name, of)));
    }
    assert_says(&ana.answer_passkey(&answer).await, INVALID_PASSKEY, "another challenge");
    let items = stack.items("accounts").await;
    let row = items.iter().find(|item| rows::text(item, "sk").starts_with("passkey#")).unwrap();
    URL_SAFE_NO_PAD.decode(rows::text(row, "public_key")).unwrap()
}

/// Checks that the published signature is valid, and that it is not valid for other data.
fn assert_signed(name: &str, verify: impl Fn(&[u8], &[u8]) -> Result<(), Unspecified>) {
    let signature = example(name, "signature");
    let mut message = example(name, "data");
    message.extend(digest(&SHA256, &example(name, "client_data")).as_ref());
    assert_eq!(verify(&message, &signature), Ok(()));
    message[FLAGS] ^= UV;
    assert_eq!(verify(&message, &signature), Err(Unspecified));
}

#[tokio::test]
async fn the_stored_key_of_the_published_es256_credential_verifies_its_published_signature() {
    let stored = stored_key("es256").await;
    let created = example("es256", "created");
    let y = created.last_chunk::<32>().unwrap();
    // The service stores one coordinate of the point and the lowest bit of the other.
    assert_eq!(stored[..1], [1]);
    assert_eq!(stored[33], y[31] & 1);
    let point = [&[4], &stored[1..33], y].concat();
    assert_signed("es256", |message, signature| {
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &point).verify(message, signature)
    });
}

#[tokio::test]
async fn the_stored_key_of_the_published_rs256_credential_verifies_its_published_signature() {
    let stored = stored_key("rs256").await;
    assert_eq!(stored[..1], [3]);
    let length = usize::from(u16::from_le_bytes([stored[1], stored[2]]));
    let (n, rest) = stored[3..].split_at(length);
    let e = u32::from_le_bytes(*rest.first_chunk().unwrap()).to_be_bytes();
    assert_signed("rs256", |message, signature| {
        RsaPublicKeyComponents { n, e: &e[1..] }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
    });
}

#[tokio::test]
async fn the_stored_key_of_the_published_ed25519_credential_verifies_its_published_signature() {
    let stored = stored_key("eddsa").await;
    assert_eq!(stored[..1], [0]);
    assert_signed("eddsa", |message, signature| {
        UnparsedPublicKey::new(&ED25519, &stored[1..33]).verify(message, signature)
    });
}
