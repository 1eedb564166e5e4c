//! The gateway's events and answers: API Gateway HTTP API, payload format version 2.0.
//!
//! Only what the service reads is taken from an event, and everything in it may be missing or odd:
//! reading never panics. (The general conversion of `lambda_http` does, on hostile queries, hosts
//! and bodies, and builds a URL that nothing here needs.)

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::json_text;
use crate::object::Object;

/// A body that is flagged as base64 and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// One HTTP request, as the gateway saw it.
pub struct Request {
    /// The gateway's name for the request.
    pub id: String,
    /// The method, in the letters that the client used.
    pub method: String,
    headers: HashMap<String, String>,
    cookies: Vec<String>,
    body: Result<Bytes, Unreadable>,
}

/// What the runtime hands over: a request, or none if the event is not of the expected shape. It is read where the
/// runtime has it; an event of 6 MB kept beside its body would be most of a call's memory.
pub struct Incoming(pub Option<Request>);

impl<'de> Deserialize<'de> for Incoming {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(Request::from_event(event.get())))
    }
}

impl Request {
    /// Reads an event; `None` when it is not an object of the expected shape.
    #[must_use]
    pub fn from_event(event: &str) -> Option<Self> {
        let Object(event): Object<Event<'_>> = serde_json::from_str(event).ok()?;
        let body = match event.body.map(|body| json_text::read(body.get())) {
            Some(text) if event.is_base64_encoded => STANDARD.decode(text?.as_bytes()).map_err(|_| Unreadable),
            Some(text) => Ok(text?.into_owned().into_bytes()),
            None => Ok(Vec::new()),
        };
        let Object(context) = event.request_context;
        let Object(http) = context.http;
        let (Headers(headers), cookies) = (event.headers, event.cookies);
        Some(Self { id: context.request_id, method: http.method, headers, cookies, body: body.map(Bytes::from) })
    }

    /// A header's value by its lower-case name; repeated ones are joined by commas, in their order.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Every `name=value` that the client sent as a cookie. The gateway lists cookies apart from
    /// the headers; other senders of the same event leave them in the header, or in both.
    pub fn cookies(&self) -> impl Iterator<Item = &str> {
        let header = self.header("cookie").filter(|_| self.cookies.is_empty());
        self.cookies.iter().map(String::as_str).chain(header).flat_map(|line| line.split(';'))
    }

    /// The body's bytes; a clone of them is no copy.
    ///
    /// # Errors
    /// The gateway flagged it as base64 and it is not.
    pub fn body(&self) -> Result<&Bytes, Unreadable> {
        self.body.as_ref().map_err(|unreadable| *unreadable)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(default, deserialize_with = "or_default")]
    headers: Headers,
    #[serde(default, deserialize_with = "or_default")]
    cookies: Vec<String>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    #[serde(default)]
    is_base64_encoded: bool,
    request_context: Object<Context>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    #[serde(default)]
    request_id: String,
    http: Object<Http>,
}

#[derive(Deserialize)]
struct Http {
    method: String,
}

/// Values by the lower-case name. A name that is there again, in whatever case, adds its value; a map of the
/// library would drop one of the two.
#[derive(Default)]
struct Headers(HashMap<String, String>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeadersVisitor)
    }
}

struct HeadersVisitor;

impl<'de> Visitor<'de> for HeadersVisitor {
    type Value = Headers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("headers by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Headers, A::Error> {
        let mut headers: HashMap<String, String> = HashMap::new();
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            let name = name.to_ascii_lowercase();
            match headers.get_mut(&name) {
                Some(joined) => {
                    joined.push(',');
                    joined.push_str(&value);
                }
                None => drop(headers.insert(name, value)),
            }
        }
        Ok(Headers(headers))
    }
}

/// Takes `null` as the empty value.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The answer that the gateway turns into HTTP. No `Debug`: it may hold a session's secret.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// HTTP status.
    pub status_code: u16,
    /// Headers, each once.
    pub headers: BTreeMap<&'static str, Cow<'static, str>>,
    /// `Set-Cookie` values.
    pub cookies: Vec<String>,
    /// Text of the body.
    pub body: String,
    /// Always false: every body is text.
    pub is_base64_encoded: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_and_header_names_do_not_depend_on_case() {
        let request = Request::from_event(
            r#"{"version":"2.0","headers":{"X-A":"1","x-a":"2","x-a":"","cookie":"a=1; b=2"},"cookies":["a=1","b=2"],
                "body":"aG9sYQ==","isBase64Encoded":true,
                "requestContext":{"requestId":"r","http":{"method":"POST"}}}"#,
        )
        .unwrap();
        assert_eq!(request.header("x-a"), Some("1,2,"));
        assert_eq!(request.cookies().collect::<Vec<_>>(), ["a=1", "b=2"]);
        assert_eq!(request.body(), Ok(&Bytes::from("hola")));
    }

    #[test]
    fn two_headers_of_one_name_never_pass_for_one() {
        for (headers, joined) in [(r#"{"X-A":"","x-a":"1"}"#, ",1"), (r#"{"x-a":"1","x-a":""}"#, "1,")] {
            let event = format!(r#"{{"headers":{headers},"requestContext":{{"http":{{"method":"POST"}}}}}}"#);
            assert_eq!(Request::from_event(&event).unwrap().header("x-a"), Some(joined));
        }
    }

    #[test]
    fn cookies_are_found_in_the_header_when_the_sender_does_not_list_them() {
        let request =
            Request::from_event(r#"{"headers":{"Cookie":"a=1;b=2"},"requestContext":{"http":{"method":"POST"}}}"#);
        assert_eq!(request.unwrap().cookies().collect::<Vec<_>>(), ["a=1", "b=2"]);
    }

    #[test]
    fn what_may_be_missing_or_null_is_empty() {
        let request = Request::from_event(
            r#"{"headers":null,"cookies":null,"body":null,"requestContext":{"http":{"method":"GET"}}}"#,
        )
        .unwrap();
        assert_eq!(request.body(), Ok(&Bytes::new()));
        assert_eq!(request.cookies().count(), 0);
    }

    #[test]
    fn bad_base64_is_an_unreadable_body_and_not_a_lost_request() {
        let request =
            Request::from_event(r#"{"body":"%%%","isBase64Encoded":true,"requestContext":{"http":{"method":"POST"}}}"#)
                .unwrap();
        assert_eq!(request.body(), Err(Unreadable));
    }

    #[test]
    fn what_is_no_event_is_none() {
        for text in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"requestContext":{"http":{}}}"#,
            r#"{"requestContext":["r",["POST"]]}"#,
            r#"[null,null,null,false,{"http":{"method":"POST"}}]"#,
            "\u{0}",
        ] {
            assert!(Request::from_event(text).is_none(), "{text:?}");
        }
    }
}
