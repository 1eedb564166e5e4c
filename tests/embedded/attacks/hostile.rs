//! Hostile events and bodies: each gets a JSON answer, and the process serves the next one.

use journeys::bodies::{FORM, JSON, MULTIPART};
use journeys::requests::event;
use journeys::{Embedded, paths};
use serde_json::{Value, json};

use crate::functions::{self, Function};

/// An event with one member, given by its JSON pointer, replaced or (with `None`) removed.
fn changed(path: &str, pointer: &str, value: Option<Value>) -> String {
    let mut event = event(path, FORM, "a=1");
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = event.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
    parent.remove(name);
    parent.extend(value.map(|value| (name.to_owned(), value)));
    event.to_string()
}

/// The answer to a well-formed, empty call. The process is healthy if it repeats this answer.
async fn pulse(function: &Function) -> (u16, Value) {
    function.invoke(&event(function.path, FORM, "").to_string()).await
}

#[tokio::test]
async fn members_that_a_function_does_not_read_may_have_any_value() {
    let stack = Embedded::start(&[]).await;
    let odd = [
        ("/rawQueryString", json!("a=<script>&b=%zz\u{0}\r\n\u{2028}")),
        ("/rawPath", json!("/a b/<>/%")),
        ("/queryStringParameters", json!({"<": "\u{1}", "": ""})),
        ("/pathParameters", json!({"proxy": "../../etc/passwd"})),
        ("/headers/host", json!("a b<>.example:99999999")),
        ("/headers/x-forwarded-proto", json!("java script")),
        ("/headers/x-odd", json!("\u{0}\u{7f}\r\nx-injected: 1")),
        ("/headers/ä b\n", json!("name")),
        ("/requestContext/domainName", json!(null)),
        ("/requestContext/timeEpoch", json!(-1)),
        ("/version", json!("1.0")),
        ("/unknown", json!([[[[]]]])),
    ];
    for function in functions::all(&stack, &[]) {
        let expected = function.invoke(&event(function.path, FORM, "a=1").to_string()).await;
        for (pointer, value) in &odd {
            let answer = function.invoke(&changed(function.path, pointer, Some(value.clone()))).await;
            assert_eq!(answer, expected, "{} {pointer} {value}", function.path);
        }
    }
}

#[tokio::test]
async fn an_event_with_a_missing_or_mistyped_member_gets_an_answer() {
    let stack = Embedded::start(&[]).await;
    let values = [json!(null), json!(true), json!(-1.5e300), json!("x"), json!([null]), json!({"x": [1]})];
    let values: Vec<_> = [None].into_iter().chain(values.map(Some)).collect();
    let pointers = "/headers /headers/x-requested-with /headers/content-type /headers/cookie /cookies /body \
        /isBase64Encoded /requestContext /requestContext/requestId /requestContext/http /requestContext/http/method";
    for function in functions::all(&stack, &[]) {
        let healthy = pulse(&function).await;
        for pointer in pointers.split(' ') {
            for value in &values {
                let (status, _) = function.invoke(&changed(function.path, pointer, value.clone())).await;
                assert_ne!(status, 500, "{} {pointer} {value:?}", function.path);
            }
        }
        assert_eq!(pulse(&function).await, healthy, "{}", function.path);
    }
}

#[tokio::test]
async fn an_invalid_event_is_a_bad_request() {
    let stack = Embedded::start(&[]).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for function in functions::all(&stack, &[]) {
        let healthy = pulse(&function).await;
        for event in
            ["", " ", "null", "1", "\"x\"", "[]", "{}", "{", "\u{0}", "\u{feff}{}", "{\"requestContext\":{}}", &deep]
        {
            assert_eq!(function.invoke(event).await.0, 400, "{}", function.path);
        }
        assert_eq!(pulse(&function).await, healthy, "{}", function.path);
    }
}

#[tokio::test]
async fn a_body_that_is_declared_as_base64_and_is_not_is_a_bad_request() {
    let stack = Embedded::start(&[]).await;
    let session = stack.service.visitor().signed_in().await.cookie.unwrap();
    for function in functions::all(&stack, &[]) {
        let healthy = pulse(&function).await;
        for body in ["%%%", "YQ", "YQ=", "YQ==YQ==", "Y Q = =", "ñ", "_-8="] {
            for content_type in [FORM, JSON, MULTIPART] {
                let mut event = event(function.path, content_type, body);
                event["isBase64Encoded"] = json!(true);
                event["cookies"] = json!([session]);
                let (status, answer) = function.invoke(&event.to_string()).await;
                let said = (status, answer["message"].as_str().unwrap());
                assert_eq!(said, (400, "Parámetros inválidos"), "{} {body}", function.path);
            }
        }
        assert_eq!(pulse(&function).await, healthy, "{}", function.path);
    }
}

#[tokio::test]
async fn a_hostile_cookie_is_no_session() {
    let stack = Embedded::start(&[]).await;
    let session = stack.service.visitor().signed_in().await.cookie.unwrap();
    let (name, value) = session.split_once('=').unwrap();
    let hostile = [
        json!([format!("{session}\u{1}")]),
        json!([format!("{session}\r\nset-cookie: a=1")]),
        json!([format!("\u{2000}{session}")]),
        json!([format!("{name}=\"{value}\"")]),
        json!([format!("SESSION={value}")]),
        json!([session, session]),
        json!([format!("{session}; {name}=other")]),
        json!(["=", ";;;", "session", "session=", "$Version=1"]),
    ];
    let functions = functions::all(&stack, &[]);
    let guarded = [paths::SESSION, paths::USER_CONFIG, paths::DELETE_ACCOUNT];
    for function in functions.iter().filter(|function| guarded.contains(&function.path)) {
        for cookies in &hostile {
            let mut event = event(function.path, FORM, "name=Eva");
            event["cookies"] = cookies.clone();
            let (_, answer) = function.invoke(&event.to_string()).await;
            let message = answer["message"].as_str().unwrap_or_default();
            assert!(message.starts_with("No hay una sesión activa"), "{} {cookies} {answer}", function.path);
        }
    }
    let session_endpoint = functions.iter().find(|function| function.path == paths::SESSION).unwrap();
    let mut event = event(paths::SESSION, FORM, "");
    event["cookies"] = json!(["a=\u{1}", session, "b"]);
    assert_eq!(
        session_endpoint.invoke(&event.to_string()).await.0,
        200,
        "hostile cookies beside the session cookie do not matter"
    );
}
