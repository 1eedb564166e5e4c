//! The runtime's event: of API Gateway's HTTP API or of a function URL, payload format version 2.0.

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

/// The ASCII characters that are percent-encoded in a header value with control characters. `%` is one of them, so that
/// the encoding is unambiguous.
const ENCODED: &AsciiSet = &CONTROLS.add(b'%');

/// An event that `lambda_http` can convert; `None` if it cannot be read. It is parsed from the runtime's
/// buffer, because a second copy of an event of 6 MB would be most of a call's memory.
pub(super) struct Event(pub(super) Option<LambdaRequest>);

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = <&RawValue>::deserialize(deserializer)?;
        Ok(Self::read(event.get()))
    }
}

impl Event {
    /// Parses an event. It catches panics, because the `http` crate panics on more than 24,576 headers.
    pub(super) fn read(text: &str) -> Self {
        let read = || parsed(text).or_else(|| repaired(text)).map(convertible);
        Self(catch_unwind(AssertUnwindSafe(read)).ok().flatten().map(LambdaRequest::ApiGatewayV2))
    }
}

fn parsed(text: &str) -> Option<ApiGatewayV2httpRequest> {
    serde_json::from_str(text).ok().map(|Object(event)| event)
}

/// The members of an event that the service reads. All others are ignored.
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

/// The second attempt for an event that the library refuses. The library refuses the whole event because of one invalid
/// header, or because of one unexpected value in a member that the service does not read. A browser that keeps sending
/// such a header would then be refused at every call. If the event has two headers with the same name, which the
/// gateway would have joined, the last one is used.
fn repaired(text: &str) -> Option<ApiGatewayV2httpRequest> {
    let Object(event): Object<Essential> = serde_json::from_str(text).ok()?;
    let Object(context) = event.request_context;
    let Object(http) = context.http;
    let headers: Map<String, Value> = event.headers.unwrap_or_default().into_iter().filter_map(header).collect();
    // An invalid method becomes TRACE: endpoints answer both with 405, and an authorizer lets neither pass as a reading one.
    let method = http.method.parse().unwrap_or(Method::TRACE);
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

/// The text as a valid header value. A text with control characters is percent-encoded, so that different texts stay
/// different.
fn without_controls(text: &str) -> Cow<'_, str> {
    if HeaderValue::from_str(text).is_ok() { text.into() } else { utf8_percent_encode(text, ENCODED).into() }
}

/// Removes the parts on which the conversion would panic: it parses a URL from host, path and query. `request::host`
/// reads the host in `domain_prefix`, which the conversion does not use. Control characters in cookies are encoded,
/// because the library drops all cookies if one has any.
fn convertible(mut event: ApiGatewayV2httpRequest) -> ApiGatewayV2httpRequest {
    let host = event.headers.remove(HOST);
    event.request_context.domain_prefix = host.and_then(|host| host.to_str().map(str::to_owned).ok());
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
