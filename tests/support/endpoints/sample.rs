//! The sample events in `infra/events`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::own::EXAMPLE_TOKEN;
use super::{Body, Endpoint, Own, double_submit_cookie};
use crate::bodies::FORM;

impl Endpoint {
    /// The event that API Gateway sends for the call, with example values.
    #[must_use]
    pub fn sample_event(&self) -> Value {
        const HOST: &str = "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com";
        const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        let (media_type, text) = self.call(&Own::example());
        let session = format!("__Host-session={EXAMPLE_TOKEN}");
        let (media_type, header, cookie) = match self.body {
            Body::ProviderPage(_) => (Some(media_type), None, Some(double_submit_cookie())),
            Body::Nothing => (None, Some("XMLHttpRequest"), Some(session)),
            _ => (Some(media_type), Some("XMLHttpRequest"), self.needs_session().then_some(session)),
        };
        // API Gateway sends a form as base64 and JSON as text.
        let is_encoded = media_type == Some(FORM);
        let body = if is_encoded { STANDARD.encode(&text) } else { text.clone() };
        let route = format!("ANY {}", self.path);
        let headers = json!({
            "accept": "*/*",
            "content-length": text.len().to_string(),
            "content-type": media_type,
            "host": HOST,
            "user-agent": BROWSER,
            "x-amzn-trace-id": "Root=1-69569c80-0123456789abcdef01234567",
            "x-forwarded-for": "198.51.100.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            "x-requested-with": header,
        });
        let event = json!({
            "version": "2.0",
            "routeKey": route,
            "rawPath": self.path,
            "rawQueryString": "",
            "cookies": cookie.map(|cookie| [cookie]),
            "headers": without_nulls(headers),
            "requestContext": {
                "accountId": "000000000000",
                "apiId": "a1b2c3d4e5",
                "domainName": HOST,
                "domainPrefix": "a1b2c3d4e5",
                "http": {
                    "method": "POST",
                    "path": self.path,
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
            "body": (!body.is_empty()).then_some(body),
            "isBase64Encoded": is_encoded,
        });
        without_nulls(event)
    }
}

/// The object without the members that are null.
fn without_nulls(object: Value) -> Value {
    match object {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}
