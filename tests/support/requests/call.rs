//! The form of a call: over HTTP, and as the event that API Gateway sends to a function.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::values::EXAMPLE_TOKEN;
use super::{Endpoint, Request, Values};
use crate::bodies::{FORM, JSON, urlencoded};
use crate::{Answer, Visitor};

/// The value that the identity provider's page sends both as a cookie and as a field.
const DOUBLE_SUBMIT: &str = "f00dfeed";
/// The size of an entry of [`Body::Entries`] in bytes.
const ENTRY: usize = 1024;

/// A body. The names of [`Values`], in braces, are replaced with a visitor's values. A field whose name ends with a
/// question mark, as in `{news?}`, is left out if it has no value.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    /// No body.
    Nothing,
    /// The fields of a form.
    Form(&'static [(&'static str, &'static str)]),
    /// JSON text.
    Json(&'static str),
    /// A form of the identity provider's page, with these fields and the double submit.
    ProviderPage(&'static [(&'static str, &'static str)]),
    /// This number of equal entries of 1 KB, which contain the visitor's address and name.
    Entries(usize),
}

/// A call with all its values.
#[derive(Debug, Clone)]
pub struct Call {
    path: &'static str,
    /// The media type of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: String,
    /// The idempotency key.
    key: Option<String>,
    /// Whether the identity provider's page makes the call.
    is_of_provider: bool,
}

/// The cookie that the identity provider's page sets beside the field of its double submit.
fn double_submit_cookie() -> String {
    format!("g_csrf_token={DOUBLE_SUBMIT}")
}

/// An entry of 1 KB with the visitor's address and name.
pub(super) fn entry(values: &Values) -> String {
    let entry = |text: &str| json!({"de": values.get("email"), "nombre": values.get("name"), "a": text}).to_string();
    entry(&"x".repeat(ENTRY.saturating_sub(entry("").len())))
}

impl Request {
    /// The fields of the body, if it is a form.
    pub fn fields(&self, values: &Values) -> Vec<(&'static str, String)> {
        match &self.body {
            Body::Form(fields) => {
                fields.iter().filter_map(|(name, value)| Some((*name, values.field(value)?))).collect()
            }
            Body::ProviderPage(fields) => {
                let fields = fields.iter().map(|(name, value)| (*name, values.fill(value)));
                fields.chain([("g_csrf_token", DOUBLE_SUBMIT.to_owned())]).collect()
            }
            Body::Nothing | Body::Json(_) | Body::Entries(_) => Vec::new(),
        }
    }

    /// The call with these values. A form is URL-encoded.
    pub fn call(&self, values: &Values) -> Call {
        let (content_type, body) = match &self.body {
            Body::Json(text) => (JSON, values.fill(text)),
            Body::Entries(count) => (JSON, format!("[{}]", vec![entry(values); *count].join(","))),
            Body::Nothing | Body::Form(_) | Body::ProviderPage(_) => (FORM, urlencoded(&self.fields(values))),
        };
        Call {
            path: self.path,
            content_type,
            body,
            key: self.has_key.then(|| values.get("email").to_owned()),
            is_of_provider: matches!(self.body, Body::ProviderPage(_)),
        }
    }
}

impl Call {
    /// Makes the call as this visitor. The browser sends no session with a form of the provider's page.
    pub async fn by(&self, visitor: &mut Visitor) -> Answer {
        let request = if self.is_of_provider {
            visitor.service.request("POST", self.path).header("cookie", double_submit_cookie())
        } else {
            visitor.request(self.path)
        };
        let request = request.header("content-type", self.content_type).body(self.body.clone());
        visitor.send(self.key.iter().fold(request, |request, key| request.header("idempotency-key", key))).await
    }

    /// The event of the call with these cookies and that of the double submit.
    pub fn event<'c>(&self, cookies: impl IntoIterator<Item = &'c String>) -> Value {
        let mut event = event(self.path, self.content_type, &self.body);
        if self.body.is_empty() {
            event["headers"].as_object_mut().unwrap().remove("content-type");
            event.as_object_mut().unwrap().remove("body");
        } else if self.content_type == FORM {
            // API Gateway sends a form as base64, and JSON as text.
            event["body"] = json!(STANDARD.encode(&self.body));
            event["isBase64Encoded"] = json!(true);
        }
        let mut cookies: Vec<String> = cookies.into_iter().cloned().collect();
        if self.is_of_provider {
            cookies.push(double_submit_cookie());
            // The provider's page cannot set this header.
            event["headers"].as_object_mut().unwrap().remove("x-requested-with");
        }
        if let Some(key) = &self.key {
            event["headers"]["idempotency-key"] = json!(key);
        }
        if !cookies.is_empty() {
            event["cookies"] = json!(cookies);
        }
        event
    }
}

impl Endpoint {
    /// Whether its sample event has a session's cookie.
    pub fn presents_a_session(&self) -> bool {
        self.needs_session() || matches!(self.request().body, Body::Nothing)
    }

    /// The event that API Gateway sends for the endpoint's first request, with example values.
    pub fn sample_event(&self) -> Value {
        let session = self.presents_a_session().then(|| format!("__Host-session={EXAMPLE_TOKEN}"));
        self.request().call(&Values::example()).event(&session)
    }
}

/// The event of a call with the required header and a body that is sent as text.
pub fn event(path: &str, content_type: &str, body: &str) -> Value {
    const HOST: &str = "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com";
    const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let route = format!("ANY {path}");
    json!({
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": "",
        "headers": {
            "accept": "*/*",
            "content-length": body.len().to_string(),
            "content-type": content_type,
            "host": HOST,
            "user-agent": BROWSER,
            "x-amzn-trace-id": "Root=1-69569c80-0123456789abcdef01234567",
            "x-forwarded-for": "198.51.100.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            "x-requested-with": "XMLHttpRequest",
        },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "a1b2c3d4e5",
            "domainName": HOST,
            "domainPrefix": "a1b2c3d4e5",
            "http": {
                "method": "POST",
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "198.51.100.7",
                "userAgent": BROWSER,
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": route,
            "stage": "$default",
            "time": "01/Jan/2026:00:00:00 +0000",
            "timeEpoch": 1_767_225_600_000_u64,
        },
        "body": body,
        "isBase64Encoded": false,
    })
}
