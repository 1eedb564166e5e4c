//! Measures the cost of hostile requests. Peak memory is bounded by a multiple of the event's size, and time grows
//! linearly with the size. `cargo test -p properties --test limits -- --nocapture` prints the table.

#![cfg(test)]

use std::time::Duration;

use futures_util::FutureExt;
use nix::time::ClockId;
use peak_alloc::PeakAlloc;
use receive_data::ReceiveData;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::Endpoint;
use shared::endpoint::body::{Form, Json, ReadBody};
use shared::endpoint::cookies;
use shared::endpoint::request::Request;
use shared::lambda::read_request;

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
    bounded(form, multipart_file, hostile_multipart);
    bounded(form, ordinary_form, hostile_forms);
    bounded(entries, ordinary_entries, hostile_entries);
    bounded(document, ordinary_document, hostile_documents);
    bounded(cookies_of, ordinary_cookies, hostile_headers);
}

/// A description and the event.
type Hostile = (&'static str, String);

const MULTIPART: &str = "multipart/form-data; boundary=x";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
/// The total size in bytes of a request's headers that API Gateway accepts, from its quotas.
const HEADERS_MAX: usize = 10_240;
/// The longest boundary that the service accepts.
const BOUNDARY_MAX: usize = 70;

fn event(content_type: &str, body: impl Into<Value>) -> String {
    json!({
        "headers": {"content-type": content_type, "x-requested-with": "XMLHttpRequest"},
        "requestContext": {"requestId": "r", "http": {"method": "POST"}},
        "body": body.into(),
    })
    .to_string()
}

fn filled(size: usize, piece: &str) -> String {
    piece.repeat(size / piece.len())
}

fn part(headers: &str, value: &str) -> String {
    format!("--x\r\n{headers}\r\n\r\n{value}\r\n")
}

const NAME: &str = "Content-Disposition: form-data; name=\"a\"";

fn multipart_file(size: usize) -> String {
    event(MULTIPART, part(NAME, &filled(size, "x")) + "--x--\r\n")
}

fn hostile_multipart(size: usize) -> Vec<Hostile> {
    let long = "b".repeat(BOUNDARY_MAX);
    let long_type = format!("multipart/form-data; boundary={long}");
    let parts = |number: usize| part(NAME, &"x".repeat(size / number)).repeat(number) + "--x--\r\n";
    let headers: Vec<String> = (0..30).map(|number| format!("x-{number}: {}\r\n", "v".repeat(100))).collect();
    let headers = headers.concat();
    vec![
        ("1,000 parts", event(MULTIPART, parts(1000))),
        ("parts without a value", event(MULTIPART, filled(size, &part(NAME, "")) + "--x--\r\n")),
        (
            "1,000 parts of 30 headers",
            event(MULTIPART, part(&format!("{headers}{NAME}"), "").repeat(1000) + "--x--\r\n"),
        ),
        (
            "a part of one long header",
            event(MULTIPART, part(&format!("{NAME}\r\nx: {}", filled(size, "x")), "") + "--x--"),
        ),
        ("a part of many headers", event(MULTIPART, part(&filled(size, "a: b\r\n"), "") + "--x--")),
        ("a part header without an end", event(MULTIPART, format!("--x\r\n{NAME}; x=\"{}", filled(size, "\\\"")))),
        (
            "many names in one header",
            event(MULTIPART, part(&(NAME.to_owned() + &filled(size, ";name=b")), "") + "--x--"),
        ),
        ("a boundary that occurs only once", event(MULTIPART, part(NAME, &filled(size, "\r\n-")))),
        (
            "almost a boundary, many times",
            event(&long_type, format!("--{long}\r\n{NAME}\r\n\r\n{}", filled(size, &format!("\r\n--{}", &long[1..])))),
        ),
        (
            "a boundary as long as a body",
            event(&format!("multipart/form-data; boundary={}", filled(size, "b")), "--b--"),
        ),
        ("a media type of many parameters", event(&format!("multipart/form-data{}", filled(size, "; a=b")), "--b--")),
    ]
}

fn ordinary_form(size: usize) -> String {
    event(FORM, format!("email=ana%40example.com&password={}", filled(size, "x")))
}

fn hostile_forms(size: usize) -> Vec<Hostile> {
    let thousand = |name: &str| format!("{name}={}&", "x".repeat(size / 1000)).repeat(1000);
    vec![
        ("1,000 fields of one name", event(FORM, thousand("a"))),
        ("1,000 fields in array notation", event(FORM, thousand("a[]"))),
        ("as many fields as fit", event(FORM, filled(size, "a&"))),
        ("a value of percent signs", event(FORM, format!("a={}", filled(size, "%")))),
        ("a value of encoded characters", event(FORM, format!("a={}", filled(size, "%41")))),
        ("a long name", event(FORM, filled(size, "%ff"))),
    ]
}

fn ordinary_entries(size: usize) -> String {
    let entry = format!("{{\"importe\":12.5,\"concepto\":\"{}\"}}", "x".repeat(1000));
    event(JSON, format!("[{}]", vec![entry; size / 1030].join(",")))
}

fn hostile_entries(size: usize) -> Vec<Hostile> {
    vec![
        ("as many entries as fit", event(JSON, format!("[{}{{}}]", filled(size, "{},")))),
        ("as many numbers as fit", event(JSON, format!("[{}1]", filled(size, "1,")))),
        ("only opening brackets", event(JSON, filled(size, "["))),
        ("a deep object", event(JSON, format!("{{\"a\":{}{}}}", "[".repeat(size / 2), "]".repeat(size / 2)))),
        ("an entry that is too large", event(JSON, format!("{{\"a\":\"{}\"}}", filled(size, "x")))),
        ("a text of escapes", event(JSON, format!("{{\"a\":\"{}\"}}", filled(size, "\\u0000")))),
        ("a long number", event(JSON, format!("{{\"a\":{}}}", filled(size, "9")))),
        ("blanks", event(JSON, filled(size, " ") + "{}")),
    ]
}

fn ordinary_document(size: usize) -> String {
    event(JSON, json!({"credential": filled(size, "x")}).to_string())
}

fn hostile_documents(size: usize) -> Vec<Hostile> {
    vec![
        ("unknown members", event(JSON, format!("{{{}\"credential\":\"\"}}", filled(size, "\"a\":1,")))),
        ("a text of escapes", event(JSON, format!("{{\"credential\":\"{}\"}}", filled(size, "\\u0041")))),
        ("a member with a long name", event(JSON, format!("{{\"{}\":1}}", filled(size, "x")))),
    ]
}

fn with(member: &str, value: &str) -> String {
    format!("{{\"{member}\":{value},\"requestContext\":{{\"http\":{{\"method\":\"POST\"}}}}}}")
}

fn ordinary_cookies(size: usize) -> String {
    with("cookies", &json!([format!("a={}", filled(size, "x"))]).to_string())
}

fn hostile_headers(size: usize) -> Vec<Hostile> {
    let different = (0..HEADERS_MAX / 7).map(|number| (format!("{number:07}"), json!("")));
    let different = json!({
        "headers": different.collect::<Map<_, _>>(),
        "requestContext": {"http": {"method": "POST"}},
        "body": filled(size, "x"),
    });
    vec![
        ("cookies in one line", with("cookies", &json!([filled(size, "a;")]).to_string())),
        ("a repeated session cookie", with("cookies", &json!([filled(size, "__Host-session=")]).to_string())),
        ("as many headers as the gateway accepts", different.to_string()),
        ("a repeated header", with("headers", &format!("{{{}\"a\":\"\"}}", filled(size, "\"a\":\"\",")))),
        ("a header with a long name", with("headers", &json!({filled(size, "A"): ""}).to_string())),
    ]
}
