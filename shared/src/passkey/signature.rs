//! The signatures of passkeys. `ring` verifies them, which TLS links anyway.

use p256::PublicKey;
use p256::elliptic_curve::sec1::ToEncodedPoint;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use webauthn_rp::response::register::{CompressedP256PubKey, CompressedPubKey};

/// A stored public key: Ed25519, P-256, P-384 or RSA. No key of P-384 is stored, because none is requested.
pub(super) type StoredKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// The first byte of a compressed point with an even `y` (SEC 1, 2.3.3). That of an odd one is the next.
const EVEN: u8 = 2;

/// Whether this signature of this message was made with the private key.
pub(super) fn is_valid(key: &StoredKey, message: &[u8], signature: &[u8]) -> bool {
    let verified = match key {
        CompressedPubKey::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key.inner()).verify(message, signature),
        CompressedPubKey::P256(key) => {
            let Some(point) = uncompressed(key) else { return false };
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature)
        }
        CompressedPubKey::P384(_) => return false,
        CompressedPubKey::Rsa(key) => {
            let e: Vec<u8> = key.e().to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
            RsaPublicKeyComponents { n: key.n(), e: &e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
        }
    };
    verified.is_ok()
}

/// Both coordinates of the point, because `ring` reads no compressed points; `None` if there is no such point.
fn uncompressed(key: &CompressedP256PubKey<[u8; 32]>) -> Option<impl AsRef<[u8]> + use<>> {
    let compressed = [&[EVEN + u8::from(key.y_is_odd())][..], key.x()].concat();
    Some(PublicKey::from_sec1_bytes(&compressed).ok()?.to_encoded_point(false))
}
