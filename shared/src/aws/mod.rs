//! What the AWS clients have in common: credentials, trust, timeouts and retries.

mod access;
mod connector;
mod endpoint;
mod fault;

pub(crate) use access::Access;
pub(crate) use fault::fault;

use std::cell::OnceCell;
use std::time::Duration;

use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::config::{IdentityCache, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use http::Request;
use http_body_util::Full;

use crate::settings::Settings;
use crate::system::https::Https;

/// One try, connection and answer.
const ATTEMPT: Duration = Duration::from_secs(2);
/// All tries of one operation. The call's own deadline lies above it.
const OPERATION: Duration = Duration::from_secs(5);
/// Tries of one operation.
const ATTEMPTS: u32 = 3;
/// First wait between two tries; DynamoDB's own advice is 50 ms, the SDK's general default a second.
const BACKOFF: Duration = Duration::from_millis(50);

/// What the clients of all AWS services share.
pub(crate) struct Aws {
    access: Access,
    https: OnceCell<Https>,
    dynamodb: OnceCell<aws_sdk_dynamodb::Client>,
}

impl Aws {
    /// Clients with these credentials.
    pub(crate) fn new(access: Access) -> Self {
        Self { access, https: OnceCell::new(), dynamodb: OnceCell::new() }
    }

    /// The configuration of a client of `service`, as its host is named. `setting` may hold another address of the
    /// service, such as the local stack's; `AWS_ENDPOINT_URL` is one for all.
    pub(crate) fn config(&self, settings: &Settings, service: &str, setting: &str) -> SdkConfig {
        let (credentials, region) = self.access.required(settings).unzip();
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).operation_timeout(OPERATION).build();
        let mut config = SdkConfig::builder();
        config.set_credentials_provider(credentials.map(SharedCredentialsProvider::new));
        config
            .behavior_version(BehaviorVersion::v2026_01_12())
            .endpoint_url(endpoint::endpoint(settings, service, setting, region.as_ref().map_or("", AsRef::as_ref)))
            .region(region)
            // The credentials are at hand, and an answer is awaited whole: neither a cache nor a watch over slow
            // streams helps.
            .identity_cache(IdentityCache::no_cache())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .timeout_config(timeouts)
            .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(BACKOFF))
            .http_client(connector::for_sdk(self.https(settings)))
            .build()
    }

    /// Opens the connection of a client before the first call: its handshakes would take that call's time, and a
    /// function has more processor while it starts. Any answer will do; DynamoDB says that it is healthy.
    pub(crate) fn connect(&self, settings: &Settings, config: &SdkConfig) -> impl Future<Output = ()> + Send + 'static {
        let request = Request::get(config.endpoint_url().unwrap_or_default()).body(Full::default());
        let https = self.https(settings).clone();
        async move {
            if let Ok(request) = request {
                // If nobody answers now, the first call connects, and reports the fault.
                let _ = https.exchange(request).await;
            }
        }
    }

    /// The one client of DynamoDB, made when it is first asked for.
    pub(crate) fn dynamodb(&self, make: impl FnOnce() -> aws_sdk_dynamodb::Client) -> aws_sdk_dynamodb::Client {
        self.dynamodb.get_or_init(make).clone()
    }

    fn https(&self, settings: &Settings) -> &Https {
        self.https.get_or_init(|| connector::https(settings))
    }
}

/// A quota of retries for one client. The SDK shares one among all clients of a process: where functions share
/// a process, an outage that one of them meets would end the retries of all.
pub(crate) fn own_retries() -> RetryPartition {
    RetryPartition::custom("own").build()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use crate::Setup;
    use crate::store::Accounts;

    #[tokio::test]
    async fn a_start_opens_the_connection_to_the_table_and_does_not_wait_for_long() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let setup = Setup::for_tests([("ACCOUNTS_TABLE", "accounts"), ("AWS_ENDPOINT_URL", &url)]);
        drop(Accounts::new(&setup));
        setup.settings().check().unwrap();
        // Nobody answers: the start goes on all the same.
        setup.warm_up().await;
        listener.set_nonblocking(true).unwrap();
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = [0; 16];
        connection.read_exact(&mut request).unwrap();
        assert!(request.starts_with(b"GET / HTTP/1.1"));
    }
}
