//! The cost of each request: calls to the tables with the units that DynamoDB bills for them, password hashes, mails.
//! `docs/performance.md` calculates with these counts.

use std::fs;
use std::ops::Add;
use std::time::Duration;

use journeys::bodies::urlencoded;
use journeys::{Billed, ENDPOINTS, Embedded, Endpoint, PASSWORD, Visitor, generated, paths};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::support::functions::{self, Function};
use crate::support::proofs;

/// The requests in the table, with their endpoints. An endpoint that is not here has one row, for the call in
/// `tests/support/endpoints.rs`.
const REQUESTS: &[(&str, &str)] = &[
    ("registration", paths::REGISTER),
    ("login", paths::LOGIN),
    ("login, wrong password", paths::LOGIN),
    ("login in place of a session", paths::LOGIN),
    ("login where failures are limited", paths::LOGIN),
    ("challenge", paths::CAPTCHA),
    ("login with a proof of work", paths::LOGIN),
    ("Google login", paths::GOOGLE_LOGIN),
    ("Google login, new account", paths::GOOGLE_LOGIN),
    ("Google login, redirect mode", paths::GOOGLE_REDIRECT),
    ("session check", paths::SESSION),
    ("the same, ten minutes later", paths::SESSION),
    ("logout", paths::LOGOUT),
    ("settings", paths::USER_CONFIG),
    ("settings, new password", paths::USER_CONFIG),
    ("deletion, one session", paths::DELETE_ACCOUNT),
    ("reset link", paths::SEND_RESET_LINK),
    ("reset link, unknown address", paths::SEND_RESET_LINK),
    ("reset", paths::RESET_PASSWORD),
    ("data, one entry of 1 KB", paths::RECEIVE_DATA),
    ("data, 25 entries of 1 KB", paths::RECEIVE_DATA),
    ("data of an account, 25 entries of 1 KB", paths::RECEIVE_DATA),
];
/// The first line of the table.
const HEADER: &str = "| Request | calls to the tables | read units | write units | hashes | mails |";
/// Longer than the interval between updates of a session's last use.
const REST: Duration = Duration::from_mins(11);
/// The size of an entry in bytes.
const ENTRY: usize = 1024;
/// The units per second that one key can use (DynamoDB Developer Guide, Warm throughput scenarios).
const KEY_READS: f64 = 3000.0;
const KEY_WRITES: f64 = 1000.0;
/// The bytes that the gateway adds to an answer: status, date, length and the request's id.
const GATEWAY_ADDS: usize = 150;
/// The maximum bytes of lines and answers, which `docs/performance.md` assumes.
const LINE: f64 = 540.0;
const REFUSED_LINE: f64 = 700.0;
const AUDIT_LINE: f64 = 200.0;
const ANSWER: f64 = 750.0;
/// The longest line or answer must reach this part of the size that `docs/performance.md` assumes, so that the document does
/// not assume far too much.
const NEAR: f64 = 0.7;

/// A request and its counts.
struct Counted {
    title: &'static str,
    path: &'static str,
    calls: Vec<Billed>,
    hashes: u64,
    mails: usize,
    lines: Vec<String>,
    answer_bytes: usize,
}

fn is_read(call: &Billed) -> bool {
    ["BatchGetItem", "GetItem", "Query"].contains(&&*call.operation)
}

/// How many items a call reads or writes by their keys.
fn keys(call: &Billed) -> usize {
    let tables = call.asked["RequestItems"].as_object().into_iter().flatten();
    let batches = tables.map(|(_, asked)| asked["Keys"].as_array().or(asked.as_array()).map_or(0, Vec::len));
    call.asked["TransactItems"].as_array().map_or(batches.sum::<usize>().max(1), Vec::len)
}

impl Counted {
    fn units(&self, reads: bool) -> f64 {
        self.calls.iter().filter(|call| is_read(call) == reads).map(|call| call.units).fold(0.0, f64::add)
    }

    fn row(&self) -> String {
        let mut calls: Vec<_> = self.calls.iter().map(|call| format!("`{}`", call.operation)).collect();
        calls.sort();
        let Self { title, path, hashes, mails, .. } = self;
        let (path, calls) = (path.rsplit('/').next().unwrap(), calls.join(", "));
        let (reads, writes) = (self.units(true), self.units(false));
        format!("| {title}, `{path}` | {calls} | {reads} | {writes} | {hashes} | {mails} |\n")
    }
}

/// The requests of [`REQUESTS`], and of the endpoints that are not there.
fn all_requests() -> impl Iterator<Item = (&'static str, &'static str)> {
    let others = ENDPOINTS.iter().filter(|endpoint| REQUESTS.iter().all(|(_, path)| *path != endpoint.path));
    REQUESTS.iter().copied().chain(others.map(|endpoint| (endpoint.name, endpoint.path)))
}

/// Prepares everything but the request. Returns a visitor with the cookie to send, and the body.
async fn ready(stack: &Embedded, title: &str, path: &'static str) -> (Visitor, String) {
    let ana = stack.service.visitor();
    let sub = json!({"sub": ana.email});
    let mut ana = match title {
        "login"
        | "login, wrong password"
        | "login with a proof of work"
        | "login where failures are limited"
        | "reset link"
        | "reset" => ana.registered().await,
        "Google login" | "Google login, redirect mode" => {
            let mut ana = ana;
            ana.google(sub.clone()).await;
            ana.elsewhere()
        }
        "registration" | "Google login, new account" | "reset link, unknown address" => ana,
        title if title.starts_with("data, ") => ana,
        _ => ana.signed_in().await,
    };
    let body = match title {
        "login, wrong password" => format!("email={}&password=Otra1234", ana.email),
        "login with a proof of work" => {
            let proof = proofs::proof(&ana).await;
            urlencoded(&[("email", &*ana.email), ("password", PASSWORD), ("g-captcha-response", &proof)])
        }
        "Google login, redirect mode" => {
            ana.cookie = Some("g_csrf_token=x".to_owned());
            format!("g_csrf_token=x&credential={}", ana.credential(sub).await)
        }
        title if title.starts_with("Google") => json!({"credential": ana.credential(sub).await}).to_string(),
        "settings, new password" => "name=Ana+García&password=Otra1234&confirm_password=Otra1234".to_owned(),
        title if title.starts_with("data") => {
            let entry = json!({"a": "x".repeat(ENTRY - json!({"a": ""}).to_string().len())});
            json!(vec![entry; if title.contains("one") { 1 } else { 25 }]).to_string()
        }
        _ => {
            let endpoint = Endpoint::at(path);
            endpoint.call(&endpoint.own(&mut ana).await).1
        }
    };
    if title == "the same, ten minutes later" {
        stack.advance(REST);
    }
    (ana, body)
}

/// Asserts that the answer is the expected one.
fn assert_done(title: &str, status: &Value, body: &Value) {
    let is_done = match title {
        "login, wrong password" | "reset link, unknown address" => status == 200 && body["success"] == false,
        "Google login" => body["status"] == "exists",
        "Google login, new account" => body["status"] == "inserted",
        "Google login, redirect mode" => status == 303,
        _ => status == 200 && body["success"] == true,
    };
    assert!(is_done, "{title}: {status} {body}");
}

/// Bytes of an answer: body, names and values of headers, cookies, and what the gateway adds.
fn bytes(answer: &Value) -> usize {
    let text = |value: &Value| value.as_str().map_or(0, str::len);
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers: usize = headers.map(|(name, value)| name.len() + text(value) + ": \r\n".len()).sum();
    let cookies = answer["cookies"].as_array().into_iter().flatten();
    let cookies: usize = cookies.map(|value| "set-cookie: \r\n".len() + text(value)).sum();
    text(&answer["body"]) + headers + cookies + GATEWAY_ADDS
}

async fn count(stack: &Embedded, function: &Function, title: &'static str) -> Counted {
    let path = function.path;
    let (ana, body) = ready(stack, title, path).await;
    let content_type =
        if body.starts_with(['{', '[']) { "application/json" } else { "application/x-www-form-urlencoded" };
    let mut event = functions::event(path, content_type, &body);
    event["cookies"] = json!(ana.cookie.as_slice());
    if path == paths::GOOGLE_REDIRECT {
        // Google's page sends this request, and cannot set the header.
        event["headers"].as_object_mut().unwrap().remove("x-requested-with");
    }
    let (hashed, lines) = (function.hashed(), stack.log().len());
    drop((stack.table.billed(), stack.mail.calls()));
    let (answer, body) = function.answer(&event.to_string()).await;
    assert_done(title, &answer["statusCode"], &body);
    Counted {
        title,
        path,
        calls: stack.table.billed(),
        hashes: function.hashed() - hashed,
        mails: stack.mail.calls().len(),
        lines: stack.log()[lines..].to_vec(),
        answer_bytes: bytes(&answer),
    }
}

/// The counts of all requests, which all tests of this file share. Each request is sent twice and the second one is
/// counted, so that calls for many requests, such as a lease of ids, are left out.
async fn requests() -> &'static [Counted] {
    static REQUESTS_COUNTED: OnceCell<Vec<Counted>> = OnceCell::const_new();
    let all = async || {
        let stack = Embedded::start_at_full_cost(&proofs::SETTINGS).await;
        let (table, mail) = (stack.table.url(), stack.mail.url());
        let settings = [
            ("AWS_ENDPOINT_URL_DYNAMODB", &*table),
            ("AWS_ENDPOINT_URL_SESV2", &*mail),
            ("AWS_LAMBDA_FUNCTION_NAME", "accounts-google-redirect"),
            ("CAPTCHA_PROVIDER", "altcha"),
            ("CAPTCHA_SECRET_ARN", "local-captcha-secret"),
            ("LOGIN_MAX_FAILURES", "10"),
        ];
        let (functions, limited) = (functions::all(&stack, &settings[..5]), functions::all(&stack, &settings));
        let mut counted = Vec::new();
        for (title, path) in all_requests() {
            let functions = if title.ends_with("limited") { &limited } else { &functions };
            let function = functions.iter().find(|function| function.path == path).unwrap();
            count(&stack, function, title).await;
            counted.push(count(&stack, function, title).await);
        }
        counted
    };
    REQUESTS_COUNTED.get_or_init(all).await
}

#[tokio::test]
async fn docs_scale_has_the_cost_of_every_endpoint() {
    let rows: String = requests().await.iter().map(Counted::row).collect();
    generated::check_table("docs/performance.md", HEADER, &rows);
}

#[tokio::test]
async fn log_lines_and_answers_are_as_long_as_docs_scale_assumes() {
    let requests = requests().await;
    let within = |what: &str, assumed: f64, all: &mut dyn Iterator<Item = usize>| {
        let most = f64::from(u32::try_from(all.max().unwrap()).unwrap());
        assert!((NEAR * assumed..=assumed).contains(&most), "{what}: {most} bytes, {assumed} are assumed");
    };
    let lines = |wanted: fn(&str) -> bool| {
        let lines = requests.iter().flat_map(|request| &request.lines);
        lines.filter(move |line| wanted(line)).map(String::len)
    };
    within("an audit line", AUDIT_LINE, &mut lines(|line| line.contains("audit.event")));
    within("a refused call's line", REFUSED_LINE, &mut lines(|line| line.contains("problem.code")));
    within("a call's line", LINE, &mut lines(|line| !line.contains("audit.event") && !line.contains("problem.code")));
    let rare = [paths::EXPORT_ACCOUNT, paths::PASSKEY_REGISTER_OPTIONS];
    let ordinary = requests.iter().filter(|request| !rare.contains(&request.path));
    within("an answer", ANSWER, &mut ordinary.map(|request| request.answer_bytes));
    let sentence = format!(
        "each log line of a function to {LINE} bytes ({REFUSED_LINE} if the request is refused), each audit line to \
         {AUDIT_LINE} bytes, and each answer to {ANSWER} bytes"
    );
    assert!(fs::read_to_string(generated::path("docs/performance.md")).unwrap().contains(&sentence), "{sentence}");
}

#[tokio::test]
async fn the_gateway_throttles_before_a_shared_key_reaches_its_limit() {
    let template = fs::read_to_string(generated::path("template.yaml")).unwrap();
    let template: serde_yaml_ng::Value = serde_yaml_ng::from_str(&template).unwrap();
    let rate = template["Parameters"]["RequestsPerSecond"]["Default"].as_f64().unwrap();
    // Each entry has its own key.
    for request in requests().await.iter().filter(|request| request.path != paths::RECEIVE_DATA) {
        for call in &request.calls {
            let units = rate * call.units / f64::from(u32::try_from(keys(call)).unwrap());
            assert!(units < if is_read(call) { KEY_READS } else { KEY_WRITES }, "{}: {call:?}", request.title);
        }
    }
}
