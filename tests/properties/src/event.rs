//! The gateway's event. An input is an event's text.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, Method};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use shared::endpoint::request::{Request, header};
use shared::lambda::read_request;

use crate::json::{is_json, members};

/// The parts of an event, as the second implementation reads them.
struct Expected {
    method: String,
    headers: BTreeMap<String, String>,
    cookies: Vec<String>,
    /// The text, and the value of `isBase64Encoded`.
    body: (String, bool),
}

/// No text makes the parser of events panic. An event of the documented shape is read, unless its body is declared as
/// base64 and is not valid base64. The result is then correct:
///
/// - An invalid method is read as TRACE, and an empty one as GET or TRACE. Endpoints refuse both.
/// - Header names may be in any case, and control characters in values are percent-encoded.
/// - The cookies of the list replace those of the header.
/// - A base64 body is decoded.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let read = read_request(text);
    let Some(expected) = expected(text) else { return };
    let method = expected.method.parse().unwrap_or(Method::TRACE);
    let (body, is_base64) = &expected.body;
    match read {
        Some(request) => assert_same(&request, &method, &expected),
        None => assert!(*is_base64 && !is_canonical_base64(body), "not read: {text}"),
    }
}

fn assert_same(request: &Request, method: &Method, expected: &Expected) {
    let is_empty = expected.method.is_empty() && *request.method() == Method::GET;
    assert!(request.method() == method || is_empty, "{}", request.method());
    let names = expected.headers.iter().filter(|(name, _)| !["host", "cookie"].contains(&name.as_str()));
    for (name, value) in names.filter(|(name, _)| HeaderName::from_bytes(name.as_bytes()).is_ok()) {
        assert_eq!(header(request, name.as_str()), Some(header_value(value).as_str()), "{name}");
    }
    let lines = match expected.headers.get("cookie") {
        Some(header) if expected.cookies.is_empty() => std::slice::from_ref(header),
        _ => &expected.cookies,
    };
    let expected_cookies: Vec<String> = lines.iter().map(|line| header_value(line)).collect();
    let cookies = header(request, "cookie").unwrap_or_default();
    assert_eq!(cookies, expected_cookies.join("; "));
    let (text, is_base64) = &expected.body;
    let body = if *is_base64 { STANDARD.encode(request.body()).into_bytes() } else { request.body().to_vec() };
    assert_eq!(body, text.as_bytes());
}

/// A text as the value of a header. This is a second implementation of what the service does.
fn header_value(text: &str) -> String {
    if text.bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f)) {
        return text.to_owned();
    }
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'%';
    let encoded = |byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encoded).collect()
}

/// Whether a text is base64 by RFC 4648, section 4, with padding and without non-zero trailing bits (section 3.5).
fn is_canonical_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let last = digits.bytes().last().unwrap_or(b'A');
    text.len().is_multiple_of(4)
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
        && match padding {
            0 => true,
            1 => b"AEIMQUYcgkosw048".contains(&last),
            2 => b"AQgw".contains(&last),
            _ => false,
        }
}

fn expected(text: &str) -> Option<Expected> {
    if !is_json(text) {
        return None;
    }
    let event = Object::of(serde_json::from_str(text).ok()?)?;
    let context = Object::of(&event.only("requestContext")??)?;
    context.only("requestId")?.map_or(Some(String::new()), |raw| of_type(&raw))?;
    let http = Object::of(&context.only("http")??)?;
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in event.optional::<Box<RawValue>>("headers")?.map_or(Some(Vec::new()), |raw| members(&raw))? {
        let value: String = of_type(&value)?;
        // Which of two spellings of a name counts is not said.
        if headers.insert(name.to_ascii_lowercase(), value).is_some() {
            return None;
        }
    }
    let is_base64 = event.only("isBase64Encoded")?.map_or(Some(false), |raw| of_type(&raw))?;
    Some(Expected {
        method: of_type(&http.only("method")??)?,
        headers,
        cookies: event.optional("cookies")?.unwrap_or_default(),
        body: event.optional("body")?.map_or((String::new(), false), |text| (text, is_base64)),
    })
}

fn of_type<T: DeserializeOwned>(value: &RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// An object. A known member may be given only once.
struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    fn of(value: &RawValue) -> Option<Self> {
        members(value).map(Self)
    }

    /// The member, if it is given. `None` if it is given twice, which makes the whole event invalid.
    #[expect(clippy::option_option, reason = "the outer option is about the whole event")]
    fn only(&self, name: &str) -> Option<Option<Box<RawValue>>> {
        let mut values = self.0.iter().filter(|(found, _)| found == name).map(|(_, value)| value.clone());
        let first = values.next();
        values.next().is_none().then_some(first)
    }

    /// The same with a type. `null` counts as a missing member.
    #[expect(clippy::option_option, reason = "as above")]
    fn optional<T: DeserializeOwned>(&self, name: &str) -> Option<Option<T>> {
        match self.only(name)? {
            Some(raw) if raw.get() != "null" => of_type(&raw).map(Some),
            _ => Some(None),
        }
    }
}
