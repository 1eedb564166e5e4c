//! Hostile events and bodies: each gets a JSON answer, and the process serves the next one.

use journeys::bodies::FORM;
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
