//! Checks the sender of a request. Programs on this machine and the stack's own pages are allowed, other web pages are
//! not.
//!
//! A web page of another origin can send requests to any port of the developer's machine; the `Origin` header shows it.
//! A page can also use a host name that resolves to 127.0.0.1 (DNS rebinding), which makes the stack a part of its own
//! origin; the `Host` header shows that. The API's paths skip both checks (`gateway::enter` answers them first): the
//! functions decide about other origins themselves, API Gateway only receives requests for its own host names, and the
//! black-box tests send a foreign `Host` on purpose.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

const FOREIGN_HOST: &str = "The local stack answers only requests whose Host is localhost, a name that ends in \
    .localhost, 127.0.0.1 or [::1], with any port: a page of another site could use another name for this machine.\n";
const FOREIGN_ORIGIN: &str = "The local stack lets only pages of its own origin read mails and tables. Programs \
    should send no Origin.\n";

/// Origins whose pages may send requests, besides the origin that the request itself is sent to.
pub(crate) type Origins = Arc<BTreeSet<String>>;

/// The stack's own origin under each name of this machine. `port` is the service's. Origins in `CORS_ORIGINS` are not
/// included: they may call the API, but their pages must not read the tables.
pub(crate) fn origins(port: u16) -> Origins {
    Arc::new(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("http://{name}:{port}")).into())
}

/// Refuses a request whose `Host` is not one of this machine's own names.
///
/// Any port is accepted, because port forwarding changes it, and because rebinding needs a host name of the attacker.
pub(crate) async fn host(request: Request, next: Next) -> Response {
    match request.headers().get(HOST) {
        Some(host) if is_this_machine(host) => next.run(request).await,
        _ => (StatusCode::FORBIDDEN, FOREIGN_HOST).into_response(),
    }
}

/// Refuses a request that a page of another origin sent, preflights included.
pub(crate) async fn origin(State(origins): State<Origins>, request: Request, next: Next) -> Response {
    if is_allowed(&origins, request.headers()) {
        return next.run(request).await;
    }
    (StatusCode::FORBIDDEN, FOREIGN_ORIGIN).into_response()
}

/// Whether each `Origin` is in `origins` or is the origin that the request is sent to. Programs send no `Origin`.
fn is_allowed(origins: &BTreeSet<String>, headers: &HeaderMap) -> bool {
    let own_host = headers.get(HOST).and_then(|host| host.to_str().ok());
    headers.get_all(ORIGIN).iter().all(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        origins.contains(origin) || own_host.is_some_and(|host| origin.strip_prefix("http://") == Some(host))
    })
}

/// Whether `host` is one of this machine's own names. Names below localhost always are (RFC 6761).
fn is_this_machine(host: &HeaderValue) -> bool {
    let Ok(authority) = Authority::try_from(host.as_bytes()) else { return false };
    let name = authority.host().to_ascii_lowercase();
    !authority.as_str().contains('@')
        && (["localhost", "127.0.0.1", "[::1]"].contains(&name.as_str()) || name.ends_with(".localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machines_names_are_accepted_with_any_port() {
        for host in ["localhost", "LOCALHOST:3000", "127.0.0.1:1", "[::1]:3000", "[::1]", "api.localhost:4566"] {
            assert!(is_this_machine(&HeaderValue::from_static(host)), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example:3000",
            "127.0.0.1.evil.example",
            "evillocalhost",
            "evil@localhost",
            "localhost@evil.example",
            "192.168.0.1:3000",
            "0.0.0.0:3000",
            "localhost, evil.example",
        ] {
            assert!(!is_this_machine(&HeaderValue::from_static(host)), "{host}");
        }
    }
}
