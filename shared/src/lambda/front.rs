//! The secret of the proxy in front of the gateway, such as `CloudFront`. A firewall protects only what passes through it,
//! so a call of the gateway's own address is refused before anything reads it.
//!
//! The functions know only digests of the secret. Two are accepted while it is rotated.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::{Either, Ready, ready};
use http::Response;
use http::header::HeaderName;
use lambda_http::{Body, Request, Service};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::endpoint::refuse;
use crate::endpoint::request::ThroughFront;
use crate::{Problem, Setup};

/// The header with the secret. `CloudFront` replaces the value that a client sends (`infra/web.yaml`).
const SECRET: HeaderName = HeaderName::from_static("x-origin-secret");

/// A service that answers only calls with the secret, if one is set.
#[derive(Clone)]
pub(super) struct Front<S> {
    /// `ACCEPTED_ORIGIN_DIGESTS`. None means that every call is answered.
    accepted: Arc<[[u8; 32]]>,
    inner: S,
}

impl<S> Front<S> {
    /// Reads `ACCEPTED_ORIGIN_DIGESTS`.
    pub(super) fn new(setup: &Setup, inner: S) -> Self {
        Self { accepted: setup.settings().digests("ACCEPTED_ORIGIN_DIGESTS").into(), inner }
    }

    /// Whether the secret was sent, once. Every accepted digest is compared, in a time that does not depend on them.
    fn has_secret(&self, request: &Request) -> bool {
        let mut sent = request.headers().get_all(SECRET).iter();
        let (Some(secret), None) = (sent.next(), sent.next()) else { return false };
        let digest = Sha256::digest(secret.as_bytes());
        let equal = self.accepted.iter().map(|accepted| accepted.as_slice().ct_eq(&digest));
        equal.fold(Choice::from(0), |any, one| any | one).into()
    }
}

impl<S> Service<Request> for Front<S>
where
    S: Service<Request, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response<Body>, Infallible>>, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        if self.accepted.is_empty() {
            return Either::Right(self.inner.call(request));
        }
        if !self.has_secret(&request) {
            return Either::Left(ready(Ok(refuse(Problem::DirectCall))));
        }
        request.headers_mut().remove(SECRET);
        request.extensions_mut().insert(ThroughFront);
        Either::Right(self.inner.call(request))
    }
}
