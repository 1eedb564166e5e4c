//! Logs every call, successful or not.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::Response;
use lambda_http::{Body, IntoResponse, Request, Service};

use crate::Setup;
use crate::endpoint::request;
use crate::log::{Invocation, Line, Log, Metrics, Outcome};
use crate::system::clock::Clock;

/// A service whose calls are logged.
#[derive(Clone)]
pub(super) struct Logged<S> {
    inner: S,
    call_log: Arc<CallLog>,
}

/// Creates and writes the log lines of one function.
pub(super) struct CallLog {
    function: &'static str,
    clock: Arc<dyn Clock>,
    log: Arc<dyn Log>,
    metrics: Option<Metrics>,
}

impl<S> Logged<S> {
    pub(super) fn new(inner: S, call_log: Arc<CallLog>) -> Self {
        Self { inner, call_log }
    }
}

impl CallLog {
    pub(super) fn new(function: &'static str, setup: &Setup) -> Self {
        Self { function, clock: setup.clock(), log: setup.log(), metrics: Metrics::new(setup.settings()) }
    }

    /// The log line of a new call.
    pub(super) fn begin(&self, invocation: Invocation) -> Line {
        Line::new(self.function, self.clock.now(), invocation)
    }

    /// Writes the line, and returns the answer without the [`Outcome`], which is only for the line.
    pub(super) fn write(&self, mut line: Line, mut answer: Response<Body>) -> Response<Body> {
        line.outcome = answer.extensions_mut().remove::<Outcome>().unwrap_or_default();
        line.status = answer.status().as_u16();
        self.end(line);
        answer
    }

    /// Writes the line of a call that ends now.
    pub(super) fn end(&self, mut line: Line) {
        line.duration_ms = self.clock.now().milliseconds().saturating_sub(line.started.milliseconds());
        line.write(self.log.as_ref(), self.metrics.as_ref());
    }
}

impl<S> Service<Request> for Logged<S>
where
    S: Service<Request, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Answer, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let mut line = self.call_log.begin(request::invocation(&request));
        line.request_id = request::id(&request);
        let call_log = Arc::clone(&self.call_log);
        let answer = self.inner.call(request);
        Box::pin(async move { Ok(Answer(call_log.write(line, answer.await?))) })
    }
}

/// An answer whose body is text. Without this type `lambda_http` would detect the body's encoding and decode it again.
pub(super) struct Answer(Response<Body>);

impl IntoResponse for Answer {
    fn into_response(self) -> BoxFuture<'static, Response<Body>> {
        Box::pin(std::future::ready(self.0))
    }
}
