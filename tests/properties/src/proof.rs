//! Proofs of work. An input is the JSON that a client encodes in the token of a login.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use shared::captcha::Proof;

/// The names of the signed parameters, in the order in which ALTCHA signs them.
const NAMES: [&str; 7] = ["algorithm", "cost", "expiresAt", "keyLength", "keyPrefix", "nonce", "salt"];

fn parse(text: impl AsRef<[u8]>) -> Option<Proof> {
    Proof::parse(&STANDARD.encode(text))
}

/// Each accepted proof has one signed text: ALTCHA's canonical JSON of the seven parameters. Its values are those that
/// `serde_json::Value` reads from the same input. So the service uses the values whose signature it verifies.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Some(proof) = parse(input) else { return };
    let text = proof.signed_text().unwrap();
    let signed: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(signed.to_string(), text);
    assert!(signed.as_object().unwrap().keys().eq(NAMES), "{text}");
    // A member that the service does not read may have half of a surrogate pair.
    let Ok(read) = serde_json::from_slice::<Value>(input) else { return };
    if let Some(parameters) = read.pointer("/challenge/parameters").filter(|parameters| parameters.is_object()) {
        for name in NAMES {
            assert_eq!(parameters[name], signed[name], "{name}");
        }
    }
    let solution = json!({"counter": 0, "derivedKey": ""});
    let again = json!({"challenge": {"parameters": signed, "signature": ""}, "solution": solution});
    assert_eq!(parse(again.to_string()).unwrap().signed_text().unwrap(), text);
}
