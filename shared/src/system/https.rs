//! The HTTPS client for AWS and for other providers. It reads whole answers up to a maximum size, and does not follow
//! redirects. A function contains this one TLS stack, so it has neither HTTP/2 nor proxies.
//!
//! It reuses connections to AWS, whose SDK repeats failed requests, but not to other providers. While Lambda freezes a
//! function, the other side may close a connection. The next request on it would fail, and a captcha token cannot be
//! sent twice.

use std::time::Duration;

use bytes::Bytes;
#[cfg(feature = "https")]
use futures_util::FutureExt;
#[cfg(feature = "https")]
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

#[cfg(feature = "https")]
use crate::problem::Fault;

/// The timeout of connecting. Connecting normally takes milliseconds.
const CONNECT: Duration = Duration::from_secs(1);

/// How long an idle connection to AWS is kept. DynamoDB closes idle connections after about a minute (observed, not
/// documented). A function that is frozen between calls would notice this only at its next request. The time is checked
/// when a connection is reused, with the monotonic clock, which continues while the process is frozen.
const IDLE: Duration = Duration::from_secs(30);

/// The largest answer of a provider, in bytes. Key sets have 2 KB, captcha verdicts less.
#[cfg(feature = "https")]
const PROVIDER_ANSWER_MAX: usize = 256 * 1024;

/// The reason why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The server was not reached, or closed the connection before it answered.
    Unreachable,
    /// The answer was incomplete or too long.
    Broken,
}

/// The client. Clones share its connections.
#[derive(Clone)]
pub(crate) struct Https {
    /// `None` only if `ring` lacked the cipher suites of TLS, which does not happen.
    client: Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>>,
    answer_max: usize,
}

impl Https {
    /// A client that trusts the given root certificates, and reads answers of up to `answer_max` bytes. It also
    /// supports plain HTTP; the settings decide which URLs are allowed.
    pub(crate) fn new(roots: RootCertStore, answer_max: usize) -> Self {
        Self { client: client(roots, usize::MAX), answer_max }
    }

    /// A client that trusts the root certificates of Mozilla's programme, which are compiled in, and opens a connection
    /// for each request. The reason is that a server may close a kept connection while the function is frozen, and the
    /// next request then fails. The AWS SDK repeats such a request, but a request with a captcha token must not be
    /// repeated. Key sets are fetched so rarely that a kept connection would save nothing.
    #[cfg(feature = "https")]
    pub(crate) fn of_providers() -> Self {
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        Self { client: client(roots, 0), answer_max: PROVIDER_ANSWER_MAX }
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
    ///
    /// The future is boxed so that its code, with that of the HTTP client, is compiled in this crate only. Otherwise the
    /// crate of a function, which polls it, would have a second copy of 150 KB.
    #[cfg(feature = "https")]
    pub(crate) fn send<'a>(
        &'a self,
        operation: &'static str,
        request: Request<Full<Bytes>>,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Response<Bytes>, Fault>> {
        let failed = move |cause: &str| Fault::new(operation, cause);
        let sent = async move {
            match tokio::time::timeout(timeout, self.exchange(request)).await {
                Ok(Ok(answer)) if answer.status() == 200 => Ok(answer),
                Ok(Ok(answer)) => Err(failed(answer.status().as_str())),
                Ok(Err(NoAnswer::Unreachable)) => Err(failed("unreachable")),
                Ok(Err(NoAnswer::Broken)) => Err(failed("broken answer")),
                Err(_) => Err(Fault::timeout(operation)),
            }
        };
        sent.boxed()
    }
}

/// A client that keeps at most `kept` idle connections to each host.
fn client(roots: RootCertStore, kept: usize) -> Option<Client<HttpsConnector<HttpConnector>, Full<Bytes>>> {
    // The provider is set explicitly. There is no process default once another crate enables a second provider.
    let ring = rustls::crypto::ring::default_provider();
    let tls = ClientConfig::builder_with_provider(ring.into()).with_safe_default_protocol_versions().ok()?;
    let tls = tls.with_root_certificates(roots).with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    let mut client = Client::builder(TokioExecutor::new());
    client.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE).pool_max_idle_per_host(kept);
    Some(client.build(connector.wrap_connector(tcp)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// A server that keeps its connections open, and the number of its connections.
    async fn server() -> (String, Arc<AtomicUsize>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    while stream.read(&mut [0; 4096]).await.is_ok_and(|bytes| bytes > 0) {
                        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
                    }
                });
            }
        });
        (url, connections)
    }

    #[tokio::test]
    async fn a_connection_is_not_reused_after_30_idle_seconds() {
        let (url, connections) = server().await;
        let https = Https::new(RootCertStore::empty(), 1024);
        for (rest, opened) in [(0, 1), (29, 1), (31, 2)] {
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(rest)).await;
            tokio::time::resume();
            let request = Request::get(&url).body(Full::default()).unwrap();
            assert_eq!(https.exchange(request).await.unwrap().status(), 200);
            // The client returns the connection to the pool in another task.
            tokio::task::yield_now().await;
            assert_eq!(connections.load(Ordering::SeqCst), opened, "{rest}");
        }
    }
}
