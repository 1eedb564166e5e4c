//! A proxy that holds each call of a process until a schedule lets it through. With one gate for each process, a test
//! decides whose call comes next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc, oneshot};

use super::proxy::{CALL_MAX, answer, broken, cancellation, forward, operation};
use crate::serve;
use crate::visitors::service::plain_client;

/// The partition of the counter of ids. Its calls are held only if a test wants it, because the number of ids that a
/// process still has depends on earlier requests.
const COUNTER: &str = "counter";

/// The fate of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It is carried out.
    Done,
    /// It is carried out, and its answer is lost. The SDK retries it.
    Lost,
    /// The service refuses it and does nothing. The SDK does not retry it.
    Refused,
    /// The table does nothing, because the call conflicts with a transaction. The store retries it.
    Conflict,
}

/// A call that waits at a gate.
pub struct HeldCall {
    /// The operation's name.
    pub operation: String,
    /// The body of the call.
    pub asked: Value,
    decide: oneshot::Sender<Fate>,
    answered: oneshot::Receiver<Value>,
}

/// A gate on a free port.
pub struct Gate {
    url: String,
    arrivals: Mutex<mpsc::UnboundedReceiver<HeldCall>>,
    acts: mpsc::UnboundedSender<HeldCall>,
    holds_counter: Arc<AtomicBool>,
}

#[derive(Clone)]
struct Door {
    http: reqwest::Client,
    table: String,
    arrivals: mpsc::UnboundedSender<HeldCall>,
    holds_counter: Arc<AtomicBool>,
}

impl HeldCall {
    /// Lets the call through, and returns the service's answer even if the client does not get it; `Value::Null` if
    /// there is none. `None` means that the client gave up because the call was held for longer than the client's
    /// timeout.
    pub async fn go_on(self, fate: Fate) -> Option<Value> {
        self.decide.send(fate).ok()?;
        self.answered.await.ok()
    }
}

impl Gate {
    /// Starts a gate in front of the tables at this URL. It accepts mails itself, and delivers none.
    pub async fn start(table: &str) -> Self {
        let (sender, arrivals) = mpsc::unbounded_channel();
        let http = plain_client().build().unwrap_or_default();
        let holds_counter = Arc::new(AtomicBool::new(false));
        let counter = Arc::clone(&holds_counter);
        let door = Door { http, table: table.to_owned(), arrivals: sender.clone(), holds_counter: counter };
        let url = serve(Router::new().fallback(hold).with_state(door)).await;
        Self { url, arrivals: Mutex::new(arrivals), acts: sender, holds_counter }
    }

    /// Holds something that is not a call, such as a step of the clock, and runs it when the schedule lets it through.
    pub fn act(&self, operation: &str, work: impl Future<Output = Value> + Send) -> impl Future<Output = ()> + Send {
        let (decide, decided) = oneshot::channel();
        let (told, answered) = oneshot::channel();
        let held = HeldCall { operation: operation.to_owned(), asked: Value::Null, decide, answered };
        let is_held = self.acts.send(held).is_ok();
        async move {
            if is_held && decided.await == Ok(Fate::Done) {
                // Nobody waits for the answer if the test has ended.
                drop(told.send(work.await));
            }
        }
    }

    /// Sets whether the gate holds the calls that lease ids.
    pub fn hold_counter(&self, holds: bool) {
        self.holds_counter.store(holds, Ordering::SeqCst);
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops the waiting calls, and returns their number.
    pub async fn clear(&self) -> usize {
        let mut arrivals = self.arrivals.lock().await;
        std::iter::from_fn(|| arrivals.try_recv().ok()).count()
    }

    /// The next call that arrives.
    pub async fn next(&self) -> HeldCall {
        self.arrivals.lock().await.recv().await.expect("the gate is open")
    }
}

async fn hold(State(door): State<Door>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let operation = operation(&parts);
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let request = Request::from_parts(parts, body.into());
    let is_lease = asked.pointer("/Key/pk/S").is_some_and(|key| key == COUNTER);
    // The SDK's warm-up sends a call without an operation.
    if operation.is_empty() || is_lease && !door.holds_counter.load(Ordering::SeqCst) {
        return forward(&door.http, &door.table, request).await;
    }
    let (decide, decided) = oneshot::channel();
    let (told, answered) = oneshot::channel();
    if door.arrivals.send(HeldCall { operation: operation.clone(), asked, decide, answered }).is_err() {
        return broken();
    }
    let Ok(fate) = decided.await else { return broken() };
    let response = match fate {
        Fate::Done | Fate::Lost if operation == "SendEmail" => answer(200, json!({"MessageId": "1"}).to_string()),
        Fate::Done | Fate::Lost => forward(&door.http, &door.table, request).await,
        Fate::Refused => refusal("AccessDeniedException"),
        Fate::Conflict => conflict(&operation),
    };
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    // Nobody waits for the answer if the test has ended.
    drop(told.send(serde_json::from_slice(&body).unwrap_or_default()));
    if fate == Fate::Lost { broken() } else { Response::from_parts(parts, body.into()) }
}

fn refusal(kind: &str) -> Response<Body> {
    let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{kind}"), "message": "no details"});
    answer(StatusCode::BAD_REQUEST.as_u16(), body.to_string())
}

fn conflict(operation: &str) -> Response<Body> {
    if operation != "TransactWriteItems" {
        return refusal("TransactionConflictException");
    }
    answer(StatusCode::BAD_REQUEST.as_u16(), cancellation("TransactionConflict"))
}
