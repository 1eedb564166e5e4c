//! The dead-letter queue: implements SQS's `SendMessage`, and keeps the messages. `GET /_local/dead-letters` returns
//! them, oldest first.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

/// The base path of the queue's API. The SDK appends a slash.
pub(crate) const SQS_PATH: &str = "/_local/sqs";
/// The maximum number of messages that are kept. Further ones are refused.
const CAPACITY: usize = 10_000;

/// The messages, oldest first.
type Messages = Arc<Mutex<Vec<Value>>>;

/// The members of a `SendMessage` request that the queue uses.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendMessage {
    message_body: String,
}

/// The routes of the queue.
pub(crate) fn router() -> Router {
    let messages = Messages::default();
    Router::new()
        .route("/_local/dead-letters", get(list))
        .route(&format!("{SQS_PATH}/"), post(send))
        .with_state(messages)
}

async fn list(State(messages): State<Messages>) -> Json<Vec<Value>> {
    Json(messages.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

async fn send(State(messages): State<Messages>, body: Bytes) -> Response {
    let mut messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
    let message = serde_json::from_slice::<SendMessage>(&body).ok().filter(|_| messages.len() < CAPACITY);
    let Some(SendMessage { message_body }) = message else {
        let error = json!({"__type": "com.amazonaws.sqs#InvalidMessageContents", "message": "no message"});
        return (StatusCode::BAD_REQUEST, Json(error)).into_response();
    };
    let message = serde_json::from_str(&message_body).unwrap_or(Value::String(message_body));
    messages.push(message);
    Json(json!({"MessageId": format!("local-{}", messages.len()), "MD5OfMessageBody": ""})).into_response()
}
