//! What the AWS clients have in common: credentials, trust, timeouts and retries.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;

use crate::{Fault, Setup};

/// Reaching a service of the same region takes milliseconds; a second means that it is not there.
const CONNECT: Duration = Duration::from_secs(1);
/// One try, connection and answer.
const ATTEMPT: Duration = Duration::from_secs(2);
/// All tries of one operation. The call's own deadline lies above it.
const OPERATION: Duration = Duration::from_secs(5);
/// Tries of one operation.
const ATTEMPTS: u32 = 3;
/// First wait between two tries; DynamoDB's own advice is 50 ms, the SDK's general default a second.
const BACKOFF: Duration = Duration::from_millis(50);
/// Certificates of the roots that AWS endpoints chain to. Reading the system's store would cost
/// some 150 files at every cold start, and trust far more than AWS.
const ROOTS: &[u8] = include_bytes!("roots.pem");

/// The configuration of a client. Lambda puts credentials and region into the environment, so the
/// SDK's chain of providers has nothing to find out. `endpoint` is the setting that may hold
/// another address of the service, such as the local stack's; `AWS_ENDPOINT_URL` is one for all.
pub(crate) fn config(setup: &Setup, endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new(
        setup.required("AWS_ACCESS_KEY_ID"),
        setup.required("AWS_SECRET_ACCESS_KEY"),
        setup.optional("AWS_SESSION_TOKEN"),
        None,
        "environment",
    );
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT)
        .operation_attempt_timeout(ATTEMPT)
        .operation_timeout(OPERATION)
        .build();
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::new(setup.required("AWS_REGION")))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(BACKOFF))
        .http_client(http_client());
    config.set_endpoint_url(setup.optional_url(endpoint).or_else(|| setup.optional_url("AWS_ENDPOINT_URL")));
    config.build()
}

/// A quota of retries for one client. The SDK shares one among all clients of a process: where functions share
/// a process, an outage that one of them meets would end the retries of all.
pub(crate) fn own_retries() -> RetryPartition {
    RetryPartition::custom("own").build()
}

/// What failed, as a code: the messages of the services may hold keys and addresses.
pub(crate) fn fault<E: ProvideErrorMetadata>(operation: &'static str, error: &SdkError<E>) -> Fault {
    let cause = match error {
        SdkError::ServiceError(service) => service.err().code().unwrap_or("unknown"),
        SdkError::TimeoutError(_) => "timeout",
        SdkError::DispatchFailure(failure) if failure.is_timeout() => "timeout",
        SdkError::DispatchFailure(_) => "unreachable",
        SdkError::ResponseError(_) => "broken answer",
        SdkError::ConstructionFailure(_) => "unbuildable",
        _ => "unknown",
    };
    Fault::new(operation, cause)
}

fn http_client() -> SharedHttpClient {
    let builder = aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring));
    // Building a context cannot fail in this version. Without one, the client trusts what the system does.
    match TlsContext::builder().with_trust_store(TrustStore::empty().with_pem_certificate(ROOTS)).build() {
        Ok(context) => builder.tls_context(context).build_https(),
        Err(_) => builder.build_https(),
    }
}
