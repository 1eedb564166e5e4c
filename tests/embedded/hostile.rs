//! Events and bodies that nobody sends in good faith: each gets a JSON answer, and the same process
//! serves the next one.

use std::ops::Range;

use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::{Value, json};

use crate::hosts::{self, Function};
use crate::rows;

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data; boundary=x";
const JSON: &str = "application/json";

/// An event with one member, named by its JSON pointer, replaced or (by none) taken away.
fn changed(path: &str, pointer: &str, value: Option<Value>) -> String {
    let mut event = hosts::event(path, FORM, "a=1");
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = event.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
    parent.remove(name);
    parent.extend(value.map(|value| (name.to_owned(), value)));
    event.to_string()
}

/// What a well-formed, empty call is answered; the process is well if it says the same again.
async fn pulse(function: &Function) -> (u16, Value) {
    function.invoke(&hosts::event(function.path, FORM, "").to_string()).await
}

#[tokio::test]
async fn what_a_function_does_not_read_may_be_anything() {
    let stack = Embedded::start(&[]).await;
    let odd = [
        ("/rawQueryString", json!("a=<script>&b=%zz&c=x y")),
        ("/rawQueryString", json!("\u{0}\r\n\u{2028}")),
        ("/rawPath", json!("/a b/<>/%")),
        ("/rawPath", json!("")),
        ("/queryStringParameters", json!({"<": "\u{1}", "": ""})),
        ("/pathParameters", json!({"proxy": "../../etc/passwd"})),
        ("/headers/host", json!("a b<>.example:99999999")),
        ("/headers/host", json!("")),
        ("/headers/x-forwarded-proto", json!("java script")),
        ("/headers/x-forwarded-proto", json!("")),
        ("/headers/x-odd", json!("\u{0}\u{7f}\r\nx-injected: 1")),
        ("/headers/ä b\n", json!("name")),
        ("/requestContext/domainName", json!(null)),
        ("/requestContext/timeEpoch", json!(-1)),
        ("/requestContext/http/sourceIp", json!("not an address")),
        ("/stageVariables", json!({"a": null})),
        ("/version", json!("1.0")),
        ("/unknown", json!([[[[]]]])),
    ];
    for function in hosts::all(&stack, &[]) {
        let expected = function.invoke(&hosts::event(function.path, FORM, "a=1").to_string()).await;
        for (pointer, value) in &odd {
            let answer = function.invoke(&changed(function.path, pointer, Some(value.clone()))).await;
            assert_eq!(answer, expected, "{} {pointer} {value}", function.path);
        }
    }
}

#[tokio::test]
async fn whatever_an_event_lacks_or_has_of_another_type_there_is_an_answer() {
    let stack = Embedded::start(&[]).await;
    let values = [
        None,
        Some(json!(null)),
        Some(json!(true)),
        Some(json!(-1.5e300)),
        Some(json!("")),
        Some(json!("x")),
        Some(json!([null])),
        Some(json!({"x": [1]})),
    ];
    let pointers = [
        "/headers",
        "/headers/x-requested-with",
        "/headers/content-type",
        "/headers/cookie",
        "/cookies",
        "/body",
        "/isBase64Encoded",
        "/requestContext",
        "/requestContext/requestId",
        "/requestContext/http",
        "/requestContext/http/method",
    ];
    for function in hosts::all(&stack, &[]) {
        let healthy = pulse(&function).await;
        for pointer in pointers {
            for value in &values {
                let (status, _) = function.invoke(&changed(function.path, pointer, value.clone())).await;
                assert_ne!(status, 500, "{} {pointer} {value:?}", function.path);
            }
        }
        assert_eq!(pulse(&function).await, healthy, "{}", function.path);
    }
}

#[tokio::test]
async fn what_is_no_event_is_a_bad_request() {
    let stack = Embedded::start(&[]).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for function in hosts::all(&stack, &[]) {
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
async fn a_body_that_is_not_the_base64_it_is_said_to_be_is_unreadable() {
    let stack = Embedded::start(&[]).await;
    let session = stack.service.visitor().signed().await.cookie.unwrap();
    for function in hosts::all(&stack, &[]) {
        for body in ["%%%", "YQ", "YQ=", "YQ==YQ==", "Y Q = =", "ñ", "_-8="] {
            for content_type in [FORM, JSON, MULTIPART] {
                let mut event = hosts::event(function.path, content_type, body);
                event["isBase64Encoded"] = json!(true);
                event["cookies"] = json!([session]);
                if [paths::LOGOUT, paths::SESSION, paths::DELETE_ACCOUNT].contains(&function.path) {
                    continue;
                }
                let (status, answer) = function.invoke(&event.to_string()).await;
                let expected = match function.path {
                    paths::RECEIVE_DATA => (200, "Invalid JSON"),
                    _ => (400, "Parámetros inválidos"),
                };
                assert_eq!((status, answer["message"].as_str().unwrap()), expected, "{} {body}", function.path);
            }
        }
    }
}

#[tokio::test]
async fn a_hostile_cookie_is_no_session() {
    let stack = Embedded::start(&[]).await;
    let session = stack.service.visitor().signed().await.cookie.unwrap();
    let (name, value) = session.split_once('=').unwrap();
    let hostile = [
        json!([format!("{session}\u{1}")]),
        json!([format!("\u{0}{session}")]),
        json!([format!("{session}\r\nset-cookie: a=1")]),
        json!([format!("\u{2000}{session}")]),
        json!([format!("{name}=\"{value}\"")]),
        json!([format!("{name} ={value}")]),
        json!([format!("SESSION={value}")]),
        json!([session, session]),
        json!([format!("{session}; {name}=other")]),
        json!(["=", ";;;", "session", "session=", "$Version=1"]),
        json!([format!("session={}", "A".repeat(100_000))]),
    ];
    let functions = hosts::all(&stack, &[]);
    let guarded = [paths::SESSION, paths::USER_CONFIG, paths::DELETE_ACCOUNT];
    for function in functions.iter().filter(|function| guarded.contains(&function.path)) {
        for cookies in &hostile {
            let mut event = hosts::event(function.path, FORM, "name=Eva");
            event["cookies"] = cookies.clone();
            let (_, answer) = function.invoke(&event.to_string()).await;
            let message = answer["message"].as_str().unwrap_or_default();
            assert!(message.starts_with("No hay una sesión activa"), "{} {cookies} {answer}", function.path);
        }
    }
    let session_endpoint = functions.iter().find(|function| function.path == paths::SESSION).unwrap();
    let mut event = hosts::event(paths::SESSION, FORM, "");
    event["cookies"] = json!(["a=\u{1}", session, "b"]);
    assert_eq!(session_endpoint.invoke(&event.to_string()).await.0, 200, "the others' cookies do not matter");
}

/// A small generator (Marsaglia's xorshift): the same bodies in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let (one, other) = (self.below(length + 1), self.below(length + 1));
        one.min(other)..one.max(other).min(one.min(other) + 12)
    }
}

/// Pieces that parsers stumble over.
const PIECES: [&[u8]; 24] = [
    b"&",
    b"=",
    b"%",
    b"%00",
    b"%FF",
    b"+",
    b"[]",
    b"[0]",
    b"\0",
    b"\xff\xfe",
    b"\r\n",
    b"--x",
    b"--x--\r\n",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b"1e999",
    b"\xf0\x9f\x98\x80",
    b";name=\"a\"; filename=\"b\"",
];

/// A body with a few bytes changed, taken out, doubled, or replaced by something awkward.
fn mutated(dice: &mut Dice, body: &str) -> Vec<u8> {
    let mut bytes = body.as_bytes().to_vec();
    for _ in 0..=dice.below(4) {
        let range = dice.range(bytes.len());
        match dice.below(5) {
            0 => drop(bytes.drain(range)),
            1 => bytes.truncate(range.start),
            2 => {
                let doubled = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, doubled);
            }
            3 => {
                let piece = PIECES[dice.below(PIECES.len())];
                bytes.splice(range, piece.iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte = u8::try_from(dice.below(256)).unwrap();
                }
            }
        }
    }
    bytes
}

/// Bodies that are right, or right but for what is looked at last: hashing takes its time.
fn seeds(path: &str) -> Vec<(&'static str, String)> {
    let multipart = |fields: &[(&str, &str)]| {
        let part = |(name, value): &(&str, &str)| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        fields.iter().map(part).collect::<String>() + "--x--\r\n"
    };
    let encoded = |fields: &[(&str, &str)]| {
        let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("&")
    };
    let fields: Vec<(&str, &str)> = match path {
        paths::REGISTER => vec![
            ("nombre", "Ana"),
            ("email", "ana@example.com"),
            ("password", PASSWORD),
            ("confirm-password", PASSWORD),
            ("terms", "on"),
            ("notifications", "off"),
        ],
        paths::LOGIN => vec![("email", "ana@example.com"), ("password", PASSWORD)],
        paths::USER_CONFIG => vec![("name", "Ana"), ("avatar", ""), ("notifications", "on")],
        paths::SEND_RESET_LINK => vec![("email", "nadie@example.com")],
        paths::RESET_PASSWORD => {
            vec![("new_password", PASSWORD), ("confirm_password", PASSWORD), ("token", "AAAA.AAAA")]
        }
        paths::GOOGLE_REDIRECT => vec![("credential", "e30.e30.e30"), ("g_csrf_token", "x")],
        _ => vec![("a", "1")],
    };
    let document = r#"{"credential":"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA","b":[1,{"c":null}]}"#.to_owned();
    let array = r#"[{"a":1,"b":"\u00f1"},{"c":[true,null,-0.0e1]},{}]"#.to_owned();
    match path {
        paths::RECEIVE_DATA => vec![(JSON, document), (JSON, array)],
        paths::GOOGLE_LOGIN => vec![(JSON, document)],
        paths::GOOGLE_REDIRECT => vec![(JSON, document), (FORM, encoded(&fields)), (MULTIPART, multipart(&fields))],
        _ => vec![(FORM, encoded(&fields)), (MULTIPART, multipart(&fields))],
    }
}

#[tokio::test]
async fn two_thousand_generated_bodies_an_endpoint_are_all_answered() {
    // With a captcha required and missing, a login is refused before the password is hashed.
    let stack = Embedded::start(&[]).await;
    let settings =
        [("CAPTCHA_SECRET_ARN", "x"), ("CAPTCHA_VERIFY_URL", "http://127.0.0.1:9/x"), ("CAPTCHA_REQUIRED", "true")];
    let ana: Visitor = stack.service.visitor().signed().await;
    for function in hosts::all(&stack, &settings) {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        let seeds = seeds(function.path);
        let looks_at_its_body = ![paths::LOGOUT, paths::SESSION, paths::DELETE_ACCOUNT].contains(&function.path);
        for number in 0..2_000 {
            let (content_type, seed) = &seeds[number % seeds.len()];
            let body = mutated(&mut dice, seed);
            let mut event = hosts::event(function.path, content_type, "");
            event["isBase64Encoded"] = json!(true);
            event["body"] = json!(padded(rows::base64(&body)));
            if looks_at_its_body {
                event["cookies"] = json!([ana.cookie]);
            }
            let (status, _) = function.invoke(&event.to_string()).await;
            assert_ne!((status, number), (500, number), "{} {}", function.path, String::from_utf8_lossy(&body));
        }
    }
    assert!(stack.log().iter().all(|line| !line.contains("panic")));
    assert_eq!(ana.clone().session().await.status, 200);
}

/// Base64 with padding, as the gateway has it.
fn padded(mut base64: String) -> String {
    while !base64.len().is_multiple_of(4) {
        base64.push('=');
    }
    base64
}
