//! Generated calls: many valid requests with a few changes, to each endpoint. Each must get a documented
//! answer. From time to time an unchanged request must still succeed.
//!
//! `GENERATED_CALLS` is the number of calls of each endpoint. Every run has the same calls.

mod bodies;
mod events;

use journeys::requests::event;
use journeys::{Answer, Contract, Embedded, Visitor, paths, proofs};
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
    let (events, mut runner) = (events::generated(path, bodies::seeds(path), &ana), TestRunner::deterministic());
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
    let (content_type, body) = bodies::valid(function.path, &mut eva).await;
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
