//! The secret of the proxy in front of the gateway: with `ACCEPTED_ORIGIN_DIGESTS`, a call without it is refused before
//! anything reads it.

use journeys::requests::event;
use journeys::{ENDPOINTS, Embedded, FRONT_END, PASSWORD, Visitor, paths};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::functions;
use crate::operations::audit::lines;

const SETTING: &str = "ACCEPTED_ORIGIN_DIGESTS";
const HEADER: &str = "x-origin-secret";
const OLD: &str = "the-old-secret-of-the-proxy";
const NEW: &str = "the-new-secret-of-the-proxy";

fn digest(secret: &str) -> String {
    Sha256::digest(secret).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// A login with a header for each of these values.
async fn login(ana: &mut Visitor, secrets: &[&str]) -> (u16, Value) {
    let request = ana.request(paths::LOGIN).header("x-forwarded-for", "192.0.2.66, 203.0.113.9");
    let request = secrets.iter().fold(request, |request, secret| request.header(HEADER, *secret));
    let fields = [("email", ana.email.clone()), ("password", PASSWORD.to_owned())];
    let answer = ana.send(request.form(&fields)).await;
    (answer.status, answer.json())
}

fn refusal() -> (u16, Value) {
    (403, json!({"success": false, "message": "Acceso prohibido"}))
}

/// A stack with a registered visitor, whose functions then accept only calls with one of these secrets.
async fn behind(secrets: &[&str]) -> (Embedded, Vec<functions::Function>) {
    let stack = Embedded::start(&[]).await;
    let digests = secrets.iter().map(|secret| digest(secret)).collect::<Vec<_>>().join(",");
    let functions = functions::all(&stack, &[(SETTING, &digests), ("AWS_LAMBDA_FUNCTION_NAME", "accounts-x")]);
    (stack, functions)
}

#[tokio::test]
async fn without_the_secret_every_endpoint_refuses_every_call_alike_before_it_reads_it() {
    let (stack, functions) = behind(&[NEW]).await;
    drop((stack.table.calls(), stack.mail.bodies()));
    for (function, endpoint) in functions.iter().zip(ENDPOINTS) {
        let mut sample = endpoint.sample_event();
        sample["headers"]["origin"] = json!(FRONT_END);
        for (method, body) in
            [("POST", Value::Null), ("POST", json!("%")), ("GET", Value::Null), ("OPTIONS", json!("a"))]
        {
            for wrong in [
                Value::Null,
                json!(""),
                json!(OLD),
                json!(digest(NEW)),
                json!(format!("{NEW},{NEW}")),
                json!(format!("{NEW}\n")),
            ] {
                let mut event = sample.clone();
                event["requestContext"]["http"]["method"] = json!(method);
                if !body.is_null() {
                    event["body"] = body.clone();
                    event["isBase64Encoded"] = json!(false);
                }
                if !wrong.is_null() {
                    event["headers"][HEADER] = wrong.clone();
                }
                let (answer, body) = function.answer(&event.to_string()).await;
                assert_eq!(
                    (answer["statusCode"].clone(), body),
                    (json!(403), refusal().1),
                    "{method} {wrong}: {}",
                    function.path
                );
                let headers = answer["headers"].as_object().unwrap();
                assert!(!headers.contains_key("set-cookie") && answer["cookies"].as_array().is_none_or(Vec::is_empty));
                assert!(headers.keys().all(|name| !name.starts_with("access-control-")), "{headers:?}");
            }
        }
    }
    assert_eq!((stack.table.calls(), stack.mail.bodies().len()), (Vec::<String>::new(), 0));
    assert_eq!(functions.iter().map(functions::Function::hashed).sum::<u64>(), 0);
    let log = stack.log();
    assert_eq!(log.len(), ENDPOINTS.len() * 24, "one line for each call");
    for line in log {
        assert!(!line.contains(OLD) && !line.contains(NEW), "{line}");
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&line["problem.code"], &line["http.status"]), (&json!("direct-call"), &json!(403)), "{line}");
        assert_eq!(
            (&line["Problem"], &line["Problems"], &line["Faults"]),
            (&json!("direct-call"), &json!(1), &json!(0))
        );
    }
}

#[tokio::test]
async fn with_the_secret_every_endpoint_answers_as_it_does_without_the_setting() {
    let (stack, behind) = behind(&[OLD, NEW]).await;
    for (function, open) in behind.iter().zip(functions::all(&stack, &[])) {
        for secret in [OLD, NEW] {
            let mut event = event(function.path, "application/x-www-form-urlencoded", "");
            let expected = open.invoke(&event.to_string()).await;
            event["headers"][HEADER] = json!(secret);
            assert_eq!(function.invoke(&event.to_string()).await, expected, "{}", function.path);
        }
    }
}

#[tokio::test]
async fn the_old_and_the_new_secret_are_accepted_until_the_old_one_is_taken_off_the_list() {
    for (digests, old) in [(format!("{},{}", digest(OLD), digest(NEW)), 200), (digest(NEW).to_uppercase(), 403)] {
        let stack = Embedded::start(&[(SETTING, &digests)]).await;
        let mut ana = stack.service.visitor();
        assert_eq!(login(&mut ana, &[NEW]).await.0, 200);
        assert_eq!(login(&mut ana, &[OLD]).await.0, old);
        for wrong in [&[][..], &["another"], &[NEW, NEW], &[OLD, NEW]] {
            assert_eq!(login(&mut ana, wrong).await, refusal(), "{wrong:?}");
        }
    }
}

#[tokio::test]
async fn the_address_that_the_proxy_names_is_believed_with_the_secret_alone() {
    let stack = Embedded::start(&[(SETTING, &digest(NEW))]).await;
    let named = |line: &Value| (line["client.address"].clone(), line.get("client.forwarded").cloned());
    login(&mut stack.service.visitor(), &[NEW]).await;
    assert_eq!(named(&lines(&stack).pop().unwrap()), (json!("203.0.113.9"), None));
    // Without the setting nobody is believed, whatever is sent.
    let open = Embedded::start(&[]).await;
    login(&mut open.service.visitor(), &[NEW]).await;
    assert_eq!(named(&lines(&open).pop().unwrap()), (json!("127.0.0.1"), Some(json!("203.0.113.9"))));
}

#[tokio::test]
async fn the_authorizer_and_the_stream_need_no_secret() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let digest = digest(NEW);
    let setup = stack.setup(&[(SETTING, &digest), ("AWS_ENDPOINT_URL_DYNAMODB", &stack.table.url())]);
    let event = json!({"cookies": [ana.cookie], "headers": {}, "requestContext": {"http": {"method": "GET"}}});
    let verdict = local::start_function("Authorizer", &setup).unwrap()(event.to_string()).await;
    assert_eq!(serde_json::from_str::<Value>(&verdict).unwrap()["isAuthorized"], true, "{verdict}");
    let handled = local::start_function("Notices", &setup).unwrap()(r#"{"Records":[]}"#.to_owned()).await;
    assert_eq!(handled, r#"{"batchItemFailures":[]}"#);
}

#[tokio::test]
async fn a_digest_that_is_none_keeps_the_function_from_starting_and_is_not_named() {
    let stack = Embedded::start(&[]).await;
    let three = [digest(OLD), digest(NEW), digest("")].join(",");
    for odd in [OLD, &three, &digest(NEW)[1..], &format!("{},", digest(NEW))] {
        let started = local::start_function("Session", &stack.setup(&[(SETTING, odd)]));
        let faults = started.err().unwrap().to_string();
        assert!(faults.contains(SETTING) && !faults.contains(odd), "{faults}");
    }
}
