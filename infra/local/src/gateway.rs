//! API Gateway's part: an HTTP request becomes an event, the function's answer becomes an HTTP response.
//!
//! Every method of a route reaches its function, a client that hangs up does not stop a call half way, and
//! a function that panics or answers nonsense is a 500, as behind the real gateway.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::BodyExt;
use serde::Deserialize;
use shared::clock::Clock;

use crate::event::{self, Arrival};
use crate::functions::Function;
use crate::template::Route;

/// Bytes of a body that an HTTP API takes (API Gateway quotas).
const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// Bytes of an event that Lambda takes in a synchronous call (Lambda quotas).
const EVENT_LIMIT: usize = 6 * 1024 * 1024;

struct Gateway {
    /// Method (or `ANY`) and function, by path.
    routes: HashMap<String, (String, Function)>,
    clock: Arc<dyn Clock>,
    calls: AtomicU64,
}

/// Everything below `paths`, as `CloudFront` writes them: a route's function answers, and whatever is none is not found.
pub(crate) fn router<'a>(
    paths: &[String],
    routes: impl Iterator<Item = &'a Route>,
    functions: &BTreeMap<String, Function>,
    clock: Arc<dyn Clock>,
) -> Router {
    let routes = routes.filter_map(|route| {
        let function = Arc::clone(functions.get(&route.function)?);
        Some((route.path.clone(), (route.method.clone(), function)))
    });
    let gateway = Gateway { routes: routes.collect(), clock, calls: AtomicU64::new(0) };
    let below = paths.iter().map(|path| path.replace('*', "{*rest}"));
    below.fold(Router::new(), |all, path| all.route(&path, any(handle))).with_state(Arc::new(gateway))
}

async fn handle(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(source): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let Some((method, function)) = gateway.route(parts.uri.path(), &parts.method) else {
        return message(StatusCode::NOT_FOUND, "Not Found");
    };
    let body = match read(body).await {
        Ok(Some(body)) => body,
        Ok(None) => return message(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
        Err(_) => return message(StatusCode::BAD_REQUEST, "Bad Request"),
    };
    let at = gateway.clock.now();
    let call = gateway.calls.fetch_add(1, Ordering::Relaxed);
    let request_id = format!("local-{}-{call}", at.milliseconds());
    let arrival = Arrival { request_id: &request_id, route_method: method, source, at };
    let event = event::build(&parts, body, &arrival);
    if event.len() > EVENT_LIMIT {
        return message(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large");
    }
    // A task of its own: dropping this request, which a hang-up does, leaves it running.
    let answer = tokio::spawn(function(event)).await.ok();
    answer
        .and_then(|answer| response(&answer))
        .unwrap_or_else(|| message(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"))
}

impl Gateway {
    fn route(&self, path: &str, method: &Method) -> Option<(&str, &Function)> {
        let (wanted, function) = self.routes.get(path)?;
        (wanted == "ANY" || wanted == method.as_str()).then_some((wanted.as_str(), function))
    }
}

/// A whole body, or `None` for one over the limit, which is read to its end all the same: a client that is
/// cut off while sending would not see the answer.
async fn read(mut body: Body) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut bytes = Vec::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            size += data.len();
            if size <= BODY_LIMIT {
                bytes.extend_from_slice(&data);
            }
        }
    }
    Ok((size <= BODY_LIMIT).then_some(bytes))
}

/// A function's answer, format 2.0.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    cookies: Vec<String>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// The HTTP response that `answer` describes, or `None` if it describes none.
fn response(answer: &str) -> Option<Response> {
    let answer: Answer = serde_json::from_str(answer).ok()?;
    let mut response = Response::builder().status(answer.status_code);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    for cookie in answer.cookies {
        response = response.header(SET_COOKIE, cookie);
    }
    let body = if answer.is_base64_encoded { STANDARD.decode(answer.body).ok()? } else { answer.body.into() };
    response.body(Body::from(body)).ok()
}

fn message(status: StatusCode, text: &str) -> Response {
    (status, Json(serde_json::json!({ "message": text }))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn body(response: Response) -> Vec<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
        runtime.block_on(read(response.into_body())).expect("it is read").expect("it is small")
    }

    #[test]
    fn each_cookie_is_a_header_of_its_own() {
        let answer = r#"{"statusCode":401,"headers":{"X-A":"1"},"cookies":["a=1","b=2"],"body":"no"}"#;
        let response = response(answer).expect("the answer is valid");
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers().get_all(SET_COOKIE).iter().count(), 2);
        assert_eq!(response.headers().get("x-a").map(HeaderValue::as_bytes), Some(&b"1"[..]));
        assert_eq!(body(response), b"no");
    }

    #[test]
    fn a_flagged_body_is_decoded() {
        let answer = r#"{"statusCode":200,"body":"/w==","isBase64Encoded":true}"#;
        assert_eq!(body(response(answer).expect("the answer is valid")), [255]);
    }

    #[test]
    fn nonsense_is_no_response() {
        for answer in [
            "",
            "{}",
            r#"{"statusCode":9999}"#,
            r#"{"statusCode":200,"headers":{"a b":"c"}}"#,
            r#"{"statusCode":200,"body":"?","isBase64Encoded":true}"#,
        ] {
            assert!(response(answer).is_none(), "{answer}");
        }
    }
}
