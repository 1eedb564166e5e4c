//! The event bus: implements EventBridge's `PutEvents`, and keeps the events. `GET /_local/events` returns them, oldest
//! first, as EventBridge delivers them to a target. A function, `EVENT_TARGET`, gets them one after the other.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::system::clock::Timestamp;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::functions::remote::Remote;

/// The base path of the bus's API. The SDK appends a slash.
pub(crate) const BUS_PATH: &str = "/_local/event-bus";
/// The maximum number of events that are kept. Older ones are dropped.
const CAPACITY: usize = 100_000;
/// The pause before the target gets an event again that it did not take.
const PAUSE: Duration = Duration::from_secs(1);

/// The bus.
#[derive(Default)]
struct Bus {
    events: Mutex<VecDeque<Value>>,
    received: AtomicU64,
    /// To the target; `None` if there is none.
    deliveries: Option<UnboundedSender<String>>,
}

/// The body of a `PutEvents` request.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PutEvents {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    source: String,
    detail_type: String,
    detail: String,
    /// Seconds since 1970.
    time: f64,
}

impl Bus {
    /// The event of an entry, which is kept. `None` if its detail is no JSON.
    fn take(&self, entry: &Entry) -> Option<String> {
        let detail: Value = serde_json::from_str(&entry.detail).ok()?;
        let id = format!("local-{}", self.received.fetch_add(1, Ordering::Relaxed));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let time = Timestamp::from_seconds(entry.time as u64).to_rfc3339();
        let event = json!({
            "version": "0", "id": id, "detail-type": entry.detail_type, "source": entry.source,
            "account": "000000000000", "time": time, "region": "eu-west-1", "resources": [], "detail": detail,
        });
        if let Some(deliveries) = &self.deliveries {
            // This fails only when the stack ends.
            let _ = deliveries.send(event.to_string());
        }
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push_back(event);
        if events.len() > CAPACITY {
            events.pop_front();
        }
        Some(id)
    }
}

/// The routes of the bus, whose events the target gets.
pub(crate) fn router(target: Option<Remote>) -> Router {
    let deliveries = target.map(|target| {
        let (sender, events) = mpsc::unbounded_channel();
        tokio::spawn(deliver(target, events));
        sender
    });
    let bus = Arc::new(Bus { deliveries, ..Bus::default() });
    Router::new().route("/_local/events", get(list)).route(&format!("{BUS_PATH}/"), post(put)).with_state(bus)
}

/// Delivers the events in their order. What the target does not take, it gets again.
async fn deliver(target: Remote, mut events: UnboundedReceiver<String>) {
    while let Some(event) = events.recv().await {
        while target.invoke(event.clone()).await.is_none() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn list(State(bus): State<Arc<Bus>>) -> Json<VecDeque<Value>> {
    Json(bus.events.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

async fn put(State(bus): State<Arc<Bus>>, body: Bytes) -> Response {
    let Ok(PutEvents { entries }) = serde_json::from_slice(&body) else {
        let error = json!({"__type": "ValidationException", "message": "no entries"});
        return (StatusCode::BAD_REQUEST, Json(error)).into_response();
    };
    let ids: Vec<_> = entries.iter().map(|entry| bus.take(entry)).collect();
    let failed = ids.iter().filter(|id| id.is_none()).count();
    let entries = ids.into_iter().map(|id| match id {
        Some(id) => json!({"EventId": id}),
        None => json!({"ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed."}),
    });
    Json(json!({"FailedEntryCount": failed, "Entries": entries.collect::<Vec<_>>()})).into_response()
}
