//! Generated calls: requests that are right but for a few changes, to each endpoint by the thousand. Each gets an
//! answer that the API's document knows, and now and then a right one among them still succeeds.
//!
//! `GENERATED` is how many each endpoint gets; every run has the same ones.

mod bodies;
mod dice;
mod events;

use journeys::{Answer, Contract, Embedded, Visitor, paths};
use serde_json::{Value, json};

use crate::support::hosts::{self, Function};
use dice::Dice;

/// Calls of each endpoint, if `GENERATED` does not say more.
const CALLS: usize = 2_000;
/// One call of so many is right, and must succeed.
const HONEST: usize = 500;

/// A login lacks the captcha that it needs, so that no password is hashed for a call that is to be refused.
const CAPTCHA: [(&str, &str); 3] =
    [("CAPTCHA_SECRET_ARN", "x"), ("CAPTCHA_VERIFY_URL", "http://127.0.0.1:9/x"), ("CAPTCHA_REQUIRED", "true")];

fn calls() -> usize {
    std::env::var("GENERATED").map_or(CALLS, |number| number.parse().unwrap())
}

/// Holds an answer to the API's document.
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
    let stack = Embedded::start(&[]).await;
    let function_of = |settings: &[(&str, &str)]| -> Function {
        hosts::all(&stack, settings).into_iter().find(|function| function.path == path).unwrap()
    };
    let (function, honest) = (function_of(&CAPTCHA), function_of(&[]));
    let ana = stack.service.visitor().signed().await;
    let seeds = bodies::seeds(path);
    let mut dice = Dice::of(path);
    for number in 0..calls() {
        let event = events::generated(&mut dice, path, &seeds, &ana);
        documented(path, &function.answer(&event).await.0, &event);
        if number % HONEST == 0 {
            succeeds(&honest, &stack).await;
        }
    }
    assert!(stack.log().iter().all(|line| !line.contains("panic")));
}

/// A new visitor's right call of the endpoint succeeds.
async fn succeeds(function: &Function, stack: &Embedded) {
    let mut eva: Visitor = stack.service.visitor();
    if function.path != paths::REGISTER {
        eva = eva.signed().await;
    }
    let (content_type, body) = bodies::right(function.path, &mut eva).await;
    let mut event = hosts::event(function.path, content_type, &body);
    event["cookies"] = json!(eva.cookie.iter().collect::<Vec<_>>());
    let (answer, body) = function.answer(&event.to_string()).await;
    assert!(
        body["success"] == true || body["status"].is_string() || answer["statusCode"] == 303,
        "{answer} to {event}"
    );
}

/// One test for each endpoint, so that they run beside each other.
macro_rules! generated {
    ($($module:ident $path:ident)*) => {
        $(mod $module {
            #[tokio::test]
            async fn generated_calls_are_all_answered() {
                super::answers(journeys::paths::$path).await;
            }
        })*
    };
}
journeys::for_each_endpoint!(generated);
