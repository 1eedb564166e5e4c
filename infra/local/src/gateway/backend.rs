//! The product's own API on the same host, `API_BACKEND`: a program that speaks HTTP, or a Lambda function. Requests for `/api/*`
//! pass the authorizer, as they do behind API Gateway. A program gets the session's context in headers, and a function in the
//! request's context.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{COOKIE, HOST, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use local_functions::Function;
use serde_json::{Value, json};

use super::event::{self, Arrival};
use super::{Call, Gateway, answer, message, read};
use crate::functions::remote::{HttpClient, Remote, http_client};

/// The paths that the backend has.
const PATHS: &str = "/api/";

/// The members of the authorizer's context, and the headers that they become. A header of a client with one of these names
/// never reaches the backend.
const HEADERS: [(&str, HeaderName); 5] = [
    ("accountId", HeaderName::from_static("x-account-id")),
    ("sessionId", HeaderName::from_static("x-session-id")),
    ("signedInAt", HeaderName::from_static("x-signed-in-at")),
    ("provedAt", HeaderName::from_static("x-proved-at")),
    ("emailVerified", HeaderName::from_static("x-email-verified")),
];

/// The product's own API.
pub(crate) struct Backend {
    /// Its address, for messages.
    address: String,
    target: Target,
    authorizer: Function,
    gateway: Arc<Gateway>,
}

/// What answers.
enum Target {
    /// A program with this scheme, host and port.
    Program(String, HttpClient),
    Function(Remote),
}

impl Backend {
    /// The API at an address. The error says what an address looks like.
    pub(crate) fn new(address: &str, authorizer: Function, gateway: Arc<Gateway>) -> Result<Self, String> {
        let target = match Remote::at(address) {
            Some(function) => Target::Function(function),
            None => Target::Program(program(address).ok_or_else(|| wrong(address))?, http_client()),
        };
        Ok(Self { address: address.to_owned(), target, authorizer, gateway })
    }

    async fn answer(&self, request: Request, call: &Call) -> Response {
        let (parts, body) = request.into_parts();
        // The cookie is the authorizer's identity source: without it, API Gateway does not ask the authorizer.
        if !parts.headers.contains_key(COOKIE) {
            return message(StatusCode::UNAUTHORIZED, "Unauthorized");
        }
        let body = match read(body).await {
            Ok(Some(body)) => body,
            Ok(None) => return message(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large"),
            Err(_) => return message(StatusCode::BAD_REQUEST, "Bad Request"),
        };
        let path = parts.uri.path().to_owned();
        let arrival = Arrival { call, path: &path, route_method: "ANY" };
        let event = event::build(&parts, Vec::new(), &arrival);
        let verdict: Value = serde_json::from_str(&(self.authorizer)(event).await).unwrap_or_default();
        match verdict.get("isAuthorized").and_then(Value::as_bool) {
            Some(true) => {}
            Some(false) => return message(StatusCode::FORBIDDEN, "Forbidden"),
            None => return message(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
        }
        let context = verdict.get("context").unwrap_or(&Value::Null);
        let answer = match &self.target {
            Target::Program(origin, client) => ask(origin, client, parts, body, context).await,
            Target::Function(function) => {
                let event = event::build(&parts, body, &arrival);
                let answered = function.invoke(with_context(&event, context)).await;
                answered.map(|text| {
                    answer::response(&text)
                        .unwrap_or_else(|| message(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"))
                })
            }
        };
        answer.unwrap_or_else(|| {
            message(StatusCode::BAD_GATEWAY, &format!("API_BACKEND, {}, does not answer", self.address))
        })
    }
}

/// The origin of a program's address.
fn program(address: &str) -> Option<String> {
    let uri = address.trim_end_matches('/').parse::<Uri>().ok()?;
    let is_root = uri.scheme_str() == Some("http") && uri.path() == "/" && uri.query().is_none();
    uri.authority().filter(|_| is_root).map(|authority| format!("http://{authority}"))
}

fn wrong(address: &str) -> String {
    format!(
        "API_BACKEND is \"{address}\": it takes http://HOST:PORT, or http://HOST:PORT/2015-03-31/functions/NAME/invocations"
    )
}

/// Asks a program. `None` if it does not answer.
async fn ask(origin: &str, client: &HttpClient, mut parts: Parts, body: Vec<u8>, context: &Value) -> Option<Response> {
    for (member, header) in HEADERS {
        parts.headers.remove(&header);
        let value = context.get(member).and_then(Value::as_str).and_then(|text| HeaderValue::from_str(text).ok());
        parts.headers.extend(value.map(|value| (header, value)));
    }
    parts.headers.remove(HOST);
    let target = parts.uri.path_and_query().map_or(PATHS, |target| target.as_str());
    parts.uri = match format!("{origin}{target}").parse() {
        Ok(uri) => uri,
        Err(_) => return Some(message(StatusCode::BAD_REQUEST, "Bad Request")),
    };
    let answer = client.request(Request::from_parts(parts, Body::from(body))).await.ok()?;
    Some(answer.map(Body::new).into_response())
}

/// The event with the authorizer's context, where a function behind API Gateway finds it.
fn with_context(event: &str, context: &Value) -> String {
    let mut event: Value = serde_json::from_str(event).unwrap_or_default();
    if let Some(request) = event.get_mut("requestContext").and_then(Value::as_object_mut) {
        request.insert("authorizer".to_owned(), json!({"lambda": context}));
    }
    event.to_string()
}

/// Forwards requests for the backend's paths, and all others to the inner service.
pub(crate) async fn forward(
    State(backend): State<Arc<Backend>>,
    ConnectInfo(source): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    if !request.uri().path().starts_with(PATHS) {
        return next.run(request).await;
    }
    let call = Call::of(&backend.gateway, source);
    backend.answer(request, &call).await
}
