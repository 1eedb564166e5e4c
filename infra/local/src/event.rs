//! An HTTP request as the event that API Gateway's HTTP API sends to a function, format 2.0.

use std::net::SocketAddr;
use std::string::FromUtf8Error;

use axum::extract::Query;
use axum::http::header::{COOKIE, HOST, HeaderMap, HeaderName, USER_AGENT};
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use shared::clock::Timestamp;

/// What the gateway knows of a request besides its text.
pub(crate) struct Arrival<'a> {
    pub(crate) request_id: &'a str,
    /// Method of the route, which may be `ANY`.
    pub(crate) route_method: &'a str,
    pub(crate) source: SocketAddr,
    pub(crate) at: Timestamp,
}

/// The event of a request, as JSON.
pub(crate) fn build(parts: &Parts, body: Vec<u8>, arrival: &Arrival<'_>) -> String {
    let path = parts.uri.path();
    let host = header(&parts.headers, &HOST).unwrap_or_default();
    let mut event = json!({
        "version": "2.0",
        "routeKey": format!("{} {path}", arrival.route_method),
        "rawPath": path,
        "rawQueryString": parts.uri.query().unwrap_or_default(),
        "headers": headers(&parts.headers),
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": host,
            "domainPrefix": host.split(['.', ':']).next(),
            "http": {
                "method": parts.method.as_str(),
                "path": path,
                "protocol": format!("{:?}", parts.version),
                "sourceIp": arrival.source.ip(),
                "userAgent": header(&parts.headers, &USER_AGENT).unwrap_or_default(),
            },
            "requestId": arrival.request_id,
            "routeKey": format!("{} {path}", arrival.route_method),
            "stage": "$default",
            "timeEpoch": arrival.at.milliseconds(),
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

fn headers(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers.keys().filter(|name| **name != COOKIE);
    names.filter_map(|name| Some((name.to_string(), header(headers, name)?.into()))).collect()
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

/// The event's body: text if it is declared as JSON or text and is UTF-8, else base64; none if empty.
fn encoded(headers: &HeaderMap, body: Vec<u8>) -> Vec<(String, Value)> {
    if body.is_empty() {
        return Vec::new();
    }
    let kind = header(headers, &axum::http::header::CONTENT_TYPE).unwrap_or_default().to_lowercase();
    let textual = kind.starts_with("application/json") || kind.starts_with("text/");
    let text = if textual { String::from_utf8(body).map_err(FromUtf8Error::into_bytes) } else { Err(body) };
    let (is_base64, body) = match text {
        Ok(text) => (false, text),
        Err(bytes) => (true, STANDARD.encode(bytes)),
    };
    vec![("body".to_owned(), body.into()), ("isBase64Encoded".to_owned(), is_base64.into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
    use axum::http::Request;

    fn event(request: axum::http::request::Builder, body: &[u8]) -> (ApiGatewayV2httpRequest, Value) {
        let parts = request.body(()).expect("the request is valid").into_parts().0;
        let arrival = Arrival {
            request_id: "r-1",
            route_method: "ANY",
            source: SocketAddr::from(([127, 0, 0, 1], 4000)),
            at: Timestamp::from_milliseconds(1_700_000_000_000),
        };
        let text = build(&parts, body.to_vec(), &arrival);
        let typed = serde_json::from_str(&text).expect("it is an event of the published format");
        (typed, serde_json::from_str(&text).expect("it is JSON"))
    }

    fn post() -> axum::http::request::Builder {
        Request::post("/app/auth/sendLogin.php?a=1&a=2&b=x%20y").header("host", "localhost:3000")
    }

    #[test]
    fn path_query_and_context_are_those_of_the_request() {
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
    fn cookies_leave_the_headers_and_repeated_headers_are_joined() {
        let request = post().header("Cookie", "a=1; b=2").header("cookie", "c=3");
        let (_, event) = event(request.header("X-One", "1").header("x-one", "2"), b"");
        assert_eq!(event.get("cookies"), Some(&json!(["a=1", "b=2", "c=3"])));
        assert_eq!(event.get("headers"), Some(&json!({ "host": "localhost:3000", "x-one": "1,2" })));
        assert_eq!(event.get("body"), None);
    }

    #[test]
    fn a_header_that_is_not_utf8_is_replaced() {
        let (_, event) = event(post().header("x-name", &b"caf\xe9"[..]), b"");
        assert_eq!(event.pointer("/headers/x-name"), Some(&json!("caf\u{fffd}")));
    }

    #[test]
    fn only_declared_and_valid_text_stays_text() {
        let encoded = |kind: &str, body: &[u8]| {
            let (event, _) = event(post().header("content-type", kind), body);
            (event.is_base64_encoded, event.body.unwrap_or_default())
        };
        assert_eq!(encoded("application/json; charset=utf-8", b"{}"), (false, "{}".to_owned()));
        assert_eq!(encoded("text/plain", "año".as_bytes()), (false, "año".to_owned()));
        assert_eq!(encoded("text/plain", b"\xff"), (true, "/w==".to_owned()));
        assert_eq!(encoded("application/x-www-form-urlencoded", b"a=1"), (true, "YT0x".to_owned()));
    }
}
