//! The configuration that all AWS clients share: credentials, trusted certificates, timeouts and retries.

mod access;
mod client;
mod connector;
mod endpoint;
mod fault;
mod signer;

pub(crate) use access::Access;
pub(crate) use client::ServiceClient;
pub(crate) use fault::fault;

use std::cell::OnceCell;
use std::time::Duration;

use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::{IdentityCache, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use http::Request;
use http_body_util::Full;

use crate::settings::Settings;
use crate::system::https::Https;

/// The timeout of one attempt, from connecting to the end of the answer. Two attempts that time out leave a second of
/// [`OPERATION`] for a third.
const ATTEMPT: Duration = Duration::from_secs(2);
/// The timeout of one operation with all its attempts. It is shorter than the call's deadline.
const OPERATION: Duration = Duration::from_secs(5);
/// The maximum number of attempts of one operation, the SDK's default.
const ATTEMPTS: u32 = 3;
/// The longest wait before the second attempt; the SDK waits a random part of it. AWS recommends 50 ms for DynamoDB;
/// the SDK's general default is one second.
const BACKOFF: Duration = Duration::from_millis(50);

/// The parts that the clients of all AWS services share.
pub(crate) struct Aws {
    access: Access,
    https: OnceCell<Https>,
    dynamodb: OnceCell<aws_sdk_dynamodb::Client>,
}

impl Aws {
    /// Prepares clients with these credentials.
    pub(crate) fn new(access: Access) -> Self {
        Self { access, https: OnceCell::new(), dynamodb: OnceCell::new() }
    }

    /// The configuration of a client. The service's own variable may override its endpoint, and `AWS_ENDPOINT_URL` the
    /// endpoint of all services.
    pub(crate) fn config<C: ServiceClient>(&self, settings: &Settings) -> SdkConfig {
        let (credentials, region) = self.access.required(settings).unzip();
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).operation_timeout(OPERATION).build();
        let mut config = SdkConfig::builder();
        config.set_credentials_provider(credentials.map(SharedCredentialsProvider::new));
        config
            .behavior_version(BehaviorVersion::v2026_01_12())
            .endpoint_url(endpoint::endpoint(settings, C::HOST, C::ENDPOINT, region.as_ref().map_or("", AsRef::as_ref)))
            .region(region)
            // The credentials are static, so a cache is useless. Answers are read whole, so there is no stream to
            // protect from stalling.
            .identity_cache(IdentityCache::no_cache())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .timeout_config(timeouts)
            .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(BACKOFF))
            .http_client(connector::for_sdk(self.https(settings)))
            .build()
    }

    /// Opens a client's connection before the first call. The handshakes would delay that call, and a function has more
    /// CPU during its start. Any answer suffices; DynamoDB answers that it is healthy.
    pub(crate) fn connect(&self, settings: &Settings, config: &SdkConfig) -> impl Future<Output = ()> + Send + 'static {
        let request = Request::get(config.endpoint_url().unwrap_or_default()).body(Full::default());
        let https = self.https(settings).clone();
        async move {
            if let Ok(request) = request {
                // If the connection fails now, the first call connects again and reports the fault.
                let _ = https.exchange(request).await;
            }
        }
    }

    /// The DynamoDB client, created by `make` at the first use.
    pub(crate) fn dynamodb(&self, make: impl FnOnce() -> aws_sdk_dynamodb::Client) -> aws_sdk_dynamodb::Client {
        self.dynamodb.get_or_init(make).clone()
    }

    /// The same parts, with this DynamoDB client.
    #[cfg(feature = "operator")]
    pub(crate) fn with_dynamodb(self, client: aws_sdk_dynamodb::Client) -> Self {
        Self { dynamodb: OnceCell::from(client), ..self }
    }

    fn https(&self, settings: &Settings) -> &Https {
        self.https.get_or_init(|| connector::https(settings))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use crate::Setup;
    use crate::store::Accounts;

    #[tokio::test]
    async fn the_start_connects_to_the_table_and_continues_without_an_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let setup = Setup::for_tests([("ACCOUNTS_TABLE", "accounts"), ("AWS_ENDPOINT_URL", &url)]);
        drop(Accounts::new(&setup));
        setup.settings().check().unwrap();
        // The listener never answers. The warm-up ends at its timeout.
        setup.warm_up().await;
        listener.set_nonblocking(true).unwrap();
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = [0; 16];
        connection.read_exact(&mut request).unwrap();
        assert!(request.starts_with(b"GET / HTTP/1.1"));
    }
}
