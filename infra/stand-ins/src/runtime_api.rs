//! Lambda's Runtime API for one function, and the environment in which Lambda starts a function.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// The memory in megabytes that the environment of every function names. It is not enforced.
const MEMORY: &str = "1769";

/// A Runtime API. It ends when it is dropped.
pub struct RuntimeApi {
    address: String,
    events: mpsc::UnboundedSender<Bytes>,
    asked: mpsc::UnboundedReceiver<()>,
    answers: mpsc::UnboundedReceiver<Outcome>,
    server: JoinHandle<io::Result<()>>,
}

/// The answer of a function, or the error that it reported because a call or its start failed.
pub type Outcome = Result<Bytes, Bytes>;

struct Channels {
    events: Mutex<mpsc::UnboundedReceiver<Bytes>>,
    asked: mpsc::UnboundedSender<()>,
    answers: mpsc::UnboundedSender<Outcome>,
    requests: AtomicU64,
}

impl RuntimeApi {
    /// Starts a server on a free port.
    ///
    /// # Errors
    /// There is no free port.
    pub async fn start() -> io::Result<Self> {
        let (events, to_function) = mpsc::unbounded_channel();
        let (asking, asked) = mpsc::unbounded_channel();
        let (answering, answers) = mpsc::unbounded_channel();
        let channels =
            Channels { events: to_function.into(), asked: asking, answers: answering, requests: AtomicU64::new(0) };
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/{outcome}", post(take))
            .route("/2018-06-01/runtime/init/error", post(init_failed))
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::new(channels));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let listener = listener.tap_io(|io| {
            // Otherwise the kernel delays small answers, and the delay would be measured.
            let _ = io.set_nodelay(true);
        });
        let server = tokio::spawn(async { axum::serve(listener, router).await });
        Ok(Self { address, events, asked, answers, server })
    }

    /// Host and port, the value of `AWS_LAMBDA_RUNTIME_API`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Hands the function an event, as soon as it asks for one.
    pub fn send(&self, event: Bytes) {
        // This fails only if the server has ended. In that case `answer` returns `None`.
        let _ = self.events.send(event);
    }

    /// Waits until the function asks for an event; `None` if the server has ended.
    pub async fn asked(&mut self) -> Option<()> {
        self.asked.recv().await
    }

    /// Waits for the next answer; `None` if the server has ended.
    pub async fn answer(&mut self) -> Option<Outcome> {
        self.answers.recv().await
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The environment variables that Lambda sets for every function, as far as a runtime or an SDK reads them.
#[must_use]
pub fn environment(function: &str, address: &str) -> Vec<(String, String)> {
    let own = [
        ("AWS_ACCESS_KEY_ID", "LOCAL"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", MEMORY),
        ("AWS_LAMBDA_FUNCTION_NAME", function),
        ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "local"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "local"),
        ("AWS_LAMBDA_RUNTIME_API", address),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_SECRET_ACCESS_KEY", "nobody-checks-what-is-signed-with-this"),
        ("AWS_SESSION_TOKEN", &"session-token-of-a-role-".repeat(32)),
        ("LANG", "en_US.UTF-8"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TZ", ":UTC"),
        ("_HANDLER", "bootstrap"),
    ];
    own.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

async fn next(State(api): State<Arc<Channels>>) -> impl IntoResponse {
    let _ = api.asked.send(());
    let Some(event) = api.events.lock().await.recv().await else { std::future::pending().await };
    let request = api.requests.fetch_add(1, Ordering::Relaxed);
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("lambda-runtime-aws-request-id", format!("00000000-0000-4000-8000-{request:012}")),
        ("lambda-runtime-deadline-ms", "4102444800000".to_owned()),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:eu-west-1:000000000000:function:local".to_owned()),
        ("lambda-runtime-trace-id", "Root=1-69569c80-0123456789abcdef01234567;Sampled=0".to_owned()),
    ];
    (headers, event)
}

async fn take(
    State(api): State<Arc<Channels>>,
    Path((_, outcome)): Path<(String, String)>,
    answer: Bytes,
) -> impl IntoResponse {
    let outcome = if outcome == "response" { Ok(answer) } else { Err(answer) };
    let _ = api.answers.send(outcome);
    (StatusCode::ACCEPTED, [("content-type", "application/json")], r#"{"status":"OK"}"#)
}

async fn init_failed(State(api): State<Arc<Channels>>, error: Bytes) -> StatusCode {
    let _ = api.answers.send(Err(error));
    StatusCode::ACCEPTED
}
