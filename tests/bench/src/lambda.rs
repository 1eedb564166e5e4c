//! Lambda's Runtime API for one function. It starts the function with only the environment that Lambda would give it,
//! sends it events, and receives its answers.

#![expect(clippy::disallowed_methods, reason = "time is measured here")]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::scenario::Scenario;
use crate::{Outcome, process};

/// How long one step may take before the function counts as stuck. Valgrind makes a step fifty times as long.
const PATIENCE: Duration = Duration::from_mins(2);
/// The memory that each function is told it has, in megabytes. Nothing enforces it here.
const MEMORY: &str = "1769";
/// The interval between checks whether a function is idle.
const PAUSE: Duration = Duration::from_millis(2);
/// How many checks in a row must find the function idle.
const LOOKS: usize = 5;

/// A function's program.
#[derive(Debug, Clone)]
pub struct Program {
    /// The function's name on Lambda.
    pub name: String,
    /// The file to run, and its arguments.
    pub command: Vec<PathBuf>,
    /// The function's settings, with the addresses of its services.
    pub environment: Vec<(String, String)>,
}

/// A running function. It is killed when dropped.
pub struct Function {
    child: Child,
    spawned: Instant,
    events: mpsc::UnboundedSender<Bytes>,
    asked: mpsc::UnboundedReceiver<Instant>,
    answers: mpsc::UnboundedReceiver<(Instant, Result<Bytes, Bytes>)>,
    said: File,
    server: JoinHandle<std::io::Result<()>>,
}

struct Api {
    events: Mutex<mpsc::UnboundedReceiver<Bytes>>,
    asked: mpsc::UnboundedSender<Instant>,
    answers: mpsc::UnboundedSender<(Instant, Result<Bytes, Bytes>)>,
    requests: AtomicU64,
}

impl Function {
    /// Starts the program.
    ///
    /// # Errors
    /// No port is free, or the program cannot be run.
    pub async fn spawn(program: &Program) -> Outcome<Self> {
        let (events, to_function) = mpsc::unbounded_channel();
        let (asking, asked) = mpsc::unbounded_channel();
        let (answering, answers) = mpsc::unbounded_channel();
        let api = Api { events: to_function.into(), asked: asking, answers: answering, requests: AtomicU64::new(0) };
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/{outcome}", post(take))
            .route("/2018-06-01/runtime/init/error", post(init_failed))
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::new(api));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let listener = listener.tap_io(|io| {
            // Otherwise the kernel delays small answers, and the delay would be measured.
            let _ = io.set_nodelay(true);
        });
        let server = tokio::spawn(async { axum::serve(listener, router).await });

        let (file, arguments) = program.command.split_first().ok_or("a program needs a file to run")?;
        let said = output(&address)?;
        let mut command = Command::new(file);
        command
            .args(arguments)
            .env_clear()
            .envs(lambdas_own(&program.name, &address))
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said.try_clone()?)
            .kill_on_drop(true);
        let spawned = Instant::now();
        let child = command.spawn().map_err(|error| format!("{} cannot be run: {error}", file.display()))?;
        Ok(Self { child, spawned, events, asked, answers, said, server })
    }

    /// Waits until the function asks for an event. Gives the time from its start until then.
    ///
    /// # Errors
    /// The function has ended or is stuck.
    pub async fn ready(&mut self) -> Outcome<Duration> {
        let asked = tokio::select! {
            Some(asked) = self.asked.recv() => Some(asked),
            _ = self.child.wait() => None,
            () = tokio::time::sleep(PATIENCE) => None,
        };
        let Some(asked) = asked else { return Err(self.failure("it did not ask for an event")) };
        Ok(asked.saturating_duration_since(self.spawned))
    }

    /// Sends a scenario's event and checks the answer. Gives the time from the function's start until the answer.
    ///
    /// # Errors
    /// The function has ended, is stuck, reports a failure, or gives another answer.
    pub async fn succeed(&mut self, scenario: &Scenario) -> Outcome<Duration> {
        self.events.send(scenario.event())?;
        let answer = tokio::select! {
            Some(answer) = self.answers.recv() => Some(answer),
            _ = self.child.wait() => None,
            () = tokio::time::sleep(PATIENCE) => None,
        };
        let (at, answer) = answer.ok_or_else(|| self.failure("it did not answer"))?;
        let checked = match answer {
            Ok(answer) => scenario.check(&answer).map_err(|error| error.to_string()),
            Err(error) => Err(format!("it failed with {}", String::from_utf8_lossy(&error))),
        };
        checked.map_err(|error| self.failure(&error))?;
        Ok(at.saturating_duration_since(self.spawned))
    }

    /// The resources that the function has used so far.
    ///
    /// # Errors
    /// The function has ended.
    pub fn usage(&self) -> Outcome<process::Usage> {
        process::usage(self.pid()?)
    }

    /// Waits until the function is idle.
    ///
    /// # Errors
    /// The function has ended.
    pub async fn rest(&self) -> Outcome<()> {
        let mut looks = 0;
        while looks < LOOKS {
            looks = if process::is_idle(self.pid()?)? { looks + 1 } else { 0 };
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Sends SIGTERM, and waits until the function has ended.
    ///
    /// # Errors
    /// The function had already ended.
    pub async fn end(mut self) -> Outcome<()> {
        process::terminate(self.pid()?)?;
        self.child.wait().await?;
        Ok(())
    }

    fn pid(&self) -> Outcome<u32> {
        Ok(self.child.id().ok_or("the function has ended")?)
    }

    /// An error with this text and the function's whole output.
    fn failure(&mut self, what: &str) -> Box<dyn std::error::Error + Send + Sync> {
        let mut said = String::new();
        let read = self.said.seek(SeekFrom::Start(0)).and_then(|_| self.said.read_to_string(&mut said));
        format!("{what}; its output: {said}{}", read.err().map_or(String::new(), |error| error.to_string())).into()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A file for a function's output. It is unlinked at once, so it disappears when it is closed.
fn output(address: &str) -> Outcome<File> {
    let path = std::env::temp_dir().join(format!("bench-{address}"));
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// The variables that Lambda sets for every function and that a runtime or an SDK reads.
fn lambdas_own(name: &str, address: &str) -> Vec<(String, String)> {
    let own = [
        ("AWS_ACCESS_KEY_ID", "BENCH"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", MEMORY),
        ("AWS_LAMBDA_FUNCTION_NAME", name),
        ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "bench"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
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

async fn next(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let _ = api.asked.send(Instant::now());
    let Some(event) = api.events.lock().await.recv().await else { std::future::pending().await };
    let request = api.requests.fetch_add(1, Ordering::Relaxed);
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("lambda-runtime-aws-request-id", format!("00000000-0000-4000-8000-{request:012}")),
        ("lambda-runtime-deadline-ms", "4102444800000".to_owned()),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:eu-west-1:000000000000:function:bench".to_owned()),
        ("lambda-runtime-trace-id", "Root=1-69569c80-0123456789abcdef01234567;Sampled=0".to_owned()),
    ];
    (headers, event)
}

async fn take(
    State(api): State<Arc<Api>>,
    Path((_, outcome)): Path<(String, String)>,
    answer: Bytes,
) -> impl IntoResponse {
    let answer = if outcome == "response" { Ok(answer) } else { Err(answer) };
    let _ = api.answers.send((Instant::now(), answer));
    (StatusCode::ACCEPTED, [("content-type", "application/json")], r#"{"status":"OK"}"#)
}

async fn init_failed(State(api): State<Arc<Api>>, error: Bytes) -> StatusCode {
    let _ = api.answers.send((Instant::now(), Err(error)));
    StatusCode::ACCEPTED
}
