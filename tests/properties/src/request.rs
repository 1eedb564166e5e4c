//! Requests of the gateway.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use shared::endpoint::request::Request;
use shared::lambda::read_request;

/// A POST with this body.
pub(crate) fn post(content_type: &str, body: &[u8]) -> Request {
    let event = json!({
        "headers": {"content-type": content_type},
        "requestContext": {"http": {"method": "POST"}},
        "body": STANDARD.encode(body),
        "isBase64Encoded": true,
    });
    read_request(&event.to_string()).unwrap()
}

/// A request with these cookies in the gateway's list.
pub(crate) fn with_cookies(cookies: &[&str]) -> Request {
    let event = json!({"cookies": cookies, "requestContext": {"http": {"method": "POST"}}});
    read_request(&event.to_string()).unwrap()
}
