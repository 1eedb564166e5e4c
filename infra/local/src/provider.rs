//! The identity provider: signs credentials as Google does, and publishes its key.
//!
//! `POST /_local/google/credential` takes a JSON object of claims. A claim in it replaces the default one, and `null`
//! removes it.

use std::sync::{Arc, OnceLock};

use aws_lc_rs::digest::{SHA256, digest};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Map, Value, json};
use shared::system::clock::{Clock, Timestamp};
use stand_ins::{Signer, Unspecified};

/// Path of the key set.
pub const KEYS_PATH: &str = "/_local/google/jwks";

/// The lifetime of a credential in seconds: an hour, like Google's.
const LIFETIME: u64 = 3600;

/// The key, generated at its first use and shared by all stacks of a process.
fn signer() -> Result<&'static Signer, Unspecified> {
    static SIGNER: OnceLock<Result<Signer, Unspecified>> = OnceLock::new();
    SIGNER.get_or_init(Signer::new).as_ref().map_err(|error| *error)
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
        Ok(signer) => ([("cache-control", "public, max-age=3600")], Json(signer.key_set())).into_response(),
        Err(Unspecified) => no_key(),
    }
}

async fn credential(State(provider): State<Arc<Provider>>, body: Bytes) -> Response {
    let given = match claims_in(&body) {
        Ok(given) => given,
        Err(reason) => return message(StatusCode::BAD_REQUEST, &reason),
    };
    let claims = claims(given, provider.clock.now(), &provider.audience);
    match signer().and_then(|signer| signer.credential(&claims)) {
        Ok(credential) => Json(json!({ "credential": credential })).into_response(),
        Err(Unspecified) => no_key(),
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
    let digest = digest(&SHA256, email.to_lowercase().as_bytes());
    let number = digest.as_ref().iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    format!("1{number:020}")
}

fn no_key() -> Response {
    message(StatusCode::INTERNAL_SERVER_ERROR, "the signing key cannot be made or used")
}

fn message(status: StatusCode, text: &str) -> Response {
    (status, Json(json!({ "message": text }))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::jwk::JwkSet;
    use jsonwebtoken::{Algorithm, DecodingKey, Validation};

    fn of(given: &Value) -> Value {
        let given = given.as_object().expect("claims are an object").clone();
        claims(given, Timestamp::from_milliseconds(1_700_000_000_999), "local-client")
    }

    #[test]
    fn a_credential_verifies_with_the_published_key() {
        let signer = signer().expect("there is a key");
        let credential = signer.credential(&of(&json!({}))).expect("it is signed");
        let keys: JwkSet = serde_json::from_value(signer.key_set()).expect("it is a key set");
        let header = jsonwebtoken::decode_header(&credential).expect("it has a header");
        let key = keys.find(&header.kid.expect("it names a key")).expect("the key is published");
        let mut validation = Validation::new(Algorithm::RS256);
        validation.validate_exp = false;
        validation.set_audience(&["local-client"]);
        let key = DecodingKey::from_jwk(key).expect("the key is usable");
        let token = jsonwebtoken::decode::<Value>(&credential, &key, &validation).expect("it verifies");
        assert_eq!(token.claims.get("exp"), Some(&json!(1_700_003_600)));
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
