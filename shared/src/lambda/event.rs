//! What the runtime hands over: an event of API Gateway's HTTP API or of a function URL, payload format version 2.0.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use lambda_http::http::header::HOST;
use lambda_http::http::{HeaderName, HeaderValue, Method};
use lambda_http::request::LambdaRequest;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::endpoint::body::object::Object;

/// What is encoded of a header's value that has control characters.
const ENCODED: &AsciiSet = &CONTROLS.add(b'%');

/// An event that `lambda_http` can convert; `None` if it is not of the documented shape. It is parsed from the runtime's
/// buffer: a second copy of an event of 6 MB would be most of a call's memory.
pub(super) struct Event(pub(super) Option<LambdaRequest>);

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = <&RawValue>::deserialize(deserializer)?;
        Ok(Self::read(event.get()))
    }
}

impl Event {
    /// Reads an event's text. It never panics, as `http` does on 32,768 headers.
    pub(super) fn read(text: &str) -> Self {
        let read = || parsed(text).or_else(|| mended(text)).map(convertible);
        Self(catch_unwind(AssertUnwindSafe(read)).ok().flatten().map(LambdaRequest::ApiGatewayV2))
    }
}

fn parsed(text: &str) -> Option<ApiGatewayV2httpRequest> {
    serde_json::from_str(text).ok().map(|Object(event)| event)
}

/// What the service reads of an event. All other members are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Essential {
    headers: Option<Map<String, Value>>,
    cookies: Option<Value>,
    body: Option<Value>,
    #[serde(default)]
    is_base64_encoded: bool,
    request_context: Object<Context>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    request_id: Option<Value>,
    http: Object<Http>,
}

#[derive(Deserialize)]
struct Http {
    method: String,
}

/// The second try for an event that the library refuses as a whole because of one header or one member that nobody
/// reads. A browser that sends such a header would otherwise be refused at every call until the header is gone. Of two
/// headers of one name, which the gateway would have joined, the last one is taken.
fn mended(text: &str) -> Option<ApiGatewayV2httpRequest> {
    let Object(event): Object<Essential> = serde_json::from_str(text).ok()?;
    let Object(context) = event.request_context;
    let Object(http) = context.http;
    let headers: Map<String, Value> = event.headers.unwrap_or_default().into_iter().filter_map(header).collect();
    // Whatever cannot be a method is not POST.
    let method = http.method.parse().unwrap_or(Method::GET);
    let event = json!({
        "headers": headers,
        "cookies": event.cookies,
        "body": event.body,
        "isBase64Encoded": event.is_base64_encoded,
        "requestContext": {"requestId": context.request_id, "http": {"method": method.as_str()}},
    });
    serde_json::from_value(event).ok()
}

fn header((name, value): (String, Value)) -> Option<(String, Value)> {
    HeaderName::from_bytes(name.as_bytes()).ok()?;
    let value = without_controls(value.as_str()?).into_owned();
    Some((name, value.into()))
}

/// A text as a header can carry it. One with control characters is percent-encoded, so that no two texts become one.
fn without_controls(text: &str) -> Cow<'_, str> {
    if HeaderValue::from_str(text).is_ok() { text.into() } else { utf8_percent_encode(text, ENCODED).into() }
}

/// Takes out what the conversion would panic on: it parses a URL of host, path and query, which nothing here reads.
/// Control characters are encoded cookie by cookie: the library drops all cookies if one of them has any.
fn convertible(mut event: ApiGatewayV2httpRequest) -> ApiGatewayV2httpRequest {
    event.headers.remove(HOST);
    event.request_context.domain_name = None;
    event.request_context.stage = None;
    event.raw_path = None;
    event.raw_query_string = None;
    event.cookies = event.cookies.filter(|cookies| !cookies.is_empty());
    for cookie in event.cookies.iter_mut().flatten() {
        if let Cow::Owned(text) = without_controls(cookie) {
            *cookie = text;
        }
    }
    event
}
