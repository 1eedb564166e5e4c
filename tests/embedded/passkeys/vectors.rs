//! The example that WebAuthn, Level 3, publishes in section 16.2: a credential of ES256 without an attestation, for
//! `https://example.org`. Its signatures cannot be used: they are of challenges with 32 bytes, and the service's have 16.

use journeys::Embedded;
use journeys::authenticator::{Algorithm, UV};
use journeys::sentences::{INVALID_PASSKEY, PASSKEY_CREATED, PASSKEY_REFUSED, assert_says};
use serde_json::json;

const CREDENTIAL_ID: &str = "f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4";
const ATTESTATION_OBJECT: &str = "a363666d74646e6f6e656761747453746d74a068617574684461746158a4\
    bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5\
    59000000008446ccb9ab1db374750b2367ff6f3a1f0020\
    f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4\
    a5010203262001\
    215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61\
    225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220";
/// The place of the flags: behind the object's members and the hash of the relying party's id.
const FLAGS: usize = 30 + 32;
const CLIENT_DATA: &str = "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a22\
    4f63446e55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167\
    222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d";
const AUTHENTICATOR_DATA: &str = "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000";
const SIGNATURE: &str = "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd38\
    0221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87";

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[tokio::test]
async fn the_published_credential_is_accepted_once_its_user_is_verified_and_its_signature_is_not() {
    let stack = Embedded::start(&[("FRONT_END_URL", "https://example.org")]).await;
    let mut ana = stack.service.visitor().signed().await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let mut object = bytes(ATTESTATION_OBJECT);
    let mut register = async |object: &[u8]| {
        let options = ana.passkey_options().await;
        let mut answer = authenticator.create(&options);
        answer.id = bytes(CREDENTIAL_ID);
        ana.register_passkey(&answer.json_of(object)).await
    };
    assert_says(&register(&object).await, PASSKEY_REFUSED, "as published");
    object[FLAGS] |= UV;
    assert_says(&register(&object).await, PASSKEY_CREATED, "with a verified user");

    authenticator.id = bytes(CREDENTIAL_ID);
    let answer = authenticator.get(&ana.passkey_login_options().await);
    let mut answer = authenticator.sign(&answer);
    let published =
        [("clientDataJSON", CLIENT_DATA), ("authenticatorData", AUTHENTICATOR_DATA), ("signature", SIGNATURE)];
    for (member, hex) in published {
        answer["response"][member] = json!(journeys::authenticator::encoded(&bytes(hex)));
    }
    assert_says(&ana.answer_passkey(&answer).await, INVALID_PASSKEY, "the published signature");
}
