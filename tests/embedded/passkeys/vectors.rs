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
use serde_json::json;

use journeys::rows;

/// The offset of the flags in authenticator data: after the hash of the relying party's id.
const FLAGS: usize = 32;
/// The offset of the credential's id: after the flags, the counter, the authenticator's id and the length.
const ID: std::ops::Range<usize> = 55..87;

/// An example, in hexadecimal digits.
struct Example {
    /// The authenticator data of the registration.
    created: &'static str,
    /// The client data of the login.
    client_data: &'static str,
    /// The authenticator data of the login.
    data: &'static str,
    signature: &'static str,
}

/// Section 16.2: ES256 without an attestation. The user was not verified.
const ES256: Example = Example {
    created: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a\
        1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b\
        2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290\
        af2e2664796b9220",
    client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a\
        5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d70\
        6c652e6f7267222c2263726f73734f726967696e223a66616c73657d",
    data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000",
    signature: "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf\
        11a1dd5d78c6e486013f937295ea13653e331e87",
};

/// Section 16.10: RS256. The published attestation is left out.
const RS256: Example = Example {
    created: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b55d00000000428f8878298b9862a36ad8c7527bfe\
        f20020992a18acc83f67533600c1138a4b4c4bd236de13629cf025ed17cb00b00b74dfa4010303390100205901b403ffffffffff\
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
        fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7ff\
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
        ffffffffffffffffffff800000000000000000000000000000000000000000000000000000000000000000000000000000000000\
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
        00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
        00000000000000000000000000012143010001",
    client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224b56395a39667150356978617970346e\
        596d7834794e6f33617562597a5333536d75757459423462784d55222c226f726967696e223a2268747470733a2f2f6578616d70\
        6c652e6f7267222c2263726f73734f726967696e223a66616c73657d",
    data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000",
    signature: "01063d52d7c39b4d432fc7063c5d93e582bdcb16889cd71f888d67d880ea730a428498d3bc8e1ee11f2b1ecbe6c292b118c55ffa\
        addefa8cad0a54dd137c51f1eec673f1bb6c4d1789d6826a222b22d0f585fc901fdc933212e579d199b89d672aa44891333e6a13\
        55536025e82b25590256c3538229b55737083b2f6b9377e49e2472f11952f79fdd0da180b5ffd901b4049a8f081bb40711bef76c\
        62aed943571f2d0575304cb549d68d8892f95086a30f93716aee818f8dc06e96c0d5e0ed4cfa9fd8773d90464b68cf140f798666\
        6ff9c9e3302acd0535d60d769f465e2ab57ef8aabc89fccfef7ba32a64154a8b3d26be2298f470b8cc5377dbe3dfd4b0b45f8f01\
        e63bde6cfc76b62771f9b70aa27cf40152cad93aa5acd784fd4b90f676e2ea828d0bf2400aebbaae4153e5838f537f88b6228346\
        782a93a899be66ec77de45b3efcf311da6321c92e6b0cd11bfe653bf3e98cee8e341f02d67dbb6f9c98d9e8178090cfb5b70fbc6\
        d541599ac794ae2f1d4de1286ec8de8c2daf7b1d15c8438e90d924df5c19045220a4c8438c1b979bbe016cf3d0eeec23c3999d48\
        82cc645b776de930756612cdc6dd398160ff02a6",
};

/// Section 16.11: Ed25519. The user was not verified. The published attestation is left out.
const EDDSA: Example = Example {
    created: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b54100000000d5aa33581e8ca478e20fe713f5d32f\
        f20020ce9f840ed96599580cd140fbc7bb3230633f50f61041aff73308ae71caa8a2bda401010327200621582044e06ddd331c36\
        a8dc667bab52bcae63486c916aa5e339e6acebaa84934bf832",
    client_data: "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a2269566c583442786a4f6d6d44534b4c59\
        6f7870557439736e364d48454f7943413135726947514a6e763949222c226f726967696e223a2268747470733a2f2f6578616d70\
        6c652e6f7267222c2263726f73734f726967696e223a66616c73657d",
    data: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50100000000",
    signature: "f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b011f0d6fecb097d6607525\
        713223a0dc0d453993dae00b",
};

fn of_hex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// An attestation object without an attestation.
fn object(data: &[u8]) -> Vec<u8> {
    [&[0xa3][..], &text("fmt"), &text("none"), &text("attStmt"), &[0xa0], &text("authData"), &bytes(data)].concat()
}

/// Registers the credential of an example, checks that its published answer is refused, and returns the stored key.
async fn stored_key(example: &Example) -> Vec<u8> {
    let stack = Embedded::start(&[("FRONT_END_URL", "https://example.org")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let mut data = of_hex(example.created);
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
    let published = [
        ("clientDataJSON", example.client_data),
        ("authenticatorData", example.data),
        ("signature", example.signature),
    ];
    for (member, digits) in published {
        answer["response"][member] = json!(encoded(&of_hex(digits)));
    }
    assert_says(&ana.answer_passkey(&answer).await, INVALID_PASSKEY, "another challenge");
    let items = stack.items("accounts").await;
    let row = items.iter().find(|item| rows::text(item, "sk").starts_with("passkey#")).unwrap();
    URL_SAFE_NO_PAD.decode(rows::text(row, "public_key")).unwrap()
}

/// Checks that the published signature is valid, and that it is not valid for other data.
fn assert_signed(example: &Example, verify: impl Fn(&[u8], &[u8]) -> Result<(), Unspecified>) {
    let signature = of_hex(example.signature);
    let mut message = of_hex(example.data);
    message.extend(digest(&SHA256, &of_hex(example.client_data)).as_ref());
    assert_eq!(verify(&message, &signature), Ok(()));
    message[FLAGS] ^= UV;
    assert_eq!(verify(&message, &signature), Err(Unspecified));
}

#[tokio::test]
async fn the_stored_key_of_the_published_es256_credential_verifies_its_published_signature() {
    let stored = stored_key(&ES256).await;
    let created = of_hex(ES256.created);
    let y = created.last_chunk::<32>().unwrap();
    // The service stores one coordinate of the point and the lowest bit of the other.
    assert_eq!(stored[..1], [1]);
    assert_eq!(stored[33], y[31] & 1);
    let point = [&[4], &stored[1..33], y].concat();
    assert_signed(&ES256, |message, signature| {
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &point).verify(message, signature)
    });
}

#[tokio::test]
async fn the_stored_key_of_the_published_rs256_credential_verifies_its_published_signature() {
    let stored = stored_key(&RS256).await;
    assert_eq!(stored[..1], [3]);
    let length = usize::from(u16::from_le_bytes([stored[1], stored[2]]));
    let (n, rest) = stored[3..].split_at(length);
    let e = u32::from_le_bytes(*rest.first_chunk().unwrap()).to_be_bytes();
    assert_signed(&RS256, |message, signature| {
        RsaPublicKeyComponents { n, e: &e[1..] }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
    });
}

#[tokio::test]
async fn the_stored_key_of_the_published_ed25519_credential_verifies_its_published_signature() {
    let stored = stored_key(&EDDSA).await;
    assert_eq!(stored[..1], [0]);
    assert_signed(&EDDSA, |message, signature| {
        UnparsedPublicKey::new(&ED25519, &stored[1..33]).verify(message, signature)
    });
}
