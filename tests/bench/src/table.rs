//! A stand-in for the table and the other services behind the functions: it answers what the scenario says, at once,
//! and counts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::{Listener, ListenerExt};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::Outcome;
use crate::tls::Authority;

/// How the header starts that names a call to the table; the operation follows.
const TARGET: &str = "DynamoDB_20120810.";
/// Path of the key set.
const KEYS_PATH: &str = "/keys";
/// Under which name the fetches of the key set are counted.
const KEYS: &str = "keys";
/// The call to the mail service.
const SEND_EMAIL: &str = "SendEmail";
/// Under which name `GET /` is counted.
const WARM_UP: &str = "warm-up";

/// What each call to a service is answered, by the operation's name.
pub type Answers = BTreeMap<&'static str, Value>;

/// How often a function has called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls, by operation; `warm-up` is a `GET /`, which opens a connection and asks for nothing.
    pub calls: BTreeMap<String, u64>,
    /// Connections that were opened.
    pub connections: u64,
}

/// The stand-in; it ends when dropped.
pub struct Table {
    url: String,
    keys_url: String,
    state: Arc<Counting>,
    servers: [JoinHandle<std::io::Result<()>>; 2],
}

struct Counting {
    answers: BTreeMap<String, Bytes>,
    count: Mutex<Count>,
}

impl Counting {
    fn with(&self, change: impl FnOnce(&mut Count)) {
        change(&mut self.count.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn answer(&self, operation: &str) -> Response {
        self.with(|count| *count.calls.entry(operation.to_owned()).or_default() += 1);
        let headers = [("content-type", "application/x-amz-json-1.0"), ("x-amzn-requestid", "BENCH")];
        match self.answers.get(operation) {
            Some(answer) => (headers, answer.clone()).into_response(),
            None => {
                (StatusCode::BAD_REQUEST, headers, r#"{"__type":"com.amazon.coral#NotInTheScenario"}"#).into_response()
            }
        }
    }
}

impl Table {
    /// Starts on a free port, behind TLS when there is an authority for it. The key set, whose provider is another and
    /// trusted otherwise, is always plain.
    ///
    /// # Errors
    /// No port can be had.
    pub async fn start(answers: &Answers, key_set: &Value, tls: Option<&Authority>) -> Outcome<Self> {
        let own = [
            (SEND_EMAIL, r#"{"MessageId":"1"}"#.to_owned()),
            (KEYS, key_set.to_string()),
            (WARM_UP, "healthy".to_owned()),
        ];
        let own = own.into_iter().map(|(name, answer)| (name.to_owned(), answer.into()));
        let given = answers.iter().map(|(name, answer)| ((*name).to_owned(), answer.to_string().into()));
        let state = Arc::new(Counting { answers: own.chain(given).collect(), count: Mutex::default() });
        let router = Router::new()
            .route("/", get(warm_up).post(call))
            .route(
                "/v2/email/outbound-emails",
                post(async |State(state): State<Arc<Counting>>| state.answer(SEND_EMAIL)),
            )
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&state));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let counted = Arc::clone(&state);
        let listener = listener.tap_io(move |io| {
            // Without it the kernel waits with a small answer, and every measurement with it.
            let _ = io.set_nodelay(true);
            counted.with(|count| count.connections += 1);
        });
        let (scheme, server) = match tls {
            None => ("http", tokio::spawn(async { axum::serve(listener, router).await })),
            Some(authority) => {
                let listener = TlsListener::new(listener, address, authority.acceptor());
                ("https", tokio::spawn(async { axum::serve(listener, router).await }))
            }
        };
        let provider = TcpListener::bind("127.0.0.1:0").await?;
        let keys_url = format!("http://{}{KEYS_PATH}", provider.local_addr()?);
        let router = Router::new().route(KEYS_PATH, get(keys)).with_state(Arc::clone(&state));
        let servers = [server, tokio::spawn(async { axum::serve(provider, router).await })];
        Ok(Self { url: format!("{scheme}://127.0.0.1:{}", address.port()), keys_url, state, servers })
    }

    /// Where it answers.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where the key set is.
    #[must_use]
    pub fn keys_url(&self) -> &str {
        &self.keys_url
    }

    /// What has been counted so far.
    #[must_use]
    pub fn count(&self) -> Count {
        self.state.count.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.servers.iter().for_each(JoinHandle::abort);
    }
}

async fn warm_up(State(state): State<Arc<Counting>>) -> Response {
    state.answer(WARM_UP)
}

async fn keys(State(state): State<Arc<Counting>>) -> Response {
    ([("cache-control", "public, max-age=86400")], state.answer(KEYS)).into_response()
}

/// The body is read to its end, as a service does, though what it says changes nothing.
async fn call(State(state): State<Arc<Counting>>, headers: HeaderMap, _: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    state.answer(target.strip_prefix(TARGET).unwrap_or(target))
}

/// Accepts connections behind TLS; a slow handshake keeps no other waiting.
struct TlsListener {
    address: SocketAddr,
    ready: mpsc::Receiver<TlsStream<TcpStream>>,
}

impl TlsListener {
    fn new<L: Listener<Io = TcpStream, Addr = SocketAddr>>(
        mut listener: L,
        address: SocketAddr,
        acceptor: TlsAcceptor,
    ) -> Self {
        let (done, ready) = mpsc::channel(16);
        tokio::spawn(async move {
            while !done.is_closed() {
                let (stream, _) = listener.accept().await;
                let (acceptor, done) = (acceptor.clone(), done.clone());
                tokio::spawn(async move {
                    // A client that does not trust us breaks off, and says so itself.
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = done.send(stream).await;
                    }
                });
            }
        });
        Self { address, ready }
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(stream) => (stream, self.address),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}
