//! Measures the cost of hostile requests. Peak memory is bounded by a multiple of the event's size, and time grows
//! linearly with the size. `cargo test -p properties --test limits -- --nocapture` prints the table.

#![cfg(test)]

mod requests;

use std::time::Duration;

use futures_util::FutureExt;
use nix::time::ClockId;
use peak_alloc::PeakAlloc;
use receive_data::ReceiveData;
use serde::Deserialize;
use shared::Endpoint;
use shared::endpoint::body::{Form, Json, ReadBody};
use shared::endpoint::cookies;
use shared::endpoint::request::Request;
use shared::lambda::read_request;

use requests::Hostile;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// How often each request is read. The shortest time counts.
const TIMES: u32 = 3;
/// The size of the smaller body in bytes, and the factor to the size of the larger one.
const SIZE: usize = 32_000;
const GROWTH: usize = 16;
/// The greatest allowed ratio of the times of the larger and the smaller body. Linear work has a ratio of 16, and
/// quadratic work one of 256. The margin is for caches and other processes.
const TIME_GROWTH_MAX: u32 = 40;
/// The time that is added to the bound, because very short times do not show their growth.
const SHORT: Duration = Duration::from_millis(5);
/// The greatest allowed ratio of peak memory to the event's size. Empty headers, each of which needs two strings and a
/// place in a map, and empty entries come closest to it.
const MEMORY_RATIO_MAX: f64 = 10.0;

/// A function that reads the request's body.
type Reader = fn(&Request);

#[derive(Deserialize)]
#[expect(dead_code, reason = "only reading the fields is measured")]
struct AnyFields {
    email: String,
    password: String,
    name: String,
    a: String,
}

#[derive(Deserialize)]
struct AnyDocument {
    #[expect(dead_code, reason = "only reading the field is measured")]
    credential: String,
}

fn form(request: &Request) {
    let _ = Form::<AnyFields>::read(request).now_or_never().unwrap();
}

fn document(request: &Request) {
    let _ = Json::<AnyDocument>::read(request).now_or_never().unwrap();
}

fn entries(request: &Request) {
    let _ = <ReceiveData as Endpoint>::Body::read(request).now_or_never().unwrap();
}

fn cookies_of(request: &Request) {
    let _ = cookies::values(request, "__Host-session");
}

struct Cost {
    /// The peak memory in bytes, without the event's text.
    memory: usize,
    time: Duration,
}

/// The processor time of this thread, without the time of other processes.
fn processor_time() -> Duration {
    ClockId::CLOCK_THREAD_CPUTIME_ID.now().unwrap().into()
}

fn cost(event: &str, read: Reader) -> Cost {
    let mut cost = Cost { memory: 0, time: Duration::MAX };
    for _ in 0..TIMES {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = processor_time();
        read_request(event).iter().for_each(read);
        cost.time = cost.time.min(processor_time().saturating_sub(start));
        cost.memory = cost.memory.max(MEMORY.peak_usage().saturating_sub(before));
    }
    cost
}

/// Reads each request, and an ordinary one for comparison, in two sizes. Prints the costs and asserts their bounds.
fn bounded(read: Reader, ordinary: fn(usize) -> String, hostile: fn(usize) -> Vec<Hostile>) {
    let usual = cost(&ordinary(SIZE * GROWTH), read);
    let small = [("ordinary", ordinary(SIZE))].into_iter().chain(hostile(SIZE));
    let large = [("ordinary", ordinary(SIZE * GROWTH))].into_iter().chain(hostile(SIZE * GROWTH));
    let mut beyond = Vec::new();
    for ((name, small), (_, large)) in small.zip(large) {
        let (small_cost, large_cost) = (cost(&small, read), cost(&large, read));
        let by_size = large_cost.time.as_secs_f64() / small_cost.time.as_secs_f64();
        let by_ordinary = large_cost.time.as_secs_f64() / usual.time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "the number of bytes is small")]
        let memory = large_cost.memory as f64 / large.len() as f64;
        let row = format!(
            "{name:<34} {:>8} bytes  memory × {memory:>5.2}  time × {by_size:>5.2} of the smaller one, × {by_ordinary:>6.2} of an ordinary one",
            large.len()
        );
        println!("{row}");
        if memory > MEMORY_RATIO_MAX || large_cost.time > small_cost.time * TIME_GROWTH_MAX + SHORT {
            beyond.push(row);
        }
    }
    assert!(beyond.is_empty(), "beyond the bounds:\n{}", beyond.join("\n"));
}

#[test]
fn the_cost_of_every_kind_of_request_is_linear_in_its_size() {
    bounded(form, requests::multipart_file, requests::multipart);
    bounded(form, requests::ordinary_form, requests::forms);
    bounded(entries, requests::ordinary_entries, requests::entries);
    bounded(document, requests::ordinary_document, requests::documents);
    bounded(cookies_of, requests::ordinary_cookies, requests::headers);
}
