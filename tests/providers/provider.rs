//! The identity provider of the tests: a server with a key set that counts the fetches and whose answers are configurable,
//! and key pairs for credentials that the local provider would not sign.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, Response, StatusCode};
use axum::response::IntoResponse;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use journeys::{Answer, Embedded, Visitor, paths, serve};
use ring::signature::RsaEncoding;
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

/// The answer of the key server.
#[derive(Clone)]
pub(crate) struct Script {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    delay: Duration,
}

impl Script {
    /// A key set with these keys, fresh for an hour.
    pub(crate) fn keys(keys: &[Value]) -> Self {
        Self::text(200, json!({"keys": keys}).to_string()).with("cache-control", "public, max-age=3600")
    }

    /// A key set with the key of one signer, fresh for an hour.
    pub(crate) fn of(signer: &Signer) -> Self {
        Self::keys(&[signer.jwk()])
    }

    /// A status and a body.
    pub(crate) fn text(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), delay: Duration::ZERO }
    }

    /// The same answer with a header, which replaces an earlier one of the same name.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The same answer with another status.
    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The same answer after a delay.
    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

struct ServerState {
    script: Script,
    fetches: usize,
}

/// A server with a key set on a free port.
pub(crate) struct KeyServer {
    /// Its address.
    pub(crate) url: String,
    state: Arc<Mutex<ServerState>>,
}

impl KeyServer {
    /// Starts a server with this answer.
    pub(crate) async fn start(script: Script) -> Self {
        let state = Arc::new(Mutex::new(ServerState { script, fetches: 0 }));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        Self { url: serve(router).await + "/certs", state }
    }

    /// Replaces the answer.
    pub(crate) fn answers(&self, script: Script) {
        self.state.lock().unwrap().script = script;
    }

    /// The fetches so far.
    pub(crate) fn fetches(&self) -> usize {
        self.state.lock().unwrap().fetches
    }
}

async fn answer(State(state): State<Arc<Mutex<ServerState>>>) -> Response<axum::body::Body> {
    let script = {
        let mut state = state.lock().unwrap();
        state.fetches += 1;
        state.script.clone()
    };
    tokio::time::sleep(script.delay).await;
    let mut response = (StatusCode::from_u16(script.status).unwrap(), script.body).into_response();
    for (name, value) in script.headers {
        response.headers_mut().insert(HeaderName::from_static(name), value.parse().unwrap());
    }
    response
}

/// A stack for one test, with its own key server.
pub(crate) struct Trusting {
    /// The stack.
    pub(crate) stack: Embedded,
    /// Its key server.
    pub(crate) keys: KeyServer,
}

impl Trusting {
    /// Starts a key server with this answer, and a stack that uses it.
    pub(crate) async fn start(script: Script) -> Self {
        let keys = KeyServer::start(script).await;
        let stack = Embedded::start(&[("GOOGLE_KEYS_URL", &keys.url)]).await;
        Self { stack, keys }
    }

    /// As [`Trusting::start`] with the provider's key, which a login has fetched.
    pub(crate) async fn with_cached_keys() -> Self {
        let trusting = Self::start(Script::of(Signer::provider())).await;
        assert_eq!(trusting.login(Signer::provider()).await.status, 200);
        trusting
    }

    /// A visitor with a new address.
    pub(crate) fn visitor(&self) -> Visitor {
        self.stack.service.visitor()
    }

    /// A login of a new visitor, with a credential signed by this key.
    pub(crate) async fn login(&self, signer: &Signer) -> Answer {
        let mut visitor = self.visitor();
        let credential = signer.credential(&visitor.email);
        present(&mut visitor, &credential).await
    }
}

/// Presents a credential.
pub(crate) async fn present(visitor: &mut Visitor, credential: &str) -> Answer {
    visitor.json(paths::GOOGLE_LOGIN, json!({"credential": credential}).to_string()).await
}

/// The lifetime of credentials: ten days, in seconds, which is longer than any test moves the clock.
const LIFETIME: u64 = 10 * 24 * 60 * 60;

/// How the `SubjectPublicKeyInfo` of an RSA key of 2,048 bits starts (RFC 3279, section 2.3.1). The key follows.
const PUBLIC_KEY_INFO: [u8; 24] = [
    0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    0x03, 0x82, 0x01, 0x0f, 0x00,
];

/// A key pair that signs any header and any claims.
pub(crate) struct Signer(stand_ins::Signer);

impl Deref for Signer {
    type Target = stand_ins::Signer;

    fn deref(&self) -> &stand_ins::Signer {
        &self.0
    }
}

impl Signer {
    /// The provider's key.
    pub(crate) fn provider() -> &'static Self {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        SIGNER.get_or_init(|| Self(stand_ins::Signer::first().unwrap()))
    }

    /// A key that the provider does not have yet.
    pub(crate) fn other() -> &'static Self {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        SIGNER.get_or_init(|| Self(stand_ins::Signer::second().unwrap()))
    }

    /// The public key as DER and as PEM, the two formats that a faulty verifier might accept as HMAC keys.
    pub(crate) fn public_texts(&self) -> [Vec<u8>; 2] {
        let der = [&PUBLIC_KEY_INFO[..], self.0.public_der()].concat();
        let text = STANDARD.encode(&der);
        let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"));
        [der, pem.into_bytes()]
    }

    /// A credential for an address, as the provider would issue it.
    pub(crate) fn credential(&self, email: &str) -> String {
        self.0.credential(&claims(email)).unwrap()
    }

    /// A credential with this header and these claims, always signed with RS256.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        self.0.sign(header.to_string(), claims.to_string()).unwrap()
    }

    /// A credential of this header and payload, signed by this algorithm.
    pub(crate) fn sign_text(&self, algorithm: &'static dyn RsaEncoding, header: &Value, payload: &str) -> String {
        self.0.sign_with(algorithm, header.to_string(), payload).unwrap()
    }
}

/// Header and payload as the first two parts of a credential.
pub(crate) fn unsigned(header: &Value, payload: &str) -> String {
    stand_ins::signing_input(header.to_string(), payload)
}

/// The claims of a valid credential for an address.
pub(crate) fn claims(email: &str) -> Value {
    let now = SystemClock.now().seconds();
    json!({
        "iss": "https://accounts.google.com",
        "aud": "local-client",
        "sub": format!("1{email}"),
        "email": email,
        "email_verified": true,
        "name": "Ana García",
        "iat": now,
        "exp": now + LIFETIME,
    })
}
