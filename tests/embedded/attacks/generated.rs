//! Generated calls: many valid requests with a few changes, to each endpoint. Each must get a documented
//! answer. From time to time an unchanged request must still succeed.
//!
//! `GENERATED_CALLS` is the number of calls of each endpoint. Every run has the same calls.

use std::string::FromUtf8Error;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use journeys::bodies::{FORM, JSON, MULTIPART, multipart, urlencoded};
use journeys::requests::{Body, Call, Values, double_submit_cookie, event};
use journeys::{Answer, Contract, Embedded, Endpoint, Visitor, changes, paths, proofs};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::functions::{self, Function};

/// The number of calls of each endpoint, unless `GENERATED_CALLS` is set.
const CALLS: usize = 500;
/// After this number of generated calls, a valid call must succeed.
const VALID_EVERY: usize = 250;

/// Requires a captcha, which the generated logins lack, so that no time is spent on hashing their passwords.
const CAPTCHA: [(&str, &str); 3] =
    [("CAPTCHA_SECRET_ARN", "x"), ("CAPTCHA_VERIFY_URL", "http://127.0.0.1:9/x"), ("CAPTCHA_REQUIRED", "true")];

/// What the endpoint of challenges needs.
const OWN_CAPTCHA: [(&str, &str); 2] = [("CAPTCHA_PROVIDER", "altcha"), ("CAPTCHA_SECRET_ARN", "local-captcha-secret")];

fn calls() -> usize {
    std::env::var("GENERATED_CALLS").map_or(CALLS, |number| number.parse().unwrap())
}

/// Asserts that an answer is documented.
fn documented(path: &str, answer: &Value, event: &str) {
    let mut said = Answer {
        status: u16::try_from(answer["statusCode"].as_u64().unwrap()).unwrap(),
        headers: reqwest::header::HeaderMap::new(),
        text: answer["body"].as_str().unwrap().to_owned(),
    };
    for (name, value) in answer["headers"].as_object().unwrap() {
        let name: reqwest::header::HeaderName = name.parse().unwrap();
        said.headers.insert(name, value.as_str().unwrap().parse().unwrap());
    }
    for cookie in answer["cookies"].as_array().unwrap() {
        said.headers.append("set-cookie", cookie.as_str().unwrap().parse().unwrap());
    }
    let method = if said.status == 405 { "GET" } else { "POST" };
    let judged = Contract::shared().check(method, path, &said);
    assert!(said.status != 500 && judged.is_ok(), "{judged:?} to {event}");
}

async fn answers(path: &'static str) {
    let stack = Embedded::start(&[proofs::SETTINGS[1]]).await;
    let function_of = |settings: &[(&str, &str)]| -> Function {
        functions::all(&stack, settings).into_iter().find(|function| function.path == path).unwrap()
    };
    let needed: &[(&str, &str)] = if path == paths::CAPTCHA { &OWN_CAPTCHA } else { &[] };
    let (function, without_captcha) = (function_of(&[&CAPTCHA, needed].concat()), function_of(needed));
    let ana = stack.service.visitor().signed_in().await;
    let (events, mut runner) = (generated_events(path, seeds(path), &ana), TestRunner::deterministic());
    for number in 0..calls() {
        let event = events.new_tree(&mut runner).unwrap().current();
        documented(path, &function.answer(&event).await.0, &event);
        if number % VALID_EVERY == 0 {
            succeeds(&without_captcha, &stack).await;
        }
    }
    assert!(stack.log().iter().all(|line| !line.contains("panic")));
}

/// Asserts that a valid call of a new visitor succeeds.
async fn succeeds(function: &Function, stack: &Embedded) {
    let mut eva: Visitor = stack.service.visitor();
    if function.path != paths::REGISTER {
        eva = eva.signed_in().await;
    }
    let (content_type, body) = valid(stack, function.path, &mut eva).await;
    let mut event = event(function.path, content_type, &body);
    event["cookies"] = json!(eva.cookie.iter().collect::<Vec<_>>());
    let (answer, body) = function.answer(&event.to_string()).await;
    assert!(
        body["success"] == true || body["status"].is_string() || answer["statusCode"] == 303,
        "{answer} to {event}"
    );
}

/// One test for each endpoint, so that they run in parallel.
macro_rules! generated {
    ($($module:ident $path:ident)*) => {
        $(mod $module {
            #[tokio::test]
            async fn all_generated_calls_get_documented_answers() {
                super::answers(journeys::paths::$path).await;
            }
        })*
    };
}
journeys::for_each_endpoint!(generated);

/// A media type and a body.
type Seed = (&'static str, String);

/// A document with every kind of value.
const DOCUMENT: &str =
    r#"{"credential":"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA","b":[1,{"c":null},"\u00f1",true,-0.0e1,{}]}"#;

/// Bodies to start from: the body of the endpoint's first request with its optional fields, and for JSON a document with
/// every kind of value.
fn seeds(path: &str) -> Vec<Seed> {
    let (request, mut values) = (Endpoint::at(path).request(), Values::example());
    // This value is invalid and is checked last, so that a registration is refused before its password is hashed.
    values.set("news", "off");
    values.set("avatar", "");
    let mut fields = request.fields(&values);
    if fields.is_empty() {
        fields.push(("unknown", "1".to_owned()));
    }
    let forms = [(FORM, urlencoded(&fields)), (MULTIPART, multipart(&fields))];
    let document = (JSON, DOCUMENT.to_owned());
    match request.body {
        Body::Json(_) | Body::Entries(_) => vec![seed(request.call(&values)), document],
        Body::ProviderPage(_) => forms.into_iter().chain([document]).collect(),
        Body::Form(_) | Body::Nothing => forms.into(),
    }
}

/// A valid body of this visitor.
async fn valid(stack: &Embedded, path: &str, visitor: &mut Visitor) -> Seed {
    let request = Endpoint::at(path).request();
    let values = stack.values(request, visitor).await;
    match request.body {
        Body::Json(_) => seed(request.call(&values)),
        _ => (MULTIPART, multipart(&request.fields(&values))),
    }
}

fn seed(call: Call) -> Seed {
    (call.content_type, call.body)
}

const METHODS: &[&str] = &["GET", "PUT", "post", "", "POST ", "\u{0}"];
const TYPES: &[&str] =
    &[FORM, JSON, MULTIPART, "text/plain", "", "application/json;charset=\"", "multipart/form-data", "multipart/form-"];
const HEADERS: &[&str] = &["host", "idempotency-key", "x-forwarded-for", "content-length", "X-Requested-With"];

/// The events of calls to an endpoint, as text.
fn generated_events(path: &'static str, seeds: Vec<Seed>, ana: &Visitor) -> impl Strategy<Value = String> {
    let seed = select(seeds).prop_flat_map(|(content_type, seed)| (Just(content_type), changes::of([seed])));
    let members = (
        cookies(path, ana),
        prop::option::weighted(0.03, select(METHODS)),
        prop::option::weighted(0.12, prop_oneof![select(TYPES).prop_map(str::to_owned), changed(MULTIPART)]),
        prop::option::weighted(0.03, changed("XMLHttpRequest")),
        prop::option::weighted(0.12, (select(HEADERS), changed("api.example.com"))),
    );
    (seed, prop::bool::weighted(0.3), members).prop_map(move |((content_type, body), is_text, members)| {
        let (cookies, method, other_type, guard, header) = members;
        let mut event = event(path, other_type.as_deref().unwrap_or(content_type), "");
        match String::from_utf8(body) {
            Ok(text) if is_text => event["body"] = json!(text),
            text => {
                let body = text.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
                event["isBase64Encoded"] = json!(true);
                event["body"] = json!(STANDARD.encode(body));
            }
        }
        event["cookies"] = json!(cookies);
        if let Some(method) = method {
            event["requestContext"]["http"]["method"] = json!(method);
        }
        for (name, value) in guard.map(|value| ("x-requested-with", value)).into_iter().chain(header) {
            event["headers"][name] = json!(value);
        }
        event.to_string()
    })
}

/// The text, with a few changes.
fn changed(text: &str) -> impl Strategy<Value = String> + use<> {
    changes::of([text.to_owned()]).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The cookies of a call. An endpoint that could end Ana's session gets a similar cookie instead, so that her session
/// stays live.
fn cookies(path: &str, ana: &Visitor) -> impl Strategy<Value = Vec<String>> + use<> {
    let session = ana.cookie.clone().unwrap();
    let ends = [paths::LOGIN, paths::LOGOUT, paths::CLOSE_SESSION, paths::DELETE_ACCOUNT];
    let ends = ends.into_iter().chain([paths::GOOGLE_LOGIN, paths::GOOGLE_REDIRECT]).any(|one| one == path);
    let similar = changed(&session).prop_map(|text| vec![double_submit_cookie(), format!("{text}A")]);
    prop_oneof![
        1 => Just(Vec::new()),
        1 => changed(&session).prop_map(|text| vec![text]),
        1 => changed("a=1; b=\"2\"").prop_map(|text| vec![double_submit_cookie(), text]),
        1 => Just(vec![session.clone(), session.clone()]),
        4 => if ends { similar.boxed() } else { Just(vec![session]).boxed() },
    ]
}
