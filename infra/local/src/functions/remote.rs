//! A function that runs in another process, behind Lambda's API `Invoke`: under `cargo lambda watch`, or in a container with
//! Lambda's emulator.

use axum::body::Body;
use axum::http::{Request, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The path of the API; the name of the function is in the middle.
const PATH: (&str, &str) = ("/2015-03-31/functions/", "/invocations");
/// The header of an answer that is an error of the function.
const FUNCTION_ERROR: &str = "x-amz-function-error";

/// An HTTP client for programs on this machine.
pub(crate) type HttpClient = Client<HttpConnector, Body>;

pub(crate) fn http_client() -> HttpClient {
    Client::builder(TokioExecutor::new()).build_http()
}

/// The function.
pub(crate) struct Remote {
    address: Uri,
    client: HttpClient,
}

impl Remote {
    /// The function at an address such as `http://localhost:9000/2015-03-31/functions/movements/invocations`; `None` if the
    /// address is no such one.
    pub(crate) fn at(address: &str) -> Option<Self> {
        let address: Uri = address.parse().ok()?;
        let is_of_lambda = address.path().strip_prefix(PATH.0).is_some_and(|rest| rest.ends_with(PATH.1));
        let is_http = address.scheme_str() == Some("http") && address.host().is_some();
        (is_of_lambda && is_http).then(|| Self { address, client: http_client() })
    }

    /// The answer of the function to an event, both as JSON. `None` if it does not answer, or with an error.
    pub(crate) async fn invoke(&self, event: String) -> Option<String> {
        let request = Request::post(self.address.clone()).body(Body::from(event)).ok()?;
        let answer = self.client.request(request).await.ok()?;
        if answer.status() != StatusCode::OK || answer.headers().contains_key(FUNCTION_ERROR) {
            return None;
        }
        let bytes = answer.into_body().collect().await.ok()?.to_bytes();
        String::from_utf8(bytes.into()).ok()
    }
}
