//! The guard around `lambda_http`'s conversion. It answers every event, and keeps the process alive after a panic.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use lambda_http::request::LambdaRequest;
use lambda_http::{LambdaEvent, Service};
use serde::Serialize;

use super::event::Event;
use super::logged::Calls;
use crate::Problem;
use crate::endpoint::refuse;

/// A service whose conversion may panic.
#[derive(Clone)]
pub(super) struct Guard<S> {
    inner: S,
    calls: Arc<Calls>,
}

/// The response to the gateway.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Reply<T> {
    /// The endpoint's answer, converted by the library.
    Converted(T),
    /// The answer to an event that could not be read or converted.
    Refused(Box<ApiGatewayV2httpResponse>),
}

impl<S> Guard<S> {
    /// Guards a service. The guard's own answers are logged as calls.
    pub(super) fn new(inner: S, calls: Arc<Calls>) -> Self {
        Self { inner, calls }
    }

    fn refusal(&self) -> Box<ApiGatewayV2httpResponse> {
        let (parts, body) = self.calls.write(self.calls.begin(), refuse(Problem::InvalidParameters)).into_parts();
        let mut response = Box::<ApiGatewayV2httpResponse>::default();
        response.status_code = i64::from(parts.status.as_u16());
        response.headers = parts.headers;
        response.body = Some(body);
        response
    }
}

impl<S> Service<LambdaEvent<Event>> for Guard<S>
where
    S: Service<LambdaEvent<LambdaRequest>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Reply<S::Response>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, event: LambdaEvent<Event>) -> Self::Future {
        let LambdaEvent { payload: Event(event), context } = event;
        let convert = |event| self.inner.call(LambdaEvent::new(event, context));
        let Some(answer) = event.and_then(|event| catch_unwind(AssertUnwindSafe(|| convert(event))).ok()) else {
            let answer = self.refusal();
            return Box::pin(async { Ok(Reply::Refused(answer)) });
        };
        Box::pin(async { answer.await.map(Reply::Converted) })
    }
}
