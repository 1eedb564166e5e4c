//! The identity provider: signs credentials as Google does, and publishes its key.
//!
//! `POST /_local/google/credential` takes a JSON object of claims. A claim in it replaces the default one, and `null`
//! removes it.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use shared::system::clock::{Clock, Timestamp};
use stand_ins::Signer;

/// Path of the key set.
pub const KEYS_PATH: &str = "/_local/google/jwks";

/// The lifetime of a credential in seconds: an hour, like Google's.
const LIFETIME: u64 = 3600;

/// The key, which all stacks of a process share.
fn signer() -> Option<&'static Signer> {
    static SIGNER: OnceLock<Option<Signer>> = OnceLock::new();
    SIGNER.get_or_init(|| Signer::first().ok()).as_ref()
}

struct Provider {
    clock: Arc<dyn Clock>,
    audience: String,
}

/// The routes of the identity provider. By default, credentials are for the client `audience`.
pub(crate) fn router(clock: Arc<dyn Clock>, audience: String) -> Router {
    Router::new()
        .route(KEYS_PATH, get(keys))
        .route("/_local/google/credential", post(credential))
        .with_state(Arc::new(Provider { clock, audience }))
}

async fn keys() -> Response {
    match signer() {
        Some(signer) => ([("cache-control", "public, max-age=3600")], Json(signer.key_set())).into_response(),
        None => no_key(),
    }
}

async fn credential(State(provider): State<Arc<Provider>>, body: Bytes) -> Response {
    let given = match claims_in(&body) {
        Ok(given) => given,
        Err(reason) => return message(StatusCode::BAD_REQUEST, &reason),
    };
    let claims = claims(given, provider.clock.now(), &provider.audience);
    match signer().and_then(|signer| signer.credential(&claims).ok()) {
        Some(credential) => Json(json!({ "credential": credential })).into_response(),
        None => no_key(),
    }
}

fn claims_in(body: &[u8]) -> Result<Map<String, Value>, String> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(body).map_err(|error| format!("the body must be a JSON object of claims: {error}"))
}

fn claims(given: Map<String, Value>, now: Timestamp, audience: &str) -> Value {
    let email = given.get("email").and_then(Value::as_str).unwrap_or("ana@example.com");
    let defaults = json!({
        "iss": "https://accounts.google.com",
        "aud": audience,
        "sub": subject(email),
        "email": email,
        "email_verified": true,
        "name": "Ana García",
        "iat": now.seconds(),
        "exp": now.seconds().saturating_add(LIFETIME),
    });
    let Value::Object(mut claims) = defaults else { return Value::Object(given) };
    claims.extend(given);
    claims.retain(|_, value| !value.is_null());
    Value::Object(claims)
}

/// The subject identifier of an email address: 21 digits, like Google's, and always the same for an address.
fn subject(email: &str) -> String {
    let digest = Sha256::digest(email.to_lowercase());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    format!("1{number:020}")
}

fn no_key() -> Response {
    message(StatusCode::INTERNAL_SERVER_ERROR, "the signing key cannot be read or used")
}

fn message(status: StatusCode, text: &str) -> Response {
    (status, Json(json!({ "message": text }))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};

    fn of(given: &Value) -> Value {
        let given = given.as_object().expect("claims are an object").clone();
        claims(given, Timestamp::from_milliseconds(1_700_000_000_999), "local-client")
    }

    #[test]
    fn a_credential_verifies_with_the_published_key() {
        let signer = signer().expect("there is a key");
        let credential = signer.credential(&of(&json!({}))).expect("it is signed");
        let (input, signature) = credential.rsplit_once('.').expect("a credential has three parts");
        let part = |part: &str| URL_SAFE_NO_PAD.decode(part).expect("a part is Base64");
        let set = signer.key_set();
        let member = |name| part(set.pointer(&format!("/keys/0/{name}")).and_then(Value::as_str).expect(name));
        let key = RsaPublicKeyComponents { n: member("n"), e: member("e") };
        key.verify(&RSA_PKCS1_2048_8192_SHA256, input.as_bytes(), &part(signature)).expect("it verifies");
        let header: Value = serde_json::from_slice(&part(input.split('.').next().expect("a header"))).expect("JSON");
        assert_eq!(header.get("kid").and_then(Value::as_str), Some(signer.kid()));
    }

    #[test]
    fn a_claim_replaces_the_default_and_null_removes_it() {
        let claims = of(&json!({ "email": "B@example.com", "name": null, "hd": "example.com" }));
        assert_eq!(claims.get("email"), Some(&json!("B@example.com")));
        assert_eq!(claims.get("sub"), of(&json!({ "email": "b@example.com" })).get("sub"));
        assert_ne!(claims.get("sub"), of(&json!({})).get("sub"));
        assert_eq!(claims.get("name"), None);
        assert_eq!(claims.get("hd"), Some(&json!("example.com")));
    }

    #[test]
    fn a_subject_is_twenty_one_digits() {
        let subject = subject("ana@example.com");
        assert_eq!(subject.len(), 21);
        assert!(subject.bytes().all(|byte| byte.is_ascii_digit()));
    }

    #[test]
    fn claims_must_be_an_object() {
        assert!(claims_in(b"").is_ok());
        assert!(claims_in(b"{}").is_ok());
        for body in [&b"[]"[..], b"null", b"{", b"\xff"] {
            assert!(claims_in(body).is_err());
        }
    }
}
