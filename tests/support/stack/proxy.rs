//! A proxy between the functions and one of their backends. It counts the calls, and fails those that a test selects.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::forms::record;
use crate::serve;
use crate::visitors::service::plain_client;

/// The largest call, in bytes (DynamoDB's limit for a request is 16 MB).
pub(crate) const CALL_MAX: usize = 20 * 1024 * 1024;
/// Longer than every timeout of a backend: 2 seconds for an attempt, and 3 for the captcha's verdict.
const TOO_LONG: Duration = Duration::from_millis(3_300);

/// The way a call fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The service throttles the call.
    Throttle,
    /// The service answers with an internal error.
    Error,
    /// The connection breaks before the service gets the call.
    DropBefore,
    /// The connection breaks in the middle of the answer, after the service has executed the call.
    DropAfter,
    /// The call arrives after the client's timeout, and is executed.
    Delay,
    /// The service receives the call and never answers.
    Silence,
    /// The service does nothing and returns the whole batch as unprocessed.
    Unprocessed,
    /// The proxy answers with this status and body, and does not forward the call.
    Answer(u16, String),
}

impl Failure {
    /// DynamoDB's answer that it has cancelled the transaction for this reason, for example `TransactionConflict`.
    pub fn cancelled(reason: &str) -> Self {
        Self::Answer(400, cancellation(reason))
    }
}

/// The body of DynamoDB's answer that it has cancelled the transaction for this reason.
pub(crate) fn cancellation(reason: &str) -> String {
    let reasons = json!([{"Code": "None"}, {"Code": reason, "Message": "no details"}]);
    let kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
    json!({"__type": kind, "Message": "Transaction cancelled", "CancellationReasons": reasons}).to_string()
}

/// A call to a table, with the units that the table bills for it.
#[derive(Debug, Clone)]
pub struct Billed {
    /// The operation's name.
    pub operation: String,
    /// The body of the request.
    pub asked: Value,
    /// Read units of a read, write units of a write.
    pub units: f64,
}

/// The proxy's configuration and its records.
#[derive(Default)]
struct Script {
    target: String,
    calls: Vec<String>,
    bodies: Option<Vec<(String, Value)>>,
    billed: Option<Vec<Billed>>,
    actions: BTreeSet<String>,
    /// The kinds of partition keys of the calls.
    partitions: BTreeSet<String>,
    failed: usize,
    late: usize,
    planned: VecDeque<Option<Failure>>,
    awaited: Option<Awaited>,
    first_attempts: Option<Failure>,
    always: Option<Failure>,
}

/// A call that must fail. It is selected by its operation, because parallel calls come in any order.
struct Awaited {
    operation: String,
    /// How many other calls of the operation come before it.
    after: usize,
    failure: Failure,
    /// Whether all later calls, also of other operations, fail too.
    for_good: bool,
}

impl Script {
    /// The failure that was requested for a call of this operation, if it is this one's turn.
    fn selected(&mut self, operation: &str) -> Option<Failure> {
        let awaited = self.awaited.as_mut().filter(|awaited| awaited.operation == operation)?;
        if let Some(fewer) = awaited.after.checked_sub(1) {
            awaited.after = fewer;
            return None;
        }
        let Awaited { failure, for_good, .. } = self.awaited.take()?;
        self.always = for_good.then(|| failure.clone());
        Some(failure)
    }
}

/// A proxy on a free port.
#[derive(Clone)]
pub struct Proxy {
    url: String,
    script: Arc<Mutex<Script>>,
    http: reqwest::Client,
}

impl Proxy {
    /// Starts a proxy without a target.
    pub(crate) async fn start() -> Self {
        let http = plain_client().build().unwrap_or_default();
        let proxy = Self { url: String::new(), script: Arc::default(), http };
        let url = serve(Router::new().fallback(pass).with_state(proxy.clone())).await;
        Self { url, ..proxy }
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Sets the target's base URL.
    pub fn forward_to(&self, target: &str) {
        target.clone_into(&mut self.script().target);
    }

    /// The calls since the last time this was asked, by the operation's name, oldest first.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.script().calls)
    }

    /// As [`Proxy::calls`], sorted, because some are sent in parallel.
    pub fn sorted_calls(&self) -> Vec<String> {
        let mut calls = self.calls();
        calls.sort();
        calls
    }

    /// The calls since the last time this was asked, each with its request as JSON, oldest first. The proxy keeps
    /// them from the first time on.
    pub fn bodies(&self) -> Vec<(String, Value)> {
        self.script().bodies.replace(Vec::new()).unwrap_or_default()
    }

    /// The calls that were forwarded to the table since the last time this was asked, with the units that the table
    /// says it would bill, in the order of their answers. They are kept from the first time on.
    pub fn billed(&self) -> Vec<Billed> {
        self.script().billed.replace(Vec::new()).unwrap_or_default()
    }

    /// The IAM actions that the calls since the last time require. A transaction requires the actions of its parts.
    pub fn actions(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.script().actions)
    }

    /// The partition keys in the calls since the last time, as patterns: a prefix and `*`, a question mark for each
    /// character of an account's key, or a name.
    pub fn partitions(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.script().partitions)
    }

    /// The number of failed calls so far.
    pub fn failed(&self) -> usize {
        self.script().failed
    }

    /// The number of delayed calls that have been executed so far.
    pub fn late(&self) -> usize {
        self.script().late
    }

    /// Fails the call that comes after `after` others, once.
    pub fn fail_call(&self, after: usize, failure: Failure) {
        let mut script = self.script();
        script.planned = std::iter::repeat_n(None, after).chain([Some(failure)]).collect();
    }

    /// Fails the call of an operation that comes after `after` others of it. With `for_good`, all later calls fail too,
    /// also those of other operations.
    pub fn fail_call_of(&self, operation: &str, after: usize, failure: Failure, for_good: bool) {
        self.script().awaited = Some(Awaited { operation: operation.to_owned(), after, failure, for_good });
    }

    /// Fails all calls from now on.
    pub fn fail_always(&self, failure: Failure) {
        self.fail_from(0, failure);
    }

    /// Fails all calls that come after `after` others.
    pub fn fail_from(&self, after: usize, failure: Failure) {
        let mut script = self.script();
        script.planned = std::iter::repeat_n(None, after).collect();
        script.always = Some(failure);
    }

    /// Fails the first attempt of each call; the SDK's retries succeed.
    pub fn fail_first_attempts(&self, failure: Failure) {
        self.script().first_attempts = Some(failure);
    }

    /// Stops failing calls.
    pub fn heal(&self) {
        let mut script = self.script();
        script.always = None;
        script.first_attempts = None;
        script.awaited = None;
        script.planned.clear();
    }

    fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn pass(State(proxy): State<Proxy>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let operation = operation(&parts);
    if parts.headers.get("x-amz-target").is_some_and(|target| target.as_bytes().starts_with(b"DynamoDB_")) {
        record(&operation, &body);
    }
    let (target, failure, is_billed) = {
        let mut script = proxy.script();
        script.actions.extend(actions(&operation, &body));
        partitions(&serde_json::from_slice(&body).unwrap_or_default(), &mut script.partitions);
        if let Some(bodies) = &mut script.bodies {
            bodies.push((operation.clone(), serde_json::from_slice(&body).unwrap_or_default()));
        }
        let selected = script.selected(&operation);
        script.calls.push(operation.clone());
        let first = is_first_attempt(&parts.headers).then(|| script.first_attempts.clone()).flatten();
        let planned = script.planned.pop_front().unwrap_or_else(|| script.always.clone());
        let failure = selected.or(planned).or(first);
        script.failed += usize::from(failure.is_some());
        (script.target.clone(), failure, script.billed.is_some())
    };
    let request = Request::from_parts(parts, body.into());
    match failure {
        Some(Failure::Throttle) => aws_error("ThrottlingException"),
        Some(Failure::Error) => aws_error("InternalServerError"),
        Some(Failure::Answer(status, body)) => answer(status, body),
        Some(Failure::DropBefore) => broken(),
        Some(Failure::DropAfter) => {
            let answer = forward(&proxy.http, &target, request).await;
            cut_off(answer).await
        }
        Some(Failure::Delay) => {
            // The call runs in its own task, so that a client's timeout does not cancel it.
            let late = tokio::spawn(async move {
                tokio::time::sleep(TOO_LONG).await;
                let answer = forward(&proxy.http, &target, request).await;
                proxy.script().late += 1;
                answer
            });
            late.await.unwrap_or_else(|_| broken())
        }
        Some(Failure::Silence) => std::future::pending().await,
        Some(Failure::Unprocessed) => unprocessed(request).await,
        None if is_billed => billed(&proxy, &target, operation, request).await,
        None => forward(&proxy.http, &target, request).await,
    }
}

/// Forwards a call to the table, and asks for the units that it consumes.
async fn billed(proxy: &Proxy, target: &str, operation: String, request: Request) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let mut asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    if let Some(asked) = asked.as_object_mut() {
        asked.insert("ReturnConsumedCapacity".to_owned(), "TOTAL".into());
    }
    parts.headers.remove("content-length");
    let answer = forward(&proxy.http, target, Request::from_parts(parts, asked.to_string().into())).await;
    let (parts, body) = answer.into_parts();
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let told: Value = serde_json::from_slice(&body).unwrap_or_default();
    // The units of one table, or a list with those of each table.
    let consumed = told.get("ConsumedCapacity");
    let tables = consumed.and_then(Value::as_array).into_iter().flatten().chain(consumed);
    let units = tables.filter_map(|table| table.get("CapacityUnits")?.as_f64()).sum();
    if let Some(billed) = &mut proxy.script().billed {
        billed.push(Billed { operation, asked, units });
    }
    Response::from_parts(parts, body.into())
}

/// The operation's name: from AWS's header, for SES from its path, and for other backends the end of the path.
pub(crate) fn operation(parts: &Parts) -> String {
    let target = parts.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    match target.or_else(|| parts.uri.path().strip_suffix("/outbound-emails").map(|_| "SendEmail")) {
        Some(target) => target.rsplit('.').next().unwrap_or(target).to_owned(),
        None => parts.uri.path().rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

/// The operation, or those of a transaction's parts.
fn actions(operation: &str, body: &[u8]) -> Vec<String> {
    if operation != "TransactWriteItems" {
        return vec![operation.to_owned()];
    }
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let parts = asked.get("TransactItems").and_then(Value::as_array).into_iter().flatten();
    let kinds = parts.filter_map(Value::as_object).flat_map(serde_json::Map::keys);
    kinds
        .map(|kind| if kind == "ConditionCheck" { "ConditionCheckItem".to_owned() } else { format!("{kind}Item") })
        .collect()
}

/// Adds the patterns of all partition keys in a call.
fn partitions(asked: &Value, found: &mut BTreeSet<String>) {
    match asked {
        Value::Object(members) => {
            for (name, value) in members {
                let key = value.get("S").and_then(Value::as_str).filter(|_| name == "pk" || name == ":pk");
                found.extend(key.map(|key| match key.split_once('#') {
                    Some((prefix, _)) => format!("{prefix}#*"),
                    None if key.len() == 22 => "?".repeat(22),
                    None => key.to_owned(),
                }));
                partitions(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| partitions(item, found)),
        _ => {}
    }
}

/// Whether the SDK sends this call for the first time.
fn is_first_attempt(headers: &HeaderMap) -> bool {
    let attempt = headers.get("amz-sdk-request").and_then(|value| value.to_str().ok());
    attempt.is_some_and(|attempt| attempt.starts_with("attempt=1"))
}

/// The requests of a batch, under the operation's member for unprocessed ones.
async fn unprocessed(request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let member = if operation(&parts) == "BatchGetItem" { "UnprocessedKeys" } else { "UnprocessedItems" };
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let left = asked.get("RequestItems").cloned().unwrap_or_default();
    answer(200, json!({ "Responses": {}, member: left }).to_string())
}

pub(crate) async fn forward(http: &reqwest::Client, target: &str, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let mut headers = parts.headers;
    headers.remove("host");
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let sent = http.request(parts.method, format!("{target}{path}")).headers(headers).body(body).send().await;
    let Ok(response) = sent else { return broken() };
    let (status, mut headers) = (response.status(), response.headers().clone());
    headers.remove("transfer-encoding");
    let body: Bytes = response.bytes().await.unwrap_or_default();
    (status, headers, body).into_response()
}

fn aws_error(code: &str) -> Response<Body> {
    let status = if code == "InternalServerError" { 500 } else { 400 };
    answer(status, format!("{{\"__type\":\"com.amazonaws.dynamodb.v20120810#{code}\",\"message\":\"no details\"}}"))
}

pub(crate) fn answer(status: u16, body: String) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let json = [("content-type", HeaderValue::from_static("application/x-amz-json-1.0"))];
    (status, json, body).into_response()
}

/// The first half of an answer, sent before the connection breaks.
async fn cut_off(answer: Response<Body>) -> Response<Body> {
    let (parts, body) = answer.into_parts();
    let body = to_bytes(body, CALL_MAX).await.unwrap_or_default();
    let half = Ok(body.slice(..body.len() / 2));
    let end = async {
        // The server sends what it has while it waits for more.
        tokio::time::sleep(Duration::from_millis(1)).await;
        Err(std::io::Error::other("told to break"))
    };
    let halves = stream::once(std::future::ready(half)).chain(stream::once(end));
    Response::from_parts(parts, Body::from_stream(halves))
}

/// An answer whose body fails at once, so that the client sees a broken connection.
pub(crate) fn broken() -> Response<Body> {
    let broken = stream::iter([Err::<Bytes, _>(std::io::Error::other("told to break"))]);
    Response::new(Body::from_stream(broken))
}
