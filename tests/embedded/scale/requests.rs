//! The requests of the page, each made once to a function that counts: calls to the table with what they touch, mails,
//! hashes, log lines, bytes of the answer.

use std::time::Duration;

use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::{Value, json};

use super::units::{self, Call, Sizes};
use crate::hosts::{self, Function};

pub(super) const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
/// Longer than a session's use goes unwritten.
const REST: Duration = Duration::from_mins(11);
/// Bytes of an entry.
const ENTRY: usize = 1024;

/// A request of the page: its name here, its name there, its path.
type Kind = (&'static str, &'static str, &'static str);

pub(super) const KINDS: &[Kind] = &[
    ("register", "registration", paths::REGISTER),
    ("login", "login", paths::LOGIN),
    ("wrong", "login, wrong password", paths::LOGIN),
    ("again", "login in place of a session", paths::LOGIN),
    ("limited", "login where failures are limited", paths::LOGIN),
    ("google", "Google login", paths::GOOGLE_LOGIN),
    ("google-new", "Google login, new account", paths::GOOGLE_LOGIN),
    ("redirect", "Google login, redirect mode", paths::GOOGLE_REDIRECT),
    ("session", "look at the session", paths::SESSION),
    ("rested", "the same, ten minutes on", paths::SESSION),
    ("logout", "logout", paths::LOGOUT),
    ("settings", "settings", paths::USER_CONFIG),
    ("password", "settings, new password", paths::USER_CONFIG),
    ("delete", "deletion, one session", paths::DELETE_ACCOUNT),
    ("reset-link", "reset link", paths::SEND_RESET_LINK),
    ("nobody", "reset link for nobody", paths::SEND_RESET_LINK),
    ("reset", "reset", paths::RESET_PASSWORD),
    ("entry", "data, one entry of 1 KB", paths::RECEIVE_DATA),
    ("entries", "data, 25 of them", paths::RECEIVE_DATA),
];

/// A request, and what was counted of it.
pub(super) struct Measured {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) path: &'static str,
    pub(super) hashes: usize,
    pub(super) calls: Vec<Call>,
    pub(super) mails: usize,
    /// Bytes of its log line.
    pub(super) call_line: usize,
    /// Whether that says why it was refused, which makes it longer.
    pub(super) refused: bool,
    pub(super) audit_lines: Vec<usize>,
    pub(super) answer: usize,
}

impl Measured {
    /// Whether it checks a signature of Google's.
    pub(super) fn checks_a_credential(&self) -> bool {
        [paths::GOOGLE_LOGIN, paths::GOOGLE_REDIRECT].contains(&self.path)
    }

    fn sum(&self, of: impl Fn(&units::Use) -> f64) -> f64 {
        self.calls.iter().map(|call| call.share * call.uses.iter().map(&of).sum::<f64>()).sum()
    }

    /// Read units.
    pub(super) fn reads(&self) -> f64 {
        self.sum(|used| used.reads)
    }

    /// Write units.
    pub(super) fn writes(&self) -> f64 {
        self.sum(|used| used.writes)
    }

    /// Units of one key, or of all keys of a partition, whichever the page calls so.
    pub(super) fn of_key(&self, is_it: impl Fn(&units::Key) -> bool) -> (f64, f64) {
        let all = |of: fn(&units::Use) -> f64| self.sum(|used| if is_it(&used.key) { of(used) } else { 0.0 });
        (all(|used| used.reads), all(|used| used.writes))
    }
}

/// What is sent.
struct Sent {
    cookies: Vec<String>,
    content_type: &'static str,
    body: String,
}

/// Somebody with an address of a known length.
pub(super) fn visitor(stack: &Embedded, number: usize) -> Visitor {
    Visitor { email: format!("ana.garcia.{number:02}@example.com"), ..stack.service.visitor() }
}

/// What tells one Google account from another.
pub(super) fn sub(number: usize) -> Value {
    json!({"sub": format!("1{number:020}")})
}

/// Makes everything ready but the request.
async fn ready(stack: &Embedded, id: &str, number: usize) -> Sent {
    let mut ana = visitor(stack, number);
    match id {
        "login" | "wrong" | "limited" => ana = ana.registered().await,
        "reset-link" | "reset" => ana = ana.signed().await.elsewhere(),
        "google" | "redirect" => {
            ana.google(sub(number)).await;
            ana.cookie = None;
        }
        "again" | "session" | "rested" | "logout" | "settings" | "password" | "delete" => ana = ana.signed().await,
        _ => {}
    }
    if id == "rested" {
        stack.advance(REST);
    }
    let (email, password) = (ana.email.clone(), PASSWORD);
    let mut content_type = FORM;
    let body = match id {
        "register" => {
            format!("nombre=Ana+García&email={email}&password={password}&confirm-password={password}&terms=on")
        }
        "login" | "again" | "limited" => format!("email={email}&password={password}"),
        "wrong" => format!("email={email}&password=Otra1234"),
        "settings" => "name=Ana+García&notifications=on".to_owned(),
        "password" => "name=Ana+García&password=Otra1234&confirm_password=Otra1234".to_owned(),
        "reset-link" => format!("email={email}"),
        "nobody" => format!("email=nadie.{email}"),
        "reset" => {
            let token = ana.reset_token().await;
            format!("token={token}&new_password=Otra1234&confirm_password=Otra1234")
        }
        "redirect" => {
            ana.cookie = Some("g_csrf_token=x".to_owned());
            format!("g_csrf_token=x&credential={}", ana.credential(sub(number)).await)
        }
        "google" | "google-new" => {
            content_type = JSON;
            json!({"credential": ana.credential(sub(number)).await}).to_string()
        }
        "entry" | "entries" => {
            content_type = JSON;
            let frame = json!({"a": ""}).to_string().len();
            let entry = json!({"a": "x".repeat(ENTRY - frame)});
            json!(vec![entry; if id == "entry" { 1 } else { 25 }]).to_string()
        }
        _ => String::new(),
    };
    Sent { cookies: ana.cookie.into_iter().collect(), content_type, body }
}

/// Bytes of an answer: body, names and values of headers, cookies.
fn answer_bytes(answer: &Value) -> usize {
    let text = |value: &Value| value.as_str().map_or(0, str::len);
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers: usize = headers.map(|(name, value)| name.len() + text(value) + ": \r\n".len()).sum();
    let cookies = answer["cookies"].as_array().into_iter().flatten();
    let cookies: usize = cookies.map(|value| "set-cookie: \r\n".len() + text(value)).sum();
    text(&answer["body"]) + headers + cookies
}

/// Whether the answer is the one that the request is counted for.
fn assert_done(id: &str, status: u64, body: &Value) {
    let done = match id {
        "wrong" | "nobody" => status == 200 && body["success"] == false,
        "redirect" => status == 303,
        "google" => body["status"] == "exists",
        "google-new" => body["status"] == "inserted",
        _ => status == 200 && body["success"] == true,
    };
    assert!(done, "{id}: {status} {body}");
}

async fn measure(stack: &Embedded, functions: &[Function], kind: &Kind, number: usize) -> Measured {
    let &(id, title, path) = kind;
    let sent = ready(stack, id, number).await;
    let mut event = hosts::event(path, sent.content_type, &sent.body);
    event["cookies"] = json!(sent.cookies);
    if id == "redirect" {
        // Google's page posts it, not ours.
        event["headers"].as_object_mut().unwrap().remove("x-requested-with");
    }
    let function = functions.iter().find(|function| function.path == path).unwrap();
    let (before, lines, hashed): (Sizes, _, _) = (units::sizes(stack).await, stack.log().len(), function.hashed());
    drop((stack.table.bodies(), stack.mail.calls()));
    let (answer, body) = function.answer(&event.to_string()).await;
    assert_done(id, answer["statusCode"].as_u64().unwrap(), &body);
    let asked = stack.table.bodies();
    let after = units::sizes(stack).await;
    let calls = asked.iter().map(|(operation, asked)| units::call(operation, asked, &before, &after)).collect();
    let log = stack.log();
    let (audit, call): (Vec<&String>, _) = log[lines..].iter().partition(|line| line.contains("\"audit.event\""));
    assert_eq!(call.len(), 1, "{id}: {log:?}");
    Measured {
        id,
        title,
        path,
        hashes: usize::try_from(function.hashed() - hashed).unwrap(),
        calls,
        mails: stack.mail.calls().len(),
        call_line: call[0].len(),
        refused: call[0].contains("\"problem.code\""),
        audit_lines: audit.into_iter().map(String::len).collect(),
        answer: answer_bytes(&answer),
    }
}

/// All requests of the page.
pub(super) async fn all(stack: &Embedded) -> Vec<Measured> {
    let (table, mail) = (stack.table.url(), stack.mail.url());
    let through_proxies = [
        ("AWS_ENDPOINT_URL_DYNAMODB", &*table),
        ("AWS_ENDPOINT_URL_SESV2", &*mail),
        ("AWS_LAMBDA_FUNCTION_NAME", "accounts-google-redirect"),
        ("LOGIN_MAX_FAILURES", "10"),
    ];
    let limited = hosts::all(stack, &through_proxies);
    let functions = hosts::all(stack, &through_proxies[..3]);
    let mut measured = Vec::new();
    for (number, kind) in KINDS.iter().enumerate() {
        let functions = if kind.0 == "limited" { &limited } else { &functions };
        measured.push(measure(stack, functions, kind, number).await);
    }
    measured
}
