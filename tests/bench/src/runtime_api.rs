//! Lambda's Runtime API for one function: spawns it with the environment that Lambda would give it and no more,
//! hands it events, takes its answers, and notes the time of each step.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use crate::scenario::Scenario;
use crate::{Outcome, process, stopwatch};

/// How long any one step may take before the function counts as stuck; valgrind makes it fifty times as long.
const PATIENCE: Duration = Duration::from_mins(2);
/// Bytes kept of what a function said last, for whoever must find out why it failed.
const SAID_MAX: usize = 4096;
/// Megabytes that every function is told it has; nothing here takes them away.
const MEMORY: &str = "1769";
/// How often to look whether a function has come to rest.
const PAUSE: Duration = Duration::from_millis(2);
/// How many looks in a row must find it at rest.
const LOOKS: usize = 5;

/// A function's program.
#[derive(Debug, Clone)]
pub struct Program {
    /// What Lambda calls the function.
    pub name: String,
    /// The file to run, and its arguments.
    pub command: Vec<PathBuf>,
    /// The function's settings, and where its services are.
    pub environment: Vec<(String, String)>,
}

/// A function at work; it is killed when dropped.
pub struct Function {
    name: String,
    child: Child,
    spawned: Instant,
    events: mpsc::UnboundedSender<Bytes>,
    asked: mpsc::UnboundedReceiver<Instant>,
    answers: mpsc::UnboundedReceiver<(Instant, Result<Bytes, Bytes>)>,
    said: Arc<Mutex<Vec<u8>>>,
    server: JoinHandle<std::io::Result<()>>,
}

struct Api {
    events: Mutex<mpsc::UnboundedReceiver<Bytes>>,
    asked: mpsc::UnboundedSender<Instant>,
    answers: mpsc::UnboundedSender<(Instant, Result<Bytes, Bytes>)>,
    requests: AtomicU64,
}

impl Function {
    /// Spawns it.
    ///
    /// # Errors
    /// No port can be had, or the program cannot be run.
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
            // Without it the kernel waits with a small answer, and every measurement with it.
            let _ = io.set_nodelay(true);
        });
        let server = tokio::spawn(async { axum::serve(listener, router).await });

        let (file, arguments) = program.command.split_first().ok_or("a program needs a file to run")?;
        let mut command = Command::new(file);
        command
            .args(arguments)
            .env_clear()
            .envs(lambdas_own(program, &address))
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let spawned = stopwatch::now();
        let mut child = command.spawn().map_err(|error| format!("{} cannot be run: {error}", file.display()))?;
        let said = Arc::new(Mutex::new(Vec::new()));
        if let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) {
            tokio::spawn(listen(out, Arc::clone(&said)));
            tokio::spawn(listen(err, Arc::clone(&said)));
        }
        Ok(Self { name: program.name.clone(), child, spawned, events, asked, answers, said, server })
    }

    /// Waits until it asks for its next event, and says how long after its start that was.
    ///
    /// # Errors
    /// It ended, or is stuck.
    pub async fn ready(&mut self) -> Outcome<Duration> {
        let asked = tokio::select! {
            Some(asked) = self.asked.recv() => Some(asked),
            _ = self.child.wait() => None,
            () = tokio::time::sleep(PATIENCE) => None,
        };
        match asked {
            Some(asked) => Ok(asked.saturating_duration_since(self.spawned)),
            None => Err(self.failure("did not ask for an event").await),
        }
    }

    /// Hands it an event, at once or as soon as it asks for one; [`Function::answer`] waits for what it makes of it.
    pub fn send(&self, event: &Bytes) {
        // Nobody takes it when the server has gone; waiting for the answer then fails.
        let _ = self.events.send(event.clone());
    }

    /// Waits for an answer, and says how long after its start it came.
    ///
    /// # Errors
    /// It ended, is stuck, or says that it failed.
    pub async fn answer(&mut self) -> Outcome<(Duration, Bytes)> {
        let answer = tokio::select! {
            Some(answer) = self.answers.recv() => Some(answer),
            _ = self.child.wait() => None,
            () = tokio::time::sleep(PATIENCE) => None,
        };
        match answer {
            Some((at, Ok(answer))) => Ok((at.saturating_duration_since(self.spawned), answer)),
            Some((_, Err(error))) => {
                let error = String::from_utf8_lossy(&error).into_owned();
                Err(self.failure(&format!("failed with {error}")).await)
            }
            None => Err(self.failure("did not answer").await),
        }
    }

    /// Hands it an event and waits for the answer.
    ///
    /// # Errors
    /// As [`Function::answer`].
    pub async fn invoke(&mut self, event: &Bytes) -> Outcome<Bytes> {
        self.send(event);
        Ok(self.answer().await?.1)
    }

    /// Hands it a scenario's event and holds the answer to what it must be.
    ///
    /// # Errors
    /// As [`Function::answer`], and for another answer.
    pub async fn succeed(&mut self, scenario: &Scenario) -> Outcome<()> {
        let answer = self.invoke(&scenario.event).await?;
        match scenario.check(&answer) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.failure(&error.to_string()).await),
        }
    }

    /// Its process.
    ///
    /// # Errors
    /// It has ended.
    pub fn pid(&self) -> Outcome<u32> {
        self.child.id().ok_or_else(|| format!("{} has ended", self.name).into())
    }

    /// Waits until it does nothing any more but wait.
    ///
    /// # Errors
    /// It ended.
    pub async fn rest(&self) -> Outcome<()> {
        let pid = self.pid()?;
        let mut looks = 0;
        while looks < LOOKS {
            looks = if process::is_idle(pid)? { looks + 1 } else { 0 };
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Asks it to end, and waits until it has.
    ///
    /// # Errors
    /// It has ended before.
    pub async fn end(mut self) -> Outcome<()> {
        process::terminate(self.pid()?)?;
        self.child.wait().await?;
        Ok(())
    }

    async fn failure(&mut self, what: &str) -> Box<dyn std::error::Error + Send + Sync> {
        let ended = match self.child.try_wait() {
            Ok(Some(status)) => format!(" and ended with {status}"),
            _ => String::new(),
        };
        let said = self.said.lock().await;
        format!("{} {what}{ended}; it said:\n{}", self.name, String::from_utf8_lossy(&said)).into()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// What Lambda puts into every function's environment, as far as a runtime or an SDK reads it.
fn lambdas_own(program: &Program, address: &str) -> Vec<(String, String)> {
    let own = [
        ("AWS_ACCESS_KEY_ID", "BENCH"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", MEMORY),
        ("AWS_LAMBDA_FUNCTION_NAME", &program.name),
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
    let _ = api.asked.send(stopwatch::now());
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
    let _ = api.answers.send((stopwatch::now(), answer));
    (StatusCode::ACCEPTED, [("content-type", "application/json")], r#"{"status":"OK"}"#)
}

async fn init_failed(State(api): State<Arc<Api>>, error: Bytes) -> StatusCode {
    let _ = api.answers.send((stopwatch::now(), Err(error)));
    StatusCode::ACCEPTED
}

/// Reads what a function says, as Lambda does, and keeps the end of it.
async fn listen(mut from: impl AsyncRead + Unpin, said: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = vec![0; SAID_MAX];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let mut said = said.lock().await;
        said.extend(buffer.iter().take(length));
        let surplus = said.len().saturating_sub(SAID_MAX);
        said.drain(..surplus);
    }
}
