//! The cost of each request, and of some changes of an account in the function `notices`: calls to the tables with the units that
//! DynamoDB bills for them, password hashes, mails, and events on the bus. `calls.txt` has these counts, and
//! `docs/performance.md` calculates with them.

use std::fs;
use std::ops::Add;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::requests::{Actor, requests as catalogue};
use journeys::{Billed, Embedded, PASSWORD, Request, Visitor, generated, paths, proofs, rows};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::functions::{self, Function};

/// The file of the tables of costs.
const COUNTS: &str = "tests/embedded/costs/calls.txt";
/// The first line of the table.
const HEADER: &str = "| Request | calls to the tables | read units | write units | hashes | mails |";
/// The units per second that one key can use (DynamoDB Developer Guide, Warm throughput scenarios).
const KEY_READS: f64 = 3000.0;
const KEY_WRITES: f64 = 1000.0;
/// The bytes that the gateway adds to an answer: status, date, length and the request's id.
const GATEWAY_ADDS: usize = 150;
/// The maximum bytes of lines and answers, which `docs/performance.md` assumes.
const LINE: f64 = 540.0;
const REFUSED_LINE: f64 = 700.0;
const AUDIT_LINE: f64 = 360.0;
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

/// The units of the calls that read, or of those that write.
fn units(calls: &[Billed], reads: bool) -> f64 {
    calls.iter().filter(|call| is_read(call) == reads).map(|call| call.units).fold(0.0, f64::add)
}

/// The operations of the calls, sorted, because some are sent in parallel.
fn operations(calls: &[Billed]) -> String {
    let mut names: Vec<_> = calls.iter().map(|call| format!("`{}`", call.operation)).collect();
    names.sort();
    names.join(", ")
}

/// How many items a call reads or writes by their keys.
fn keys(call: &Billed) -> usize {
    let tables = call.asked["RequestItems"].as_object().into_iter().flatten();
    let batches = tables.map(|(_, asked)| asked["Keys"].as_array().or(asked.as_array()).map_or(0, Vec::len));
    call.asked["TransactItems"].as_array().map_or(batches.sum::<usize>().max(1), Vec::len)
}

impl Counted {
    fn row(&self) -> String {
        let Self { title, path, hashes, mails, .. } = self;
        let (path, calls) = (path.rsplit('/').next().unwrap(), operations(&self.calls));
        let (reads, writes) = (units(&self.calls, true), units(&self.calls, false));
        format!("| {title}, `{path}` | {calls} | {reads} | {writes} | {hashes} | {mails} |\n")
    }
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

async fn count(stack: &Embedded, function: &Function, request: &'static Request, title: &'static str) -> Counted {
    let actor = Actor::ready(request, stack).await;
    let event = request.call(&actor.values).event(&actor.visitor.cookie);
    let (hashed, lines) = (function.hashed(), stack.log().len());
    drop((stack.table.billed(), stack.mail.calls()));
    let (answer, body) = function.answer(&event.to_string()).await;
    let status = answer["statusCode"].as_u64().and_then(|status| status.try_into().ok()).unwrap_or_default();
    assert!(request.answer.is(status, &body), "{title}: {answer}");
    Counted {
        title,
        path: request.path,
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
        for request in catalogue() {
            let Some(title) = request.cost else { continue };
            let functions = if request.name.ends_with("limit") { &limited } else { &functions };
            let function = functions.iter().find(|function| function.path == request.path).unwrap();
            count(&stack, function, request, title).await;
            counted.push(count(&stack, function, request, title).await);
        }
        counted
    };
    REQUESTS_COUNTED.get_or_init(all).await
}

#[tokio::test]
async fn docs_scale_has_the_cost_of_every_endpoint() {
    let rows: String = requests().await.iter().map(Counted::row).collect();
    generated::check_table(COUNTS, HEADER, &rows);
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

/// The first line of the table of changes.
const CHANGES_HEADER: &str = "| Change | calls to the tables | read units | write units | mails | events |";
/// The changes in the table.
const CHANGES: [&str; 8] = [
    "a login",
    "a second counted wrong password",
    "a change that ends no session and sends no notice, such as a registration",
    "a registration with `VerifyEmails`",
    "a new password, which ends one session",
    "a link to Google that removes nothing",
    "a deletion, 25 entries",
    "the end of an erasure that finds nothing",
];

/// Makes a change that the function has not received yet.
async fn change(stack: &Embedded, title: &str) {
    let mut ana: Visitor = stack.service.visitor();
    if title.contains("registration") {
        ana.register().await;
        return;
    }
    ana = ana.registered().await;
    if ["a login", "a second counted wrong password"].contains(&title) {
        let password = if title == "a login" { PASSWORD } else { "Equivocada1" };
        if title != "a login" {
            ana.login(password).await;
        }
        assert!(stack.deliver_changes().await);
        ana.login(password).await;
        return;
    }
    ana.login(PASSWORD).await;
    let mut profile = rows::profile(stack, &ana.email).await.unwrap();
    profile.insert("email_verified".to_owned(), AttributeValue::Bool(true));
    rows::put(stack, profile).await;
    let done = match title {
        "a new password, which ends one session" => {
            ana.elsewhere().login(PASSWORD).await;
            assert!(stack.deliver_changes().await);
            ana.set_password("Otra1234").await
        }
        "a link to Google that removes nothing" => {
            assert!(stack.deliver_changes().await);
            ana.elsewhere().google(json!({})).await
        }
        _ => {
            ana.json(paths::RECEIVE_DATA, json!(vec![json!({}); 25]).to_string()).await;
            assert!(stack.deliver_changes().await);
            ana.form(paths::DELETE_ACCOUNT, &[]).await
        }
    };
    assert_eq!(done.status, 200, "{title}");
    if title.starts_with("the end of an erasure") {
        assert!(stack.deliver_changes().await);
        rows::expire_erasures(stack).await;
    }
}

async fn row(title: &str) -> String {
    let settings: &[_] = match title {
        "a registration with `VerifyEmails`" => &[("VERIFY_EMAIL", "on")],
        "a second counted wrong password" => &[("LOGIN_MAX_FAILURES", "10")],
        _ => &[],
    };
    let stack = Embedded::start(settings).await;
    change(&stack, title).await;
    let before = stack.events().await.len();
    drop((stack.table.billed(), stack.mail.calls()));
    assert!(stack.deliver_changes().await);
    let billed = stack.table.billed();
    let (reads, writes, mails) = (units(&billed, true), units(&billed, false), stack.mail.calls().len());
    let events = stack.events().await.len() - before;
    format!("| {title} | {} | {reads} | {writes} | {mails} | {events} |\n", operations(&billed))
}

#[tokio::test]
async fn docs_scale_has_the_cost_of_every_listed_change() {
    let rows = futures_util::future::join_all(CHANGES.map(row)).await;
    generated::check_table(COUNTS, CHANGES_HEADER, &rows.concat());
}
