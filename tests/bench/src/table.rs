//! A stand-in for the table and the other services behind the functions. It sends the scenario's answers without delay,
//! and counts the calls.

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
use rcgen::CertifiedKey;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::server::TlsStream;

use crate::Outcome;

/// The operation that returns several items.
const QUERY: &str = "Query";
/// The headers of every answer.
const HEADERS: [(&str, &str); 2] = [("content-type", "application/x-amz-json-1.0"), ("x-amzn-requestid", "BENCH")];
/// The path of the key set.
const KEYS_PATH: &str = "/keys";
/// The name under which fetches of the key set are counted.
const KEYS: &str = "keys";
/// The operation of the mail service.
const SEND_EMAIL: &str = "SendEmail";
/// The name under which `GET /` is counted.
const WARM_UP: &str = "warm-up";

/// The answers by the operation's name.
pub type Answers = BTreeMap<&'static str, Value>;

/// The number of calls by operation. `warm-up` is a `GET /`, which only opens a connection.
pub type Calls = BTreeMap<String, u64>;

/// The stand-in. It ends when dropped.
pub struct Table {
    url: String,
    keys_url: String,
    state: Arc<Counting>,
    servers: [JoinHandle<std::io::Result<()>>; 2],
}

struct Counting {
    answers: BTreeMap<String, Bytes>,
    calls: Mutex<Calls>,
}

impl Counting {
    /// The answer to a `Query` whose sort keys begin at this one.
    fn answer_from(&self, first: &str) -> Response {
        let mut answer = self.answers.get(QUERY).and_then(|answer| serde_json::from_slice(answer).ok());
        let items = answer.as_mut().and_then(|answer: &mut Value| answer.get_mut("Items")?.as_array_mut());
        let Some(items) = items else { return self.answer(QUERY) };
        items.retain(|item| item.pointer("/sk/S").and_then(Value::as_str).is_none_or(|key| key >= first));
        let counts = json!({"Items": items, "Count": items.len(), "ScannedCount": items.len()});
        self.count(QUERY);
        (HEADERS, counts.to_string()).into_response()
    }

    fn count(&self, operation: &str) {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner).entry(operation.to_owned()).or_default() += 1;
    }

    fn answer(&self, operation: &str) -> Response {
        self.count(operation);
        match self.answers.get(operation) {
            Some(answer) => (HEADERS, answer.clone()).into_response(),
            None => {
                (StatusCode::BAD_REQUEST, HEADERS, r#"{"__type":"com.amazon.coral#NotInTheScenario"}"#).into_response()
            }
        }
    }
}

impl Table {
    /// Starts the stand-in on free ports. It uses TLS if there is a certificate. The key set is always served over
    /// plain HTTP, because the functions trust other certificates for it.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(answers: &Answers, key_set: &Value, certificate: Option<&Certificate>) -> Outcome<Self> {
        let own = [
            (SEND_EMAIL, r#"{"MessageId":"1"}"#.to_owned()),
            (KEYS, key_set.to_string()),
            (WARM_UP, "healthy".to_owned()),
        ];
        let own = own.into_iter().map(|(name, answer)| (name.to_owned(), answer.into()));
        let given = answers.iter().map(|(name, answer)| ((*name).to_owned(), answer.to_string().into()));
        let state = Arc::new(Counting { answers: own.chain(given).collect(), calls: Mutex::default() });
        let router = Router::new()
            .route("/", get(async |State(state): State<Arc<Counting>>| state.answer(WARM_UP)).post(call))
            .route(
                "/v2/email/outbound-emails",
                post(async |State(state): State<Arc<Counting>>| state.answer(SEND_EMAIL)),
            )
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&state));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (scheme, server) = match certificate {
            None => {
                // Otherwise the kernel delays small answers, and the delay would be measured.
                let listener = listener.tap_io(|io| drop(io.set_nodelay(true)));
                ("http", tokio::spawn(async { axum::serve(listener, router).await }))
            }
            Some(Certificate { acceptor, .. }) => {
                let listener = TlsListener { listener, acceptor: acceptor.clone() };
                ("https", tokio::spawn(async { axum::serve(listener, router).await }))
            }
        };
        let provider = TcpListener::bind("127.0.0.1:0").await?;
        let keys_url = format!("http://{}{KEYS_PATH}", provider.local_addr()?);
        let router = Router::new().route(KEYS_PATH, get(keys)).with_state(Arc::clone(&state));
        let servers = [server, tokio::spawn(async { axum::serve(provider, router).await })];
        Ok(Self { url: format!("{scheme}://{address}"), keys_url, state, servers })
    }

    /// The URL of the services.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The URL of the key set.
    #[must_use]
    pub fn keys_url(&self) -> &str {
        &self.keys_url
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Calls {
        self.state.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.servers.iter().for_each(JoinHandle::abort);
    }
}

async fn keys(State(state): State<Arc<Counting>>) -> Response {
    ([("cache-control", "public, max-age=86400")], state.answer(KEYS)).into_response()
}

/// Answers a call. It reads the whole body like a real service. The answer depends only on the operation and, for a
/// `Query`, on the first sort key that it asks for.
async fn call(State(state): State<Arc<Counting>>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    let asked: Value = if operation == QUERY { serde_json::from_slice(&body).unwrap_or_default() } else { Value::Null };
    match asked.pointer("/ExpressionAttributeValues/:sk/S").and_then(Value::as_str) {
        Some(first) => state.answer_from(first),
        None => state.answer(operation),
    }
}

/// A self-signed certificate for 127.0.0.1.
pub struct Certificate {
    acceptor: TlsAcceptor,
    /// The certificate that clients must trust.
    pub pem: String,
}

impl Certificate {
    /// Generates a certificate.
    ///
    /// # Errors
    /// The certificate cannot be generated.
    pub fn new() -> Outcome<Self> {
        let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], PrivateKeyDer::try_from(signing_key.serialize_der())?)?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), pem: cert.pem() })
    }
}

/// Accepts TLS connections, one after the other.
struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.listener).await;
            let _ = stream.set_nodelay(true);
            // A client that does not trust the certificate closes the connection and reports it.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}
