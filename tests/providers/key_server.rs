//! A server with a key set for the tests. It counts the fetches, and its answers are configurable.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, Response, StatusCode};
use axum::response::IntoResponse;
use journeys::{Answer, Embedded, Visitor, paths, serve};
use serde_json::{Value, json};

use crate::signer::Signer;

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
