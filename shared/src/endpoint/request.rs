//! A request: the type of the `http` crate, with the body as bytes.

use std::net::IpAddr;

use bytes::Bytes;
use http::header::AsHeaderName;
use lambda_http::request::RequestContext;
use lambda_http::{Body, RequestExt};

use crate::log::Invocation;

/// An HTTP request. Cloning its body copies nothing.
pub type Request = http::Request<Bytes>;

/// The value of a header. `None` if the header is missing, is not UTF-8 or was sent twice: a proxy may have checked
/// only one of the two values.
pub fn header<B>(request: &http::Request<B>, name: impl AsHeaderName) -> Option<&str> {
    let mut values = request.headers().get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then(|| str::from_utf8(first.as_bytes()).ok()).flatten()
}

/// The gateway's request id; empty if there is none.
pub(crate) fn id<B>(request: &http::Request<B>) -> String {
    match request.extensions().request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

/// What Lambda calls the call; nothing outside Lambda.
pub(crate) fn invocation<B>(request: &http::Request<B>) -> Invocation {
    request.extensions().lambda_context_ref().map(Invocation::of).unwrap_or_default()
}

/// The host that the request was sent to, with its port, as the client wrote it.
pub(crate) fn host<B>(request: &http::Request<B>) -> Option<&str> {
    match request.extensions().request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.domain_prefix.as_deref(),
        _ => None,
    }
}

/// In the extensions of a request that came through the proxy in front of the gateway: it has the proxy's secret.
#[derive(Clone, Copy)]
pub(crate) struct ThroughFront;

/// The address that made the call and, if another one may have, the one that a proxy names. A proxy with the secret is
/// believed; any other is a header that whoever calls the gateway can make up.
pub(crate) fn addresses<B>(request: &http::Request<B>) -> (Option<IpAddr>, Option<IpAddr>) {
    let forwarded = forwarded_address(request);
    if request.extensions().get::<ThroughFront>().is_some() && forwarded.is_some() {
        return (forwarded, None);
    }
    (source_address(request), forwarded)
}

/// The address that the gateway got the request from.
fn source_address<B>(request: &http::Request<B>) -> Option<IpAddr> {
    match request.extensions().request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.as_deref()?.parse().ok(),
        _ => None,
    }
}

/// The address that the last proxy before the gateway got the request from. The gateway appends the proxy's own.
fn forwarded_address<B>(request: &http::Request<B>) -> Option<IpAddr> {
    header(request, "x-forwarded-for")?.rsplit(',').nth(1)?.trim().parse().ok()
}

/// Converts the body to bytes.
pub(crate) fn with_bytes(request: lambda_http::Request) -> Request {
    request.map(|body| match body {
        Body::Text(text) => text.into(),
        Body::Binary(bytes) => bytes.into(),
        _ => Bytes::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_or_unreadable_header_has_no_value() {
        let request = |values: &[&'static [u8]]| {
            let request = values.iter().fold(http::Request::builder(), |request, value| request.header("x-a", *value));
            request.body(Bytes::new()).unwrap()
        };
        assert_eq!(header(&request(&[b"1"]), "x-a"), Some("1"));
        let odd: [&[&[u8]]; 5] = [&[], &[b"1", b"1"], &[b"", b"1"], &[b"1", b""], &[b"\xff"]];
        for values in odd {
            assert_eq!(header(&request(values), "x-a"), None, "{values:?}");
        }
    }
}
