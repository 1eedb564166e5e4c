//! Connects the SDK to this crate's HTTPS client, so that a binary contains one HTTPS client.

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::retry::ErrorKind;
use bytes::Bytes;
use http::header::{HeaderValue, USER_AGENT};
use http::{Request, Response};
use http_body_util::Full;
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use crate::settings::Settings;
use crate::system::https::{Https, NoAnswer};

/// The root certificates of AWS endpoints. The system's store would add about 150 file reads to every cold start, and
/// would trust many other authorities.
const ROOTS: &[u8] = include_bytes!("roots.pem");
/// The largest answer, in bytes. A DynamoDB page has up to 1 MB of items, and JSON may encode one byte as six.
const ANSWER_MAX: usize = 8 << 20;
/// The name of the service in the logs of AWS.
const NAME: &str = concat!("accounts/", env!("CARGO_PKG_VERSION"));

/// The HTTPS client for all AWS services. It trusts AWS's root certificates, or those in the file that `AWS_CA_BUNDLE`
/// names, as other AWS tools do.
pub(super) fn https(settings: &Settings) -> Https {
    let bundle = settings.outside_template("AWS_CA_BUNDLE").map(std::fs::read);
    let mut roots = RootCertStore::empty();
    match bundle {
        None => drop(add(&mut roots, ROOTS)),
        Some(Ok(bundle)) if add(&mut roots, &bundle) => {}
        Some(_) => drop(settings.fault("AWS_CA_BUNDLE", "must be the path of a PEM file of certificates")),
    }
    Https::new(roots, ANSWER_MAX)
}

/// Adds the certificates in `pem` to the trusted ones. Returns false if `pem` has none, or one that cannot be read.
fn add(roots: &mut RootCertStore, pem: &[u8]) -> bool {
    let is_added = CertificateDer::pem_slice_iter(pem).all(|root| root.is_ok_and(|root| roots.add(root).is_ok()));
    is_added && !roots.is_empty()
}

/// The HTTPS client as the SDK's HTTP client.
pub(super) fn for_sdk(https: &Https) -> SharedHttpClient {
    let connector = SharedHttpConnector::new(Connector(https.clone()));
    http_client_fn(move |_, _| connector.clone())
}

struct Connector(Https);

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let https = self.0.clone();
        HttpConnectorFuture::new(async move {
            let answer = https.exchange(http_request(request)?).await.map_err(|no_answer| match no_answer {
                NoAnswer::Unreachable => ConnectorError::io("unreachable".into()),
                NoAnswer::Broken => ConnectorError::other("broken answer".into(), Some(ErrorKind::TransientError)),
            })?;
            sdk_response(answer)
        })
    }
}

fn http_request(request: HttpRequest) -> Result<Request<Full<Bytes>>, ConnectorError> {
    let request = request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?;
    let (mut parts, body) = request.into_parts();
    parts.headers.insert(USER_AGENT, HeaderValue::from_static(NAME));
    // Every body is in memory: the service does not stream.
    let body = body.bytes().ok_or_else(|| ConnectorError::user("a body that is not in memory".into()))?;
    Ok(Request::from_parts(parts, Full::new(Bytes::copy_from_slice(body))))
}

fn sdk_response(answer: Response<Bytes>) -> Result<HttpResponse, ConnectorError> {
    HttpResponse::try_from(answer.map(SdkBody::from)).map_err(|error| ConnectorError::other(error.into(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_five_aws_roots_are_trusted() {
        let mut roots = RootCertStore::empty();
        assert!(add(&mut roots, ROOTS));
        assert_eq!(roots.len(), 5);
    }

    #[test]
    fn an_unreadable_ca_bundle_is_an_error_of_the_settings() {
        for (file, is_bundle) in [("src/aws/roots.pem", true), ("Cargo.toml", false), ("absent.pem", false)] {
            let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
            let settings = Settings::for_tests([("AWS_CA_BUNDLE", &path)]);
            drop(https(&settings));
            assert_eq!(settings.check().is_ok(), is_bundle, "{file}");
        }
    }
}
