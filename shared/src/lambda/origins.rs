//! The origins of the pages that send requests: CORS for listed ones, and the refusal of foreign ones.
//!
//! The function answers preflights itself, because API Gateway passes them on: its routes are for any method, so that a
//! function can answer 405 with its own message. This also makes all deployments behave the same. `tower-http` would
//! answer the preflight of any origin. Therefore a request of an origin that is not listed does not reach it, and its
//! preflight is answered with 405.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::{BoxFuture, Either};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Method, Response, StatusCode};
use lambda_http::tower::Layer;
use lambda_http::{Body, Request, Service};
use tower_http::cors::{AllowOrigin, Cors, CorsLayer};

use crate::endpoint::request::{self, header};
use crate::settings::is_origin;
use crate::{FrontEnd, Setup};

/// How long a browser may cache the answer to a preflight. Chromium's maximum is two hours.
const MAX_AGE: Duration = Duration::from_hours(2);

/// The headers that a script may send in addition to those that CORS always allows.
const ALLOWED_HEADERS: [HeaderName; 3] =
    [CONTENT_TYPE, HeaderName::from_static(PROOF), HeaderName::from_static("idempotency-key")];

/// The header in which browsers say how the page's site relates to the service's.
const SITE: &str = "sec-fetch-site";

/// The header that only pages of known origins can send. A foreign page has it if its browser has kept a preflight from
/// before its origin was taken off the list.
const PROOF: &str = "x-requested-with";

/// A service that answers requests of listed origins with CORS headers, and all others without. It takes [`PROOF`] away
/// from the requests of foreign pages, so that endpoints refuse them like a request without it.
#[derive(Clone)]
pub(super) struct Origins<S> {
    pages: Arc<Pages>,
    cors: Cors<S>,
    plain: S,
}

/// The pages that may call the service.
struct Pages {
    /// `CORS_ORIGINS`.
    listed: Vec<HeaderValue>,
    /// The origin of `FRONT_END_URL`. Its requests may come through a proxy, with another host.
    front_end: Option<String>,
}

impl Pages {
    fn are_listed(&self, request: &Request) -> bool {
        let mut origins = request.headers().get_all(ORIGIN).iter();
        origins.next().is_some_and(|origin| self.listed.contains(origin)) && origins.next().is_none()
    }

    /// Whether the browser says that a page of an unknown origin sent the request. Programs send no `Origin`. A browser
    /// sends `null` for a page without an origin, and for a page of this service if it hides where its user is.
    fn are_foreign(&self, request: &Request) -> bool {
        let mut sites = request.headers().get_all(SITE).iter();
        match header(request, ORIGIN) {
            _ if self.are_listed(request) => false,
            _ if sites.any(|site| site == "cross-site") => true,
            None => request.headers().contains_key(ORIGIN),
            Some("null") => header(request, SITE) != Some("same-origin"),
            Some(origin) => self.front_end.as_deref() != Some(origin) && !is_own(origin, request::host(request)),
        }
    }
}

/// Whether an origin is the host that the request was sent to.
fn is_own(origin: &str, host: Option<&str>) -> bool {
    let of_origin = origin.split_once("://").map(|(_, host)| host);
    is_origin(origin) && of_origin.zip(host).is_some_and(|(of_origin, host)| of_origin.eq_ignore_ascii_case(host))
}

impl<S: Clone> Origins<S> {
    /// Reads `CORS_ORIGINS` and `FRONT_END_URL`.
    pub(super) fn new(setup: &Setup, inner: S) -> Self {
        let listed = setup.settings().cors_origins();
        let front_end = FrontEnd::new(setup.settings()).origin();
        let layer = CorsLayer::new()
            .allow_origin(AllowOrigin::list(listed.iter().cloned()))
            .allow_credentials(true)
            .allow_methods([Method::POST])
            .allow_headers(ALLOWED_HEADERS)
            .max_age(MAX_AGE)
            .vary([ORIGIN]);
        Self { pages: Arc::new(Pages { listed, front_end }), cors: layer.layer(inner.clone()), plain: inner }
    }
}

impl<S> Service<Request> for Origins<S>
where
    S: Service<Request, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<BoxFuture<'static, Result<Response<Body>, Infallible>>, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.plain.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        if self.pages.are_foreign(&request) {
            request.headers_mut().remove(PROOF);
        }
        if !self.pages.are_listed(&request) {
            return Either::Right(self.plain.call(request));
        }
        let is_preflight = request.method() == Method::OPTIONS;
        let answer = self.cors.call(request);
        Either::Left(Box::pin(async move {
            let mut answer = answer.await?;
            if is_preflight {
                *answer.status_mut() = StatusCode::NO_CONTENT;
                answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            }
            Ok(answer)
        }))
    }
}
