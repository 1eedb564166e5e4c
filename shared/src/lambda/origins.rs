//! CORS, for front ends on other origins. The function answers preflights itself, because API Gateway passes them on:
//! its routes are for any method, so that a function can answer 405 with its own message. This also makes all
//! deployments behave the same. `tower-http` would answer the preflight of any origin. Therefore a request of an origin
//! that is not listed does not reach it, and its preflight is answered with 405.

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

use crate::Setup;

/// How long a browser may cache the answer to a preflight. Chromium's maximum is two hours.
const MAX_AGE: Duration = Duration::from_hours(2);

/// The headers that a script may send in addition to those that CORS always allows.
const ALLOWED_HEADERS: [HeaderName; 3] =
    [CONTENT_TYPE, HeaderName::from_static("x-requested-with"), HeaderName::from_static("idempotency-key")];

/// A service that answers requests of listed origins with CORS headers, and all others without.
#[derive(Clone)]
pub(super) struct Origins<S> {
    listed: Arc<[HeaderValue]>,
    cors: Cors<S>,
    plain: S,
}

impl<S: Clone> Origins<S> {
    /// Reads `CORS_ORIGINS`.
    pub(super) fn new(setup: &Setup, inner: S) -> Self {
        let listed = setup.settings().cors_origins();
        let layer = CorsLayer::new()
            .allow_origin(AllowOrigin::list(listed.iter().cloned()))
            .allow_credentials(true)
            .allow_methods([Method::POST])
            .allow_headers(ALLOWED_HEADERS)
            .max_age(MAX_AGE)
            .vary([ORIGIN]);
        Self { listed: listed.into(), cors: layer.layer(inner.clone()), plain: inner }
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

    fn call(&mut self, request: Request) -> Self::Future {
        let mut origins = request.headers().get_all(ORIGIN).iter();
        let is_listed = origins.next().is_some_and(|origin| self.listed.contains(origin)) && origins.next().is_none();
        if !is_listed {
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
