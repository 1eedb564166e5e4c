//! phpass, the portable hash of older PHP applications: MD5, iterated.

use md5::{Digest, Md5};
use subtle::ConstantTimeEq;

use crate::password::stored::Unusable;

/// The alphabet of phpass's Base64.
const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The accepted exponents of the number of rounds. The lowest is phpass's own minimum; the highest gives 16 times its
/// usual 2^13 rounds.
const ROUNDS: std::ops::RangeInclusive<usize> = 7..=17;
/// Characters of the hash after `$P$` or `$H$`: exponent, salt and MD5.
const LENGTH: usize = 1 + 8 + 22;

/// A phpass hash: `$P$` or `$H$`, an exponent, eight characters of salt, and the MD5 in Base64.
pub(super) struct Phpass {
    rounds: u32,
    salt: [u8; 8],
    hash: [u8; 22],
}

impl Phpass {
    pub(super) fn parse(text: &str) -> Result<Self, Unusable> {
        let rest = text.get(3..).filter(|rest| rest.len() == LENGTH).ok_or(Unusable::Broken)?;
        if !rest.bytes().all(|byte| ALPHABET.contains(&byte)) {
            return Err(Unusable::Broken);
        }
        let (start, hash) = rest.as_bytes().split_at(9);
        let (exponent, salt) = start.split_first().ok_or(Unusable::Broken)?;
        let exponent = ALPHABET.iter().position(|letter| letter == exponent).ok_or(Unusable::Broken)?;
        if exponent > *ROUNDS.end() {
            return Err(Unusable::TooExpensive);
        }
        if exponent < *ROUNDS.start() {
            return Err(Unusable::Broken);
        }
        let broken = |_| Unusable::Broken;
        Ok(Self {
            rounds: 1 << exponent,
            salt: salt.try_into().map_err(broken)?,
            hash: hash.try_into().map_err(broken)?,
        })
    }

    pub(super) fn matches(&self, password: &[u8]) -> bool {
        let mut hash = Md5::new().chain_update(self.salt).chain_update(password).finalize();
        for _ in 0..self.rounds {
            hash = Md5::new().chain_update(hash).chain_update(password).finalize();
        }
        encode(&hash).as_slice().ct_eq(&self.hash).into()
    }
}

/// The Base64 of phpass. Three bytes are a number in little-endian order, and its lowest six bits are written first.
fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(22);
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
        let letters = (0..=chunk.len()).filter_map(|place| ALPHABET.get(number >> (6 * place) & 63));
        text.extend(letters);
    }
    text
}
