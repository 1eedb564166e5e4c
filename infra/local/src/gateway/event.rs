//! Converts an HTTP request to the event, in format 2.0, that API Gateway's HTTP API sends to a function.

use std::string::FromUtf8Error;

use axum::extract::Query;
use axum::http::HeaderMap;
use axum::http::header::{CONNECTION, CONTENT_TYPE, COOKIE, HOST, HeaderName, TRANSFER_ENCODING, USER_AGENT};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::Call;

/// Headers that an event does not have: cookies are a separate member, and the others describe the connection.
const LEFT_OUT: [HeaderName; 3] = [COOKIE, CONNECTION, TRANSFER_ENCODING];

/// The port of a URL without one. The local stack uses plain HTTP.
const DEFAULT_PORT: u16 = 80;

/// A request and its route.
pub(crate) struct Arrival<'a> {
    pub(crate) call: &'a Call,
    /// The normalised path.
    pub(crate) path: &'a str,
    /// The method of the route, which may be `ANY`.
    pub(crate) route_method: &'a str,
}

/// The event of a request, as JSON.
pub(crate) fn build(parts: &Parts, body: Vec<u8>, arrival: &Arrival<'_>) -> String {
    let Arrival { call, path, route_method } = arrival;
    let host = header(&parts.headers, &HOST).unwrap_or_default();
    let route_key = format!("{route_method} {path}");
    let mut event = json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": parts.uri.query().unwrap_or_default(),
        "headers": headers(&parts.headers, body.len(), call),
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": host,
            "domainPrefix": host.split(['.', ':']).next(),
            "http": {
                "method": parts.method.as_str(),
                "path": path,
                "protocol": format!("{:?}", parts.version),
                "sourceIp": call.source.ip(),
                "userAgent": header(&parts.headers, &USER_AGENT).unwrap_or_default(),
            },
            "requestId": call.id,
            "routeKey": route_key,
            "stage": "$default",
            "timeEpoch": call.at.milliseconds(),
        },
        "isBase64Encoded": false,
    });
    if let Some(event) = event.as_object_mut() {
        event.extend(cookies(&parts.headers).map(|cookies| ("cookies".to_owned(), cookies)));
        event.extend(query(parts).map(|query| ("queryStringParameters".to_owned(), query)));
        event.extend(encoded(&parts.headers, body));
    }
    event.to_string()
}

/// The values of a header, joined with commas; bytes that are not UTF-8 are replaced.
fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.map(String::from).reduce(|all, value| format!("{all},{value}"))
}

/// The headers of the request, and those that the gateway adds.
fn headers(sent: &HeaderMap, body_size: usize, call: &Call) -> Map<String, Value> {
    let names = sent.keys().filter(|name| !LEFT_OUT.contains(name));
    let mut headers: Map<_, _> =
        names.filter_map(|name| Some((name.to_string(), header(sent, name)?.into()))).collect();
    let port = header(sent, &HOST).and_then(|host| Authority::try_from(host).ok()?.port_u16()).unwrap_or(DEFAULT_PORT);
    let client = call.source.ip().to_string();
    let forwarded_for = match header(sent, &HeaderName::from_static("x-forwarded-for")) {
        Some(earlier) => format!("{earlier}, {client}"),
        None => client,
    };
    for (name, value) in [
        ("content-length", body_size.to_string()),
        ("x-forwarded-for", forwarded_for),
        ("x-forwarded-port", port.to_string()),
        ("x-forwarded-proto", "http".to_owned()),
    ] {
        headers.insert(name.to_owned(), value.into());
    }
    headers.entry("x-amzn-trace-id").or_insert_with(|| call.trace_id.clone().into());
    headers
}

fn cookies(headers: &HeaderMap) -> Option<Value> {
    let values = headers.get_all(COOKIE).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let cookies: Vec<String> = values
        .flat_map(|value| {
            value.split(';').map(|cookie| cookie.trim_matches([' ', '\t']).to_owned()).collect::<Vec<_>>()
        })
        .filter(|cookie| !cookie.is_empty())
        .collect();
    (!cookies.is_empty()).then(|| json!(cookies))
}

fn query(parts: &Parts) -> Option<Value> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).ok()?;
    let mut parameters = Map::new();
    for (name, value) in pairs {
        let joined = match parameters.get(&name).and_then(Value::as_str) {
            Some(earlier) => format!("{earlier},{value}"),
            None => value,
        };
        parameters.insert(name, joined.into());
    }
    (!parameters.is_empty()).then_some(Value::Object(parameters))
}

/// The event's body: text if the media type is a text type and the bytes are UTF-8, otherwise base64; none if empty.
fn encoded(headers: &HeaderMap, body: Vec<u8>) -> Vec<(String, Value)> {
    if body.is_empty() {
        return Vec::new();
    }
    let textual = header(headers, &CONTENT_TYPE).is_some_and(|kind| is_text(&kind));
    let text = if textual { String::from_utf8(body).map_err(FromUtf8Error::into_bytes) } else { Err(body) };
    let (is_base64, body) = match text {
        Ok(text) => (false, text),
        Err(bytes) => (true, STANDARD.encode(bytes)),
    };
    vec![("body".to_owned(), body.into()), ("isBase64Encoded".to_owned(), is_base64.into())]
}

/// Whether the gateway sends a body of this type as text.
fn is_text(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    media_type.starts_with("text/")
        || ["application/json", "application/javascript", "application/xml"].contains(&media_type.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;

    use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
    use axum::http::Request;
    use shared::system::clock::Timestamp;

    fn event(request: axum::http::request::Builder, body: &[u8]) -> (ApiGatewayV2httpRequest, Value) {
        let parts = request.body(()).expect("the request is valid").into_parts().0;
        let call = Call {
            id: "r-1".to_owned(),
            trace_id: "Root=1-2-3".to_owned(),
            source: SocketAddr::from(([127, 0, 0, 1], 4000)),
            at: Timestamp::from_milliseconds(1_700_000_000_000),
        };
        let arrival = Arrival { call: &call, path: parts.uri.path(), route_method: "ANY" };
        let text = build(&parts, body.to_vec(), &arrival);
        let typed = serde_json::from_str(&text).expect("it is an event of the published format");
        (typed, serde_json::from_str(&text).expect("it is JSON"))
    }

    fn post() -> axum::http::request::Builder {
        Request::post("/app/auth/sendLogin.php?a=1&a=2&b=x%20y").header("host", "localhost:3000")
    }

    #[test]
    fn path_query_and_context_are_taken_from_the_request() {
        let (event, _) = event(post().header("user-agent", "curl"), b"");
        assert_eq!(event.version.as_deref(), Some("2.0"));
        assert_eq!(event.route_key.as_deref(), Some("ANY /app/auth/sendLogin.php"));
        assert_eq!(event.raw_path.as_deref(), Some("/app/auth/sendLogin.php"));
        assert_eq!(event.raw_query_string.as_deref(), Some("a=1&a=2&b=x%20y"));
        assert_eq!(event.query_string_parameters.first("b"), Some("x y"));
        let context = event.request_context;
        assert_eq!(context.http.method, "POST");
        assert_eq!(context.http.protocol.as_deref(), Some("HTTP/1.1"));
        assert_eq!(context.http.source_ip.as_deref(), Some("127.0.0.1"));
        assert_eq!(context.http.user_agent.as_deref(), Some("curl"));
        assert_eq!(context.request_id.as_deref(), Some("r-1"));
        assert_eq!(context.stage.as_deref(), Some("$default"));
        assert_eq!(context.time_epoch, 1_700_000_000_000);
    }

    #[test]
    fn cookies_are_a_separate_member_and_repeated_headers_are_joined() {
        let request = post().header("Cookie", "a=1; b=2").header("cookie", "c=3");
        let (_, event) = event(request.header("X-One", "1").header("x-one", "2"), b"");
        assert_eq!(event.get("cookies"), Some(&json!(["a=1", "b=2", "c=3"])));
        let added = ["content-length", "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"];
        let mut headers = event.get("headers").and_then(Value::as_object).expect("there are headers").clone();
        headers.retain(|name, _| !added.contains(&name.as_str()));
        assert_eq!(Value::from(headers), json!({ "host": "localhost:3000", "x-one": "1,2" }));
        assert_eq!(event.get("body"), None);
    }

    #[test]
    fn bytes_of_a_header_that_are_not_utf8_are_replaced() {
        let (_, event) = event(post().header("x-name", &b"caf\xe9"[..]), b"");
        assert_eq!(event.pointer("/headers/x-name"), Some(&json!("caf\u{fffd}")));
    }

    #[test]
    fn the_gateway_adds_its_own_headers() {
        let added = |request, body| {
            let (_, event) = event(request, body);
            ["content-length", "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"]
                .map(|name| event.pointer(&format!("/headers/{name}")).and_then(Value::as_str).unwrap_or("").to_owned())
        };
        assert_eq!(added(post(), b""), ["0", "Root=1-2-3", "127.0.0.1", "3000", "http"]);
        let spoofed = post().header("content-length", "7").header("x-forwarded-proto", "https");
        let spoofed = spoofed.header("x-forwarded-for", "192.0.2.1").header("x-forwarded-port", "443");
        assert_eq!(added(spoofed, b"ab"), ["2", "Root=1-2-3", "192.0.2.1, 127.0.0.1", "3000", "http"]);
        assert_eq!(added(Request::post("/"), b""), ["0", "Root=1-2-3", "127.0.0.1", "80", "http"]);
        let traced = post().header("x-amzn-trace-id", "Root=1-5-6");
        assert_eq!(added(traced, b""), ["0", "Root=1-5-6", "127.0.0.1", "3000", "http"]);
    }

    #[test]
    fn headers_of_the_connection_are_removed() {
        let (_, event) = event(post().header("connection", "close").header("transfer-encoding", "chunked"), b"a");
        let headers = event.get("headers").and_then(Value::as_object).expect("there are headers");
        assert!(!headers.contains_key("connection") && !headers.contains_key("transfer-encoding"), "{headers:?}");
    }

    fn encoded_as(kind: Option<&str>, body: &[u8]) -> (bool, String) {
        let request = kind.into_iter().fold(post(), |request, kind| request.header("content-type", kind));
        let (event, _) = event(request, body);
        (event.is_base64_encoded, event.body.unwrap_or_default())
    }

    #[test]
    fn text_json_xml_and_javascript_are_sent_as_text() {
        for kind in ["text/plain", "text/x-unknown", "application/json", "application/xml", "application/javascript"] {
            assert_eq!(encoded_as(Some(kind), "año".as_bytes()), (false, "año".to_owned()), "{kind}");
        }
        assert_eq!(encoded_as(Some("Application/JSON; charset=utf-8"), b"{}"), (false, "{}".to_owned()));
    }

    #[test]
    fn every_other_body_is_sent_as_base64() {
        for kind in [
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=b",
            "application/octet-stream",
            "application/problem+json",
            "application/jsonlines",
            "application/jsonp; text/plain",
            "",
        ] {
            assert_eq!(encoded_as(Some(kind), b"a=1"), (true, "YT0x".to_owned()), "{kind}");
        }
        assert_eq!(encoded_as(None, b"a=1"), (true, "YT0x".to_owned()));
    }

    #[test]
    fn text_that_is_not_utf8_is_sent_as_base64() {
        assert_eq!(encoded_as(Some("text/plain"), b"\xff"), (true, "/w==".to_owned()));
    }
}
