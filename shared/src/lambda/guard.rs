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
use super::logged::CallLog;
use crate::Problem;
use crate::endpoint::refuse;
use crate::log::Invocation;

/// A service whose conversion may panic.
#[derive(Clone)]
pub(super) struct Guard<S> {
    inner: S,
    call_log: Arc<CallLog>,
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
    /// Guards a service. The guard's own answers are logged like those of the service.
    pub(super) fn new(inner: S, call_log: Arc<CallLog>) -> Self {
        Self { inner, call_log }
    }

    fn refusal(&self, invocation: Invocation) -> Box<ApiGatewayV2httpResponse> {
        let (parts, body) =
            self.call_log.write(self.call_log.begin(invocation), refuse(Problem::InvalidParameters)).into_parts();
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
        let invocation = Invocation::of(&context);
        let convert = |event| self.inner.call(LambdaEvent::new(event, context));
        let Some(answer) = event.and_then(|event| catch_unwind(AssertUnwindSafe(|| convert(event))).ok()) else {
            let answer = self.refusal(invocation);
            return Box::pin(async { Ok(Reply::Refused(answer)) });
        };
        Box::pin(async { answer.await.map(Reply::Converted) })
    }
}
