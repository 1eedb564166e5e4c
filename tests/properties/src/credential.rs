//! The identity provider's credentials. The first byte of an input is the type of the rest: a credential (`r`), a
//! payload to be signed (`p`), a header to be signed with valid claims (`h`), or changes to a valid credential (`m`).

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use shared::google::CredentialVerifier;
use shared::store::Identity;
use shared::system::clock::{Clock, Timestamp};
use shared::system::random::SystemRandom;
use shared::{Problem, Setup};
use stand_ins::Signer;
use tokio::runtime::Runtime;

/// The time on the clock in seconds since 1970.
const NOW: u64 = 1_800_000_000;
/// The tolerated difference between two clocks in seconds.
const LEEWAY: u64 = 60;
const CLIENT: &str = "client";
const ISSUERS: [&str; 2] = ["accounts.google.com", "https://accounts.google.com"];

/// A credential is accepted only if the provider has signed it with RS256 and with the key that the header names, and
/// if its claims are valid. No byte of a signed credential can be changed.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Some((kind, rest)) = input.split_first() else { return };
    match kind {
        b'r' => refused(&String::from_utf8_lossy(rest)),
        b'p' => judged(rest),
        b'h' => header_judged(rest),
        b'm' => changed(rest),
        _ => {}
    }
}

/// Any text that the provider has not signed is refused.
fn refused(text: &str) {
    assert!(accepted(text).is_none(), "{text}");
}

/// If a signed payload is accepted, its claims are valid, and the identity has their subject and address.
fn judged(payload: &[u8]) {
    let identity = accepted(&signer().sign(signer().header().to_string(), payload).unwrap());
    let claims = serde_json::from_slice::<Value>(payload).unwrap_or_default();
    if let Some(identity) = identity {
        assert!(are_valid(&claims), "{claims}");
        assert_eq!(claims["sub"], identity.sub);
        assert_eq!(claims["email"].as_str().unwrap().trim().to_ascii_lowercase(), identity.email.as_str());
    }
}

/// Claims of a provider are accepted exactly when the second implementation here finds them valid.
///
/// # Panics
/// Panics if the property does not hold.
pub fn claims_are_judged(claims: &Value) {
    let identity = accepted(&signer().credential(claims).unwrap());
    assert_eq!(identity.is_some(), are_valid(claims), "{claims}");
}

fn header_judged(header: &[u8]) {
    if accepted(&signer().sign(header, valid_claims().to_string()).unwrap()).is_none() {
        return;
    }
    let read: Value = serde_json::from_slice(header).unwrap();
    assert_eq!((&read["alg"], &read["kid"]), (&json!("RS256"), &json!("k")), "{read}");
    assert!(read["crit"].is_null(), "{read}");
}

/// Each change has three bytes: two for the position and one for the new value.
fn changed(changes: &[u8]) {
    let credential = signer().credential(&valid_claims()).unwrap();
    let mut bytes = credential.clone().into_bytes();
    for change in changes.chunks_exact(3) {
        let place = usize::from(u16::from_be_bytes([change[0], change[1]])) % (bytes.len() + 1);
        match bytes.get_mut(place) {
            Some(byte) => *byte = change[2],
            None => bytes.push(change[2]),
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(accepted(&text).is_some(), text == credential, "{text}");
}

/// Valid claims.
#[must_use]
pub fn valid_claims() -> Value {
    json!({
        "iss": ISSUERS[0], "aud": CLIENT, "sub": "110", "email": "ana@example.com", "email_verified": true,
        "name": "Ana", "iat": NOW, "exp": NOW + 3600,
    })
}

fn are_valid(claims: &Value) -> bool {
    let text = |name: &str| claims[name].as_str().unwrap_or_default();
    let time = |name: &str| claims[name].as_u64();
    let sub = text("sub");
    ISSUERS.contains(&text("iss"))
        && text("aud") == CLIENT
        && (1..=255).contains(&sub.len())
        && sub.bytes().all(|byte| byte.is_ascii_graphic())
        && shared::Email::parse(text("email")).is_ok()
        && claims["email_verified"] == true
        && time("exp").is_some_and(|exp| NOW < exp.saturating_add(LEEWAY))
        && time("iat").is_some_and(|iat| iat <= NOW + LEEWAY)
        && (claims["nbf"].is_null() || time("nbf").is_some_and(|nbf| nbf <= NOW + LEEWAY))
        && (claims["name"].is_null() || claims["name"].is_string())
}

fn accepted(credential: &str) -> Option<Identity> {
    static VERIFIER: OnceLock<(Runtime, CredentialVerifier)> = OnceLock::new();
    let (runtime, credentials) = VERIFIER.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let keys = publish();
        let settings = [("GOOGLE_CLIENT_IDS", CLIENT), ("GOOGLE_KEYS_URL", &keys)];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        (runtime, CredentialVerifier::new(&Setup::new(settings, Arc::new(Stopped), Arc::new(SystemRandom))))
    });
    match runtime.block_on(credentials.examine(credential)) {
        Ok(identity) => Some(identity),
        Err(Problem::InvalidCredential) => None,
        Err(problem) => panic!("{problem:?}"),
    }
}

/// A clock that stands still, so that the keys stay fresh and the result does not depend on the date.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        Timestamp::from_milliseconds(NOW * 1000)
    }
}

/// The key. The seeds refer to it by its key id.
fn signer() -> &'static Signer {
    static SIGNER: OnceLock<Signer> = OnceLock::new();
    SIGNER.get_or_init(|| Signer::first().unwrap().named("k"))
}

/// Serves the key set until the process ends, and returns its URL.
fn publish() -> String {
    let keys = signer().key_set().to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncache-control: max-age=86400\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{keys}",
        keys.len()
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            // One read takes the whole of a request without a body.
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/keys")
}
