//! The guard around `lambda_http`'s conversion: whatever the event is, there is an answer, and the process serves the next.

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

/// What goes back to the gateway.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Reply<T> {
    /// What the library made of the endpoint's answer.
    Converted(T),
    /// The answer to an event that could not be read or converted.
    Unreadable(Box<ApiGatewayV2httpResponse>),
}

impl<S> Guard<S> {
    /// Guards a service; its own answers are logged among its calls.
    pub(super) fn new(inner: S, calls: Arc<Calls>) -> Self {
        Self { inner, calls }
    }

    fn unreadable(&self) -> Box<ApiGatewayV2httpResponse> {
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
            let answer = self.unreadable();
            return Box::pin(async { Ok(Reply::Unreadable(answer)) });
        };
        Box::pin(async { answer.await.map(Reply::Converted) })
    }
}
