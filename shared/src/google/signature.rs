//! RS256 with `ring`, which is already linked for TLS. The backends of `jsonwebtoken` would double a function's size.
//! The library checks nothing else: our own types check the claims against our own clock, which tests can set.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `jsonwebtoken` verify with `ring` in the whole process.
pub(super) fn verify_with_ring() {
    // An error means that it is already installed.
    let _ = RING.install_default();
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the library requires this signature")]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    match (algorithm, key.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { .. }) => Ok(Box::new(Rs256(key.clone()))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

struct Rs256(DecodingKey);

impl JwtVerifier for Rs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

impl Verifier<Vec<u8>> for Rs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let DecodingKeyKind::RsaModulusExponent { n, e } = self.0.kind() else { return Err(Error::new()) };
        let key = RsaPublicKeyComponents { n, e };
        key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).map_err(|_| Error::new())
    }
}
