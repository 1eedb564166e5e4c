//! Measures the largest possible calls of receive-data, including their calls to the table.

#![expect(clippy::disallowed_methods, reason = "a test prints the duration of a call")]

use std::sync::PoisonError;

use ::receive_data::ReceiveData;
use journeys::capacity::{Table, body_of};
use shared::Endpoint;
use shared::endpoint::body::ReadBody;
use shared::lambda::read_request;
use shared::store::Entries;

use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

use crate::{MEASURING, MEMORY, processor_time, requests};

/// The entries of the largest call.
const ENTRIES: usize = 20_000;
/// The calls to the table that they need. DynamoDB accepts 25 items in one batch.
const CALLS: usize = ENTRIES / 25;
/// The greatest number of parallel calls to the table.
const TOGETHER_MAX: usize = 8;
/// The greatest allowed ratio of peak memory to the body's size.
const MEMORY_RATIO_MAX: usize = 4;

/// A runtime with one thread, like that of a function on Lambda.
fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn twenty_thousand_entries_are_stored_once_with_the_fewest_calls_and_memory_of_at_most_four_times_their_size() {
    let _alone = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let body = body_of(ENTRIES);
    let event = requests::json_event(&body);
    let table = Table::start(ENTRIES, Box::new(|entries| entries));
    let entries = Entries::new(&table.setup());
    // This skips the endpoint's deadline, which a busy machine would miss.
    let store = async |event: &str| {
        let request = read_request(event).unwrap();
        let batch = <ReceiveData as Endpoint>::Body::read(&request).await.unwrap();
        entries.store(batch.request_digest, &batch.objects).await.unwrap();
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
