//! A small HTTPS client for the two providers that are not AWS: one request, one bounded answer, no
//! redirects.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::Fault;

/// Bytes of the largest answer: key sets are 2 KB, verdicts less.
const ANSWER_MAX: usize = 256 * 1024;

/// Cause of the fault when there was no whole answer in time.
pub(crate) const TIMED_OUT: &str = "timeout";

/// The client; its connections are kept.
#[derive(Clone)]
pub(crate) struct Https(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Https {
    /// Trusts the roots of Mozilla's programme, which are compiled in. Plain HTTP works too: which
    /// addresses may be asked is the settings' business.
    pub(crate) fn new() -> Self {
        let connector = hyper_rustls::HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1();
        Self(Client::builder(TokioExecutor::new()).build(connector.build()))
    }

    /// Sends a request and reads the whole answer, which must be 200.
    pub(crate) async fn send(
        &self,
        operation: &'static str,
        request: Request<Full<Bytes>>,
        timeout: Duration,
    ) -> Result<Response<Bytes>, Fault> {
        let failed = |cause: &str| Fault::new(operation, cause);
        let exchange = async {
            let answer = self.0.request(request).await.map_err(|_| failed("unreachable"))?;
            if answer.status() != 200 {
                return Err(failed(answer.status().as_str()));
            }
            let (parts, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_MAX).collect().await.map_err(|_| failed("broken answer"))?;
            Ok(Response::from_parts(parts, body.to_bytes()))
        };
        tokio::time::timeout(timeout, exchange).await.unwrap_or_else(|_| Err(failed(TIMED_OUT)))
    }
}
