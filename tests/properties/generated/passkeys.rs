//! Answers of authenticators. Those to the options of a login that differ a little from a valid one, of all kinds of keys, the
//! service has to judge as `webauthn_rp` does, which verifies signatures with other crates.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use properties::assertion::Login;
use properties::passkey::{self, CHALLENGE};
use properties::{assertion, seeds};
use proptest::prelude::*;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::store::Backup;
use stand_ins::authenticator::{ALGORITHMS, AT, Algorithm, BE, BS, ED, UP, UV, encoded};

fn seed(target: &str, name: &str) -> Vec<u8> {
    seeds::named(target, name)
}

proptest! {
    #[test]
    fn any_bytes_are_refused_as_an_attestation_object(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!passkey::is_accepted(&seed("client_data", "valid"), &bytes));
    }
}

#[test]
fn a_valid_answer_is_accepted() {
    let client_data = seed("client_data", "valid");
    assert!(passkey::is_accepted(&client_data, &passkey::attestation_object()));
    assert!(!passkey::is_accepted(b"{}", &passkey::attestation_object()));
    assert!(str::from_utf8(&client_data).unwrap().contains(CHALLENGE));
}

#[test]
fn a_valid_answer_to_a_login_is_accepted() {
    for sound in ["valid-client-data", "valid-json", "valid-json-extra", "valid-data"] {
        assert!(assertion::is_accepted(&seed("assertion", sound)), "{sound}");
    }
    for odd in ["almost-counter", "almost-json-no-user", "hostile-credential", "almost-registration"] {
        assert!(!assertion::is_accepted(&seed("assertion", odd)), "{odd}");
    }
}

/// A change of a login before the authenticator signs, or of what is stored. The number chooses among similar ones.
type Before = fn(&mut Login, usize);
/// A change of a signature.
type After = fn(&mut Vec<u8>, usize);

const BEFORE: &[Before] = &[
    |login, number| login.sound.data.flags = byte(number),
    |login, number| login.sound.data.flags ^= one(&[UP, UV, BE, BS, BE | BS, AT, ED, 2, 0x20], number),
    |login, number| login.sound.data.counter = one(&[0, 1, 2, 3, u32::MAX], number),
    |login, number| login.passkey.counter = one(&[0, 1, 2, 3, u32::MAX], number),
    |login, number| login.passkey.backup = one(&[Backup::NotEligible, Backup::Eligible, Backup::Exists], number),
    |login, number| login.sound.data.rest = one(&[&b"\xa0"[..], b"\0", b"\xa1\x01\x02"], number).to_vec(),
    // The outputs of the extension hmac-secret, of a passkey that may have a secret and of one that has none.
    |login, number| {
        let (length, more) = one(&[(48, 0), (80, 0), (32, 0), (48, 1)], number);
        let output = vec![7; usize::from(length) + more];
        login.sound.data.rest = [b"\xa1\x6bhmac-secret\x58", &[length][..], &output].concat();
        login.sound.data.flags |= ED;
        login.passkey.public_key.pop();
        login.passkey.public_key.extend(one(&[&[0][..], &[1, 0], &[1, 1], &[1, 2]], number / 4));
    },
    |login, number| login.sound.data.rp_id = one(&["", "example", "www.app.example", "APP.example"], number).to_owned(),
    |login, number| flip(&mut login.sound.id, number, 1),
    |login, number| login.passkey.credential = vec![7; one(&[0, 15, 16, 32, 1023, 1024], number)],
    |login, number| login.sound.user.truncate(number % 17),
    |login, number| login.account.passkey_user = one(&[None, Some(String::new()), Some(encoded(&[7; 16]))], number),
    |login, number| login.sound.client_data["type"] = one(&["webauthn.create", "webauthn.get ", ""], number).into(),
    |login, number| {
        let challenge = login.sound.client_data["challenge"].as_str().unwrap_or("AAAA").to_owned();
        let odd =
            [format!("{challenge}="), format!("{challenge}A"), challenge.replace('A', "B"), challenge[1..].to_owned()];
        login.sound.client_data["challenge"] = one(&odd, number).into();
    },
    |login, number| {
        let odd = ["https://app.example/", "https://app.example:443", "HTTPS://app.example", "http://app.example", ""];
        login.sound.client_data["origin"] = one(&odd, number).into();
    },
    |login, number| {
        let odd = [json!(true), json!(false), json!(null), json!("false"), json!(0)];
        login.sound.client_data["crossOrigin"] = one(&odd, number);
    },
    |login, number| {
        let odd = [json!("https://app.example"), json!("https://evil.example"), json!(""), json!(null), json!(1)];
        login.sound.client_data["topOrigin"] = one(&odd, number);
    },
    |login, number| {
        let name = one(&["type", "challenge", "origin", "crossOrigin"], number);
        login.sound.client_data.as_object_mut().unwrap().remove(name);
    },
    |login, _| login.sound.client_data["more"] = json!({"type": "webauthn.create"}),
    // Damaged rows: the kind of a key, the ends of its parts, any other byte, and its length.
    |login, number| login.passkey.public_key[0] = one(&[0, 1, 2, 3, 4], number),
    |login, number| flip(&mut login.passkey.public_key, one(&[1, 3, 32, 33, 34, 258, 259, 262, 263], number), 1),
    |login, number| flip(&mut login.passkey.public_key, number, one(&[1, 2, 0x80, 0xff], number / 300)),
    |login, number| login.passkey.public_key.truncate(1 + number % 80),
    // A challenge is stored with its own bytes, two settings, and its end, whose seconds are at 18.
    |login, number| flip(&mut login.started.state, one(&[0, 15, 18, 19, 22, 26], number), byte(number / 6)),
    |login, number| login.started.state.truncate(number % 30),
    |login, _| login.started.state.push(0),
];

const AFTER: &[After] = &[
    |signature, number| flip(signature, number, one(&[1, 2, 4, 0x80], number / 300)),
    |signature, number| signature.truncate(number % signature.len()),
    |signature, number| signature.insert(number % signature.len(), one(&[0, 1, 0xff], number / 300)),
    |signature, number| {
        signature.remove(number % signature.len());
    },
    |signature, number| signature.insert(one(&[0, signature.len()], number), 0),
    |signature, number| *signature = vec![one(&[0, 1, 0x30, 0xff], number); one(&[0, 1, 64, 70, 256], number / 4)],
    // A signature of Ed25519 ends with a number. Here it is one more round of the group.
    |signature, _| {
        let sum =
            digits(&signature[32.min(signature.len())..]).zip(digits(&ED25519_ORDER)).scan(0, |carry, (one, other)| {
                *carry += one + other;
                let digit = byte((*carry).into());
                *carry >>= 8;
                Some(digit)
            });
        let sum: Vec<u8> = sum.take(32).collect();
        signature.truncate(32);
        signature.extend(sum);
    },
    // A signature of P-256 is a sequence of two integers (DER). These are others, and other encodings.
    |signature, number| {
        let Some([r, s]) = integers(signature) else { return };
        let (negative, long) =
            (|bytes: &[u8]| [&[bytes[0] ^ 0x80], &bytes[1..]].concat(), |bytes: &[u8]| [&[0], bytes].concat());
        let (r, s) = match number % 12 {
            0 => (r, minus(&s)),
            1 => (minus(&r), s),
            2 => (long(&r), s),
            3 => (r, long(&s)),
            4 => (negative(&r), s),
            5 => (r, negative(&s)),
            6 => (vec![0], s),
            7 => (r, vec![0]),
            8 => (r, long(&P256_ORDER)),
            9 => (Vec::new(), s),
            10 => (r, Vec::new()),
            _ => (s, r),
        };
        *signature = tagged(0x30, &[tagged(2, &r), tagged(2, &s)].concat());
    },
    |signature, number| {
        let Some([r, s]) = integers(signature) else { return };
        let both = [tagged(2, &r), tagged(2, &s)].concat();
        let length = byte(both.len());
        *signature = match number % 5 {
            0 => [&[0x30, 0x81, length][..], &both].concat(),
            1 => [&[0x30, 0x82, 0, length][..], &both].concat(),
            2 => [&[0x30, 0x80][..], &both, &[0, 0]].concat(),
            3 => tagged(0x31, &both),
            _ => tagged(0x30, &[both, tagged(2, &[1])].concat()),
        };
    },
];

/// The number of elements of the group of P-256, in big-endian order.
const P256_ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7,
    0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];
/// The number of elements of the group of Ed25519, in little-endian order.
const ED25519_ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];
/// The `y` of points of Ed25519 whose order is 1, 2, 4 or 8, in hexadecimal digits, also as numbers that are too large. Each
/// point has one of two signs.
const SMALL: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// One of these, chosen by a number.
fn one<T: Clone>(all: &[T], number: usize) -> T {
    all[number % all.len()].clone()
}

fn byte(number: usize) -> u8 {
    u8::try_from(number % 256).unwrap()
}

/// Flips bits of the byte at this place, or at the remainder of its division by the length.
fn flip(bytes: &mut [u8], place: usize, bits: u8) {
    let length = bytes.len();
    if length > 0 {
        bytes[place % length] ^= bits;
    }
}

fn digits(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.iter().map(|byte| u16::from(*byte))
}

/// An item of DER with at most 127 bytes.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, byte(content.len())], content].concat()
}

/// The two integers of a signature of P-256; `None` if it is of another kind.
fn integers(signature: &[u8]) -> Option<[Vec<u8>; 2]> {
    let read = |at: usize| {
        let length = usize::from(*signature.get(at + 1)?);
        signature.get(at + 2..at + 2 + length).map(<[u8]>::to_vec)
    };
    let r = read(2)
        .filter(|_| matches!(signature, [0x30, length, 2, ..] if usize::from(*length) == signature.len() - 2))?;
    let s = read(4 + r.len())?;
    Some([r, s])
}

/// The order of P-256 less this integer, as the content of an integer of DER.
fn minus(integer: &[u8]) -> Vec<u8> {
    let (mut left, mut borrowed) = (P256_ORDER, false);
    for (digit, less) in left.iter_mut().rev().zip(integer.iter().rev().copied().chain([0; 32])) {
        let (once, first) = digit.overflowing_sub(less);
        let (twice, second) = once.overflowing_sub(borrowed.into());
        (*digit, borrowed) = (twice, first || second);
    }
    let left: Vec<u8> = left.into_iter().skip_while(|digit| *digit == 0).collect();
    if left.first().is_none_or(|first| *first > 0x7f) { [vec![0], left].concat() } else { left }
}

/// Whether the answer is accepted after these changes.
fn is_accepted(login: &mut Login, before: &[(usize, usize)], after: Option<(usize, usize)>) -> bool {
    for (change, number) in before {
        one(BEFORE, *change)(login, *number);
    }
    let mut answer = login.authenticator.sign(&login.sound);
    if let Some((change, number)) = after {
        let place = &mut answer["response"]["signature"];
        let mut signature = URL_SAFE_NO_PAD.decode(place.as_str().unwrap()).unwrap();
        one(AFTER, change)(&mut signature, number);
        *place = encoded(&signature).into();
    }
    let credential = to_raw_value(&answer).unwrap();
    let verdict = login.verdict(&credential);
    assert_eq!(verdict, login.verdict_of_library(&credential), "{answer}");
    verdict.is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn an_answer_that_differs_a_little_from_a_valid_one_is_judged_as_by_the_library(
        algorithm in prop::sample::select(ALGORITHMS.to_vec()),
        before in prop::collection::vec(any::<(usize, usize)>(), 0..3),
        after in prop::option::of(any::<(usize, usize)>()),
    ) {
        let is_accepted = is_accepted(&mut Login::start(algorithm), &before, after);
        prop_assert!(is_accepted || !before.is_empty() || after.is_some());
    }
}

#[test]
fn each_change_alone_is_judged_as_by_the_library() {
    for algorithm in ALGORITHMS {
        let numbers = 0..NUMBERS;
        for (change, number) in (0..BEFORE.len()).flat_map(|change| numbers.clone().map(move |number| (change, number)))
        {
            is_accepted(&mut Login::start(algorithm), &[(change, number)], None);
        }
        for (change, number) in (0..AFTER.len()).flat_map(|change| numbers.clone().map(move |number| (change, number)))
        {
            is_accepted(&mut Login::start(algorithm), &[], Some((change, number)));
        }
    }
}

#[test]
fn keys_and_signatures_of_small_order_are_judged_as_by_the_library() {
    let points = SMALL.into_iter().flat_map(|digits| {
        let bytes: Vec<u8> =
            (0..32).map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap()).collect();
        [0, 0x80].map(|sign| [&bytes[..31], &[bytes[31] | sign]].concat())
    });
    let (points, mut login) = (points.collect::<Vec<_>>(), Login::start(Algorithm::EdDsa));
    let mut answer = login.authenticator.sign(&login.sound);
    for (key, r) in points.iter().flat_map(|key| points.iter().map(move |r| (key, r))) {
        login.passkey.public_key[1..33].copy_from_slice(key);
        answer["response"]["signature"] = encoded(&[&r[..], &[0; 32]].concat()).into();
        let credential = to_raw_value(&answer).unwrap();
        assert_eq!(login.verdict(&credential), login.verdict_of_library(&credential), "{key:?} {r:?}");
    }
}

const CASES: u32 = 256;
/// The numbers with which each change is tried alone.
const NUMBERS: usize = 12;
