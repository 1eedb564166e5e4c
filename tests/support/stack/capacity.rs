//! A table with a limited capacity that accepts only batches of entries, for tests of receive-data. It counts the
//! calls, the parallel calls, and how often each entry was stored.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header::CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use shared::Setup;
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;

use super::template_defaults;

/// The delay of an answer, so that parallel calls overlap. DynamoDB takes about 10 ms.
const ANSWER: Duration = Duration::from_millis(2);

/// Returns how many of a call's entries the table accepts. The others are returned as unprocessed. If it accepts none,
/// the call is throttled.
pub type Room = Box<dyn FnMut(usize) -> usize + Send>;

/// The table's records of its calls.
#[derive(Default)]
pub struct Seen {
    /// The calls.
    pub calls: usize,
    /// The greatest number of parallel calls.
    pub together: usize,
    /// How often each entry was stored, by its index.
    pub stored: Vec<u8>,
    /// The number of entries with an unexpected text.
    pub different: usize,
    under_way: usize,
}

/// The table.
pub struct Table {
    url: String,
    shelf: Arc<Shelf>,
}

struct Shelf {
    seen: Mutex<Seen>,
    room: Mutex<Room>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Batch<'a> {
    #[serde(borrow)]
    request_items: Requests<'a>,
}

#[derive(Deserialize)]
struct Requests<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

/// An entry of 265 bytes.
pub fn entry(index: usize) -> String {
    let text = "Compra en el mercado de abastos «San José» ".repeat(4);
    format!(
        "{{\"id\":\"mov-{index:07}\",\"fecha\":\"2026-11-21T10:00:00Z\",\"importe\":-12.5,\"concepto\":\"{text}\"}}"
    )
}

/// The body of a request with this number of entries.
pub fn body_of(entries: usize) -> String {
    format!("[{}]", (0..entries).map(entry).collect::<Vec<_>>().join(","))
}

impl Table {
    /// Starts a table on its own thread. It expects this number of entries, with the texts of [`entry`].
    pub fn start(entries: usize, room: Room) -> Self {
        let seen = Seen { stored: vec![0; entries], ..Seen::default() };
        let shelf = Arc::new(Shelf { seen: seen.into(), room: room.into() });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shelf));
        let thread = std::thread::Builder::new().name("table".to_owned());
        let serve = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                axum::serve(tokio::net::TcpListener::from_std(listener).unwrap(), router).await.unwrap();
            });
        };
        thread.spawn(serve).unwrap();
        Self { url, shelf }
    }

    /// The setup of receive-data with this table.
    pub fn setup(&self) -> Setup {
        let settings = [
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_ENDPOINT_URL_DYNAMODB", &self.url),
            ("AWS_REGION", "eu-west-1"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let settings = template_defaults().into_iter().chain(settings);
        Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom))
    }

    /// The records so far.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.shelf.seen.lock().unwrap()
    }
}

async fn answer(State(shelf): State<Arc<Shelf>>, body: String) -> Response {
    {
        let mut seen = shelf.seen.lock().unwrap();
        seen.calls += 1;
        seen.under_way += 1;
        seen.together = seen.together.max(seen.under_way);
    }
    tokio::time::sleep(ANSWER).await;
    let answer = take(&shelf, &body);
    shelf.seen.lock().unwrap().under_way -= 1;
    answer
}

fn take(shelf: &Shelf, body: &str) -> Response {
    let json = [(CONTENT_TYPE, "application/x-amz-json-1.0")];
    let batch: Batch<'_> = serde_json::from_str(body).unwrap();
    let mut puts = batch.request_items.entries;
    assert!((1..=25).contains(&puts.len()), "{} entries in a batch", puts.len());
    let room = (shelf.room.lock().unwrap())(puts.len()).min(puts.len());
    if room == 0 {
        let throttled = json!({"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "later"});
        return (StatusCode::BAD_REQUEST, json, throttled.to_string()).into_response();
    }
    let left = puts.split_off(room);
    let mut seen = shelf.seen.lock().unwrap();
    for put in puts {
        // The index is searched in the text, because parsing each entry would take longer than the function needs to
        // write it.
        let (_, index) = put.get().split_once("\"index\":{\"N\":\"").unwrap();
        let index: usize = index.split_once('"').unwrap().0.parse().unwrap();
        let text = entry(index).replace('"', "\\\"");
        *seen.stored.get_mut(index).unwrap() += 1;
        seen.different += usize::from(!put.get().contains(&format!("\"body\":{{\"S\":\"{text}\"}}")));
    }
    let left = if left.is_empty() { json!({}) } else { json!({"entries": left}) };
    (json, json!({"UnprocessedItems": left}).to_string()).into_response()
}
