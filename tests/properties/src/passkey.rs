//! Answers of authenticators to the options of a new passkey. No signature protects them, so every byte is the
//! client's. An input is the client data or the attestation object of an otherwise valid answer.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::account::Account;
use shared::passkey::{Attestation, RelyingParty, Started, new_user_handle};
use shared::store::NewPasskey;
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{Email, Setup};

/// The placeholder of the challenge in an input, because the challenge differs in each run.
pub const CHALLENGE: &str = "CHALLENGE-CHALLENGE-22";
pub(crate) const ORIGIN: &str = "https://app.example";
pub(crate) const HOST: &str = "app.example";
/// The flags of a user who is present and verified, and of a new credential.
const FLAGS: u8 = 0x45;
/// Bytes of the hash of the relying party.
const HASH: usize = 32;
/// A key of P-256 (COSE): the base point of the curve.
const KEY: [u8; 77] = [
    0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8,
    0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45,
    0xd8, 0x98, 0xc2, 0x96, 0x22, 0x58, 0x20, 0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a,
    0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51,
    0xf5,
];

/// In accepted client data, `serde_json` finds the type of a registration, the challenge and the origin, and no
/// embedding page. Client data that `serde_json` cannot read is not checked.
///
/// # Panics
/// Panics if the property does not hold.
pub fn client_data_holds(input: &[u8]) {
    let (party, started) = start();
    let challenge = challenge(&started);
    let text = replaced(input, CHALLENGE.as_bytes(), challenge.as_bytes());
    if verify(&party, &started, &text, &attestation_object()).is_none() {
        return;
    }
    assert_client_data(&text, "webauthn.create", &challenge);
}

/// Asserts what accepted client data must have.
pub(crate) fn assert_client_data(text: &[u8], kind: &str, challenge: &str) {
    let text = String::from_utf8_lossy(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)).into_owned();
    // In members that it ignores, the library accepts strings that strict parsers refuse: with control characters, or
    // with half of a surrogate pair. A text with such a string is not checked further.
    let Ok(read) = serde_json::from_str::<Value>(&text) else { return };
    assert_eq!(read["type"], kind, "{text}");
    assert_eq!(read["challenge"], challenge, "{text}");
    assert_eq!(read["origin"], ORIGIN, "{text}");
    assert!(read["crossOrigin"] != true && read["topOrigin"].is_null(), "{text}");
}

/// An attestation object is accepted only if it has the hash of the relying party, the flags of a verified user, and the
/// credential that is stored.
///
/// # Panics
/// Panics if the property does not hold.
pub fn attestation_holds(input: &[u8]) {
    let (party, started) = start();
    let client_data =
        json!({"type": "webauthn.create", "challenge": challenge(&started), "origin": ORIGIN}).to_string();
    let Some(new) = verify(&party, &started, client_data.as_bytes(), input) else { return };
    let hash = digest(&SHA256, HOST.as_bytes());
    let index = input.windows(HASH).position(|window| window == hash.as_ref()).unwrap();
    assert_eq!(input[index + HASH] & FLAGS, FLAGS);
    assert!((16..=1_023).contains(&new.credential.len()));
    assert!(input.windows(new.credential.len()).any(|window| window == new.credential));
}

/// Whether an answer with this client data and this attestation object is accepted.
#[must_use]
pub fn is_accepted(client_data: &[u8], object: &[u8]) -> bool {
    let (party, started) = start();
    let text = replaced(client_data, CHALLENGE.as_bytes(), challenge(&started).as_bytes());
    verify(&party, &started, &text, object).is_some()
}

/// A valid attestation object.
///
/// # Panics
/// Its data are longer than 255 bytes.
#[must_use]
pub fn attestation_object() -> Vec<u8> {
    let data =
        [digest(&SHA256, HOST.as_bytes()).as_ref(), &[FLAGS], &[0; 4], &[0; 16], &[0, 16], &[7; 16], &KEY].concat();
    let length = u8::try_from(data.len()).unwrap();
    [b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".as_slice(), &[length], &data].concat()
}

pub(crate) fn relying_party() -> RelyingParty {
    let settings = [("FRONT_END_URL", ORIGIN), ("PASSKEY_ORIGINS", "")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let setup = Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom));
    RelyingParty::new(&setup).unwrap()
}

fn start() -> (RelyingParty, Started) {
    let party = relying_party();
    let started = party.start_registration(&account(), &new_user_handle(&SystemRandom).unwrap(), &[], false).unwrap();
    (party, started)
}

pub(crate) fn account() -> Account {
    let email = Email::parse("ana@example.com").unwrap_or_else(|_| panic!("an address"));
    Account::new(1, email, "Ana".to_owned())
}

pub(crate) fn challenge(started: &Started) -> String {
    let options: Value = serde_json::from_str(started.options.get()).unwrap();
    options["challenge"].as_str().unwrap().to_owned()
}

fn verify(party: &RelyingParty, started: &Started, client_data: &[u8], object: &[u8]) -> Option<NewPasskey> {
    let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let response = json!({"clientDataJSON": encoded(client_data), "attestationObject": encoded(object)});
    let credential = to_raw_value(&json!({"type": "public-key", "response": response})).unwrap();
    let attestation = Attestation::read(&credential)?;
    party.verify_registration(&started.state, &attestation)
}

pub(crate) fn replaced(input: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut text = input.to_vec();
    while let Some(index) = text.windows(from.len()).position(|window| window == from) {
        text.splice(index..index + from.len(), to.iter().copied());
    }
    text
}
