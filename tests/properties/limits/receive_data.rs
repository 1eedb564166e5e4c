//! Measures the largest possible calls of receive-data, including their calls to the table.

#![expect(clippy::disallowed_methods, reason = "a test asserts the duration of a call")]

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ::receive_data::ReceiveData;
use shared::endpoint::body::ReadBody;
use shared::lambda::{Function, read_request};
use shared::store::Entries;
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{Endpoint, Setup};
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

use crate::table::{Room, Table};
use crate::{MEASURING, MEMORY, processor_time, requests};

/// The entries of the largest call.
const ENTRIES: usize = 20_000;
/// The calls to the table that they need. DynamoDB accepts 25 items in one batch.
const CALLS: usize = ENTRIES / 25;
/// The greatest number of parallel calls to the table.
const TOGETHER_MAX: usize = 8;
/// The greatest allowed ratio of peak memory to the body's size.
const MEMORY_RATIO_MAX: usize = 4;
/// The writes per second that a new on-demand table accepts.
const NEW_TABLE: f64 = 4_000.0;

/// An entry of 265 bytes.
fn entry(index: usize) -> String {
    let text = "Compra en el mercado de abastos «San José» ".repeat(4);
    format!(
        "{{\"id\":\"mov-{index:07}\",\"fecha\":\"2026-11-21T10:00:00Z\",\"importe\":-12.5,\"concepto\":\"{text}\"}}"
    )
}

fn body_of(entries: usize) -> String {
    format!("[{}]", (0..entries).map(entry).collect::<Vec<_>>().join(","))
}

fn setup(table: &Table) -> Setup {
    let settings = [
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_ENDPOINT_URL_DYNAMODB", table.url()),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
        ("ENTRIES_TABLE", "entries"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom))
}

/// A runtime with one thread, like that of a function on Lambda.
fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The status of an answer, which is JSON text.
fn status_of(answer: &str) -> u16 {
    let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
    u16::try_from(answer["statusCode"].as_u64().unwrap()).unwrap()
}

/// Sends this number of entries to a table with this capacity. Gives the status of the answer and the table.
fn send(entries: usize, room: Room) -> (u16, Table) {
    let table = Table::start(entries, entry, room);
    let function = Function::<ReceiveData>::start(&setup(&table)).unwrap();
    let status = status_of(&one_thread().block_on(function.invoke(&requests::json_event(&body_of(entries)))));
    let seen = table.seen();
    println!("{entries} entries: {status} after {} calls, {} of them in parallel", seen.calls, seen.together);
    drop(seen);
    (status, table)
}

/// A capacity of this many writes per second. Unused capacity is saved up for one second.
fn room_for(writes_a_second: f64) -> Room {
    let mut last = Instant::now();
    let mut room = 0.0;
    Box::new(move |_| {
        let now = Instant::now();
        room = (room + (now - last).as_secs_f64() * writes_a_second).min(writes_a_second);
        last = now;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a batch has 25 entries at most")]
        let taken = room.min(25.0) as usize;
        room -= room.min(25.0).floor();
        taken
    })
}

#[test]
fn twenty_thousand_entries_are_stored_once_with_the_fewest_calls_and_memory_of_at_most_four_times_their_size() {
    let _alone = MEASURING.write().unwrap_or_else(PoisonError::into_inner);
    let body = body_of(ENTRIES);
    let event = requests::json_event(&body);
    let table = Table::start(ENTRIES, entry, Box::new(|entries| entries));
    let entries = Entries::new(&setup(&table));
    // This skips the endpoint's deadline, which a busy machine would miss.
    let store = async |event: &str| {
        let request = read_request(event).unwrap();
        let batch = <ReceiveData as Endpoint>::Body::read(&request).await.unwrap();
        entries.store(batch.repeatable, &batch.objects).await.unwrap();
    };
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (start, processor) = (Instant::now(), processor_time());
    one_thread().block_on(store(&event));
    let (took, processor) = (start.elapsed(), processor_time().saturating_sub(processor));
    let peak = MEMORY.peak_usage().saturating_sub(before) + event.len();
    let seen = table.seen();
    println!(
        "{ENTRIES} entries, {} bytes: {} calls, {} together, {took:?}, {processor:?} of a processor, {peak} bytes at the peak",
        body.len(),
        seen.calls,
        seen.together
    );
    assert!(seen.stored.iter().all(|times| *times == 1), "an entry is missing, or stored twice");
    assert_eq!((seen.different, seen.calls), (0, CALLS));
    assert!((2..=TOGETHER_MAX).contains(&seen.together), "{} together", seen.together);
    assert!(body.len() > 5_000_000 && peak <= MEMORY_RATIO_MAX * body.len(), "{peak} of {}", body.len());
}

#[test]
fn throttled_entries_are_retried_until_each_is_stored_once() {
    let _shared = MEASURING.read().unwrap_or_else(PoisonError::into_inner);
    let mut call = 0;
    let (status, table) = send(
        2_000,
        Box::new(move |entries| {
            call += 1;
            match call % 5 {
                1 => entries / 2,
                3 => 0,
                _ => entries,
            }
        }),
    );
    let seen = table.seen();
    assert_eq!((status, seen.different), (200, 0));
    assert!(seen.stored.iter().all(|times| *times == 1), "an entry is missing, or stored twice");
    assert!(seen.calls > 2_000 / 25, "{}", seen.calls);
}

#[test]
fn entries_beyond_the_capacity_of_one_second_are_stored_in_the_following_seconds() {
    let _shared = MEASURING.read().unwrap_or_else(PoisonError::into_inner);
    let start = Instant::now();
    let (status, table) = send(6_000, room_for(NEW_TABLE));
    assert_eq!(status, 200);
    assert!(table.seen().stored.iter().all(|times| *times == 1), "an entry is missing, or stored twice");
    assert!(start.elapsed() > Duration::from_secs(1), "the capacity was not exceeded");
}

#[test]
fn entries_that_are_throttled_for_too_long_are_answered_500() {
    let _shared = MEASURING.read().unwrap_or_else(PoisonError::into_inner);
    let start = Instant::now();
    let (status, table) = send(2_000, room_for(NEW_TABLE / 40.0));
    assert_eq!(status, 500);
    let seen = table.seen();
    assert!(seen.stored.contains(&1) && seen.stored.contains(&0), "expected a part of the entries to be stored");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}
