//! Events with bodies of any size: ordinary ones, and ones that are meant to be expensive.

use serde_json::{Map, Value, json};

/// A description and the event.
pub(crate) type Hostile = (&'static str, String);

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

pub(crate) fn multipart_file(size: usize) -> String {
    event(MULTIPART, part(NAME, &filled(size, "x")) + "--x--\r\n")
}

pub(crate) fn multipart(size: usize) -> Vec<Hostile> {
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

pub(crate) fn ordinary_form(size: usize) -> String {
    event(FORM, format!("email=ana%40example.com&password={}", filled(size, "x")))
}

pub(crate) fn forms(size: usize) -> Vec<Hostile> {
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

pub(crate) fn ordinary_entries(size: usize) -> String {
    let entry = format!("{{\"importe\":12.5,\"concepto\":\"{}\"}}", "x".repeat(1000));
    event(JSON, format!("[{}]", vec![entry; size / 1030].join(",")))
}

pub(crate) fn entries(size: usize) -> Vec<Hostile> {
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

pub(crate) fn ordinary_document(size: usize) -> String {
    event(JSON, json!({"credential": filled(size, "x")}).to_string())
}

pub(crate) fn documents(size: usize) -> Vec<Hostile> {
    vec![
        ("unknown members", event(JSON, format!("{{{}\"credential\":\"\"}}", filled(size, "\"a\":1,")))),
        ("a text of escapes", event(JSON, format!("{{\"credential\":\"{}\"}}", filled(size, "\\u0041")))),
        ("a member with a long name", event(JSON, format!("{{\"{}\":1}}", filled(size, "x")))),
    ]
}

fn with(member: &str, value: &str) -> String {
    format!("{{\"{member}\":{value},\"requestContext\":{{\"http\":{{\"method\":\"POST\"}}}}}}")
}

pub(crate) fn ordinary_cookies(size: usize) -> String {
    with("cookies", &json!([format!("a={}", filled(size, "x"))]).to_string())
}

pub(crate) fn headers(size: usize) -> Vec<Hostile> {
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
