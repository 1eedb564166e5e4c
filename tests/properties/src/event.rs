//! The gateway's event. An input is an event's text.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use shared::event::Request;

use crate::json::{is_json, members};

/// What a second reader finds in an event.
struct Expected {
    id: String,
    method: String,
    headers: BTreeMap<String, String>,
    cookies: Vec<String>,
    /// The text, and whether it is said to be base64.
    body: (String, bool),
}

/// An event is read exactly if it is an object of the documented shape, and then what was read is what it says:
/// header names in any case, repeated headers joined in their order, a base64 body decoded, bad base64 known as such.
///
/// # Panics
/// It does not hold.
pub fn holds(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    match (Request::from_event(text), expected(text)) {
        (None, None) => {}
        (Some(request), Some(expected)) => same(&request, &expected),
        (read, expected) => panic!("read: {}, readable: {}", read.is_some(), expected.is_some()),
    }
}

fn same(request: &Request, expected: &Expected) {
    assert_eq!(request.id, expected.id);
    assert_eq!(request.method, expected.method);
    for (name, value) in &expected.headers {
        assert_eq!(request.header(name), Some(value.as_str()), "{name}");
    }
    for name in ["x-requested-with", "content-type", "cookie", "X-Requested-With"] {
        assert_eq!(request.header(name), expected.headers.get(name).map(String::as_str), "{name}");
    }
    let lines = match expected.headers.get("cookie") {
        Some(header) if expected.cookies.is_empty() => std::slice::from_ref(header),
        _ => &expected.cookies,
    };
    let cookies: Vec<&str> = lines.iter().flat_map(|line| line.split(';')).collect();
    assert_eq!(request.cookies().collect::<Vec<_>>(), cookies);
    let (text, is_base64) = &expected.body;
    match request.body() {
        Ok(bytes) if *is_base64 => assert_eq!(&STANDARD.encode(bytes), text),
        Ok(bytes) => assert_eq!(bytes, text.as_bytes()),
        Err(_) => assert!(*is_base64 && !is_canonical_base64(text), "{text:?}"),
    }
}

/// RFC 4648, 4, with padding and without stray bits at the end (3.5).
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
    let http = Object::of(&context.only("http")??)?;
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in event.optional::<Box<RawValue>>("headers")?.map_or(Some(Vec::new()), |raw| members(&raw))? {
        let value: String = of_type(&value)?;
        let joined =
            headers.remove(&name.to_ascii_lowercase()).map_or(value.clone(), |first| format!("{first},{value}"));
        headers.insert(name.to_ascii_lowercase(), joined);
    }
    let is_base64 = event.only("isBase64Encoded")?.map_or(Some(false), |raw| of_type(&raw))?;
    Some(Expected {
        id: context.only("requestId")?.map_or(Some(String::new()), |raw| of_type(&raw))?,
        method: of_type(&http.only("method")??)?,
        headers,
        cookies: event.optional("cookies")?.unwrap_or_default(),
        body: event.optional("body")?.map_or((String::new(), false), |text| (text, is_base64)),
    })
}

fn of_type<T: DeserializeOwned>(value: &RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// An object, each of whose known members may be there once.
struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    fn of(value: &RawValue) -> Option<Self> {
        members(value).map(Self)
    }

    /// The member, if there is one; nothing at all if there are two.
    #[expect(clippy::option_option, reason = "the outer one is the whole event's")]
    fn only(&self, name: &str) -> Option<Option<Box<RawValue>>> {
        let mut values = self.0.iter().filter(|(found, _)| found == name).map(|(_, value)| value.clone());
        let first = values.next();
        values.next().is_none().then_some(first)
    }

    /// The same, of a type, with `null` as none.
    #[expect(clippy::option_option, reason = "as above")]
    fn optional<T: DeserializeOwned>(&self, name: &str) -> Option<Option<T>> {
        match self.only(name)? {
            Some(raw) if raw.get() != "null" => of_type(&raw).map(Some),
            _ => Some(None),
        }
    }
}
