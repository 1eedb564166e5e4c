//! A table whose capacity is too small for the entries of a request.

#![expect(clippy::disallowed_methods, reason = "a test asserts the duration of a call")]

use std::time::{Duration, Instant};

use journeys::capacity::{Room, Table, body_of};
use journeys::paths;
use journeys::requests::event;

use crate::functions;

/// The writes per second that a new on-demand table accepts.
const NEW_TABLE: f64 = 4_000.0;

/// The greatest number of parallel calls to the table.
const TOGETHER_MAX: usize = 8;

/// Sends this number of entries to a table with this capacity. Returns the status of the answer and the table.
async fn send(entries: usize, room: Room) -> (u16, Table) {
    let table = Table::start(entries, room);
    let function = functions::Function::of(paths::RECEIVE_DATA, table.setup());
    let event = event(paths::RECEIVE_DATA, "application/json", &body_of(entries));
    let (status, _) = function.invoke(&event.to_string()).await;
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

#[tokio::test]
async fn throttled_entries_are_retried_until_each_is_stored_once() {
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
    )
    .await;
    let seen = table.seen();
    assert_eq!((status, seen.different), (200, 0));
    assert!(seen.stored.iter().all(|times| *times == 1), "an entry is missing, or stored twice");
    assert!(seen.calls > 2_000 / 25, "{}", seen.calls);
    assert!((2..=TOGETHER_MAX).contains(&seen.together), "{} together", seen.together);
}

#[tokio::test]
async fn entries_that_are_throttled_for_too_long_are_answered_500() {
    let start = Instant::now();
    let (status, table) = send(2_000, room_for(NEW_TABLE / 40.0)).await;
    assert_eq!(status, 500);
    let seen = table.seen();
    assert!(seen.stored.contains(&1) && seen.stored.contains(&0), "expected a part of the entries to be stored");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}
