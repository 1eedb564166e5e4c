//! The HTTPS client, for AWS and for other providers: connections are kept, an answer is read whole and no
//! longer than it may be, redirects are not followed.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

#[cfg(feature = "https")]
use crate::Fault;

/// Reaching a server takes milliseconds; a second means that it is not there.
const CONNECT: Duration = Duration::from_secs(1);

/// Bytes of the largest answer of a provider: key sets are 2 KB, verdicts less.
#[cfg(feature = "https")]
const PROVIDER_ANSWER_MAX: usize = 256 * 1024;

/// Cause of the fault when there was no whole answer in time.
#[cfg(feature = "https")]
pub(crate) const TIMED_OUT: &str = "timeout";

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Nobody was reached, or the connection ended before an answer began.
    Unreachable,
    /// It ended early, or was too long.
    Broken,
}

/// The client; clones share its connections.
#[derive(Clone)]
pub(crate) struct Https {
    /// None when ring is without what TLS needs, which it is not.
    client: Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>>,
    answer_max: usize,
}

impl Https {
    /// A client that trusts the given roots, and reads answers of `answer_max` bytes. Plain HTTP works too: which
    /// addresses may be asked is the settings' business.
    pub(crate) fn new(roots: RootCertStore, answer_max: usize) -> Self {
        Self { client: client(roots), answer_max }
    }

    /// A client that trusts the roots of Mozilla's programme, which are compiled in.
    #[cfg(feature = "https")]
    pub(crate) fn of_providers() -> Self {
        Self::new(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect(), PROVIDER_ANSWER_MAX)
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, NoAnswer> {
        let client = self.client.as_ref().ok_or(NoAnswer::Unreachable)?;
        let answer = client.request(request).await.map_err(|_| NoAnswer::Unreachable)?;
        let (parts, body) = answer.into_parts();
        let body = Limited::new(body, self.answer_max).collect().await.map_err(|_| NoAnswer::Broken)?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    }

    /// Sends a request and reads the whole answer, which must be 200.
    #[cfg(feature = "https")]
    pub(crate) async fn send(
        &self,
        operation: &'static str,
        request: Request<Full<Bytes>>,
        timeout: Duration,
    ) -> Result<Response<Bytes>, Fault> {
        let failed = |cause: &str| Fault::new(operation, cause);
        match tokio::time::timeout(timeout, self.exchange(request)).await {
            Ok(Ok(answer)) if answer.status() == 200 => Ok(answer),
            Ok(Ok(answer)) => Err(failed(answer.status().as_str())),
            Ok(Err(NoAnswer::Unreachable)) => Err(failed("unreachable")),
            Ok(Err(NoAnswer::Broken)) => Err(failed("broken answer")),
            Err(_) => Err(failed(TIMED_OUT)),
        }
    }
}

fn client(roots: RootCertStore) -> Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>> {
    // Named, not the process's default: that one is gone as soon as another crate brings a second.
    let ring = rustls::crypto::ring::default_provider();
    let tls = ClientConfig::builder_with_provider(ring.into()).with_safe_default_protocol_versions().ok()?;
    let tls = tls.with_root_certificates(roots).with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    Some(Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector.wrap_connector(tcp)))
}
