//! The gateway, in place of API Gateway: converts an HTTP request to an event, and the function's answer to an HTTP
//! response.
//!
//! For clients and functions it behaves like an HTTP API; `docs/gateway.md` lists the known behaviour of the real one,
//! with sources. A client that disconnects does not cancel its call.

mod answer;
pub(crate) mod backend;
mod event;
mod path;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Json;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use local_functions::Function;
use shared::system::clock::{Clock, Timestamp};

use self::event::Arrival;
use crate::documents::template::Route;

/// The largest body of an HTTP API, in bytes (API Gateway quotas).
const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// The largest event of a synchronous Lambda call, in bytes (Lambda quotas).
const EVENT_LIMIT: usize = 6 * 1024 * 1024;

/// The header with the request's id, in every answer.
const REQUEST_ID: &str = "apigw-requestid";

/// The API's paths, routes and functions.
pub(crate) struct Gateway {
    /// The path patterns of the API, in `CloudFront`'s syntax.
    paths: Vec<String>,
    /// The method (or `ANY`) and the function of each path.
    routes: HashMap<String, (String, Function)>,
    clock: Arc<dyn Clock>,
    calls: AtomicU64,
}

/// Answers requests for the API's paths, and forwards all others to the inner service.
///
/// It is a layer around all other routes, because the path must be decoded before it is compared.
pub(crate) async fn enter(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(source): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let sent = request.uri().path();
    let path = path::read(sent);
    if !gateway.serves(path.as_deref().unwrap_or(sent)) {
        return next.run(request).await;
    }
    let call = Call::of(&gateway, source);
    let mut response = match path {
        Ok(path) => gateway.answer(&path, request, &call).await,
        Err(path::Malformed) => message(StatusCode::BAD_REQUEST, "Bad Request"),
    };
    if let Ok(id) = HeaderValue::try_from(call.id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

impl Gateway {
    /// A gateway for `paths`. The function of the route answers a request; without a route the answer is 404.
    pub(crate) fn new<'a>(
        paths: Vec<String>,
        routes: impl Iterator<Item = &'a Route>,
        functions: &BTreeMap<String, Function>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let routes = routes.filter_map(|route| {
            let function = Arc::clone(functions.get(&route.function)?);
            Some((route.path.clone(), (route.method.clone(), function)))
        });
        Self { paths, routes: routes.collect(), clock, calls: AtomicU64::new(0) }
    }

    fn serves(&self, path: &str) -> bool {
        self.paths.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == pattern,
        })
    }

    fn route(&self, path: &str, method: &Method) -> Option<(&str, &Function)> {
        let (wanted, function) = self.routes.get(path)?;
        (wanted == "ANY" || wanted == method.as_str()).then_some((wanted.as_str(), function))
    }

    async fn answer(&self, path: &str, request: Request, call: &Call) -> Response {
        let (parts, body) = request.into_parts();
        let Some((method, function)) = self.route(path, &parts.method) else {
            return message(StatusCode::NOT_FOUND, "Not Found");
        };
        let body = match read(body).await {
            Ok(Some(body)) => body,
            Ok(None) => return message(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
            Err(_) => return message(StatusCode::BAD_REQUEST, "Bad Request"),
        };
        let arrival = Arrival { call, path, route_method: method };
        let event = event::build(&parts, body, &arrival);
        if event.len() > EVENT_LIMIT {
            return message(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large");
        }
        // The function runs in its own task, so that it continues when the client disconnects and this future is
        // dropped.
        let answer = tokio::spawn(function(event)).await.ok();
        answer
            .and_then(|answer| answer::response(&answer))
            .unwrap_or_else(|| message(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"))
    }
}

/// The gateway's own data of a request.
struct Call {
    id: String,
    trace_id: String,
    source: SocketAddr,
    at: Timestamp,
}

impl Call {
    fn of(gateway: &Gateway, source: SocketAddr) -> Self {
        let number = gateway.calls.fetch_add(1, Ordering::Relaxed);
        let at = gateway.clock.now();
        Self {
            id: format!("local-{}-{number}", at.milliseconds()),
            trace_id: format!("Root=1-{:08x}-{number:024x}", at.seconds()),
            source,
            at,
        }
    }
}

/// The whole body, or `None` if it is over the limit. Such a body is also read to its end, because a client that is
/// disconnected while it sends does not see the answer.
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

fn message(status: StatusCode, text: &str) -> Response {
    (status, Json(serde_json::json!({ "message": text }))).into_response()
}
