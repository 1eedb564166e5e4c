//! The clients of AWS services: how the SDK makes one from the configuration that all share.

use aws_runtime::user_agent::UserAgentInterceptor;
use aws_sdk_dynamodb::config::endpoint::{Endpoint, EndpointFuture};
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::BeforeSerializationInterceptorContextRef;
use aws_smithy_runtime_api::client::interceptors::{Intercept, disable_interceptor, dyn_dispatch_hint};
use aws_smithy_types::config_bag::ConfigBag;
use aws_types::SdkConfig;

use super::signer::Signer;

/// The client of a service.
pub(crate) trait ServiceClient {
    /// The service's name in AWS host names.
    const HOST: &'static str;
    /// The variable that may override the service's endpoint.
    const ENDPOINT: &'static str;

    /// The client with this configuration.
    fn of(config: &SdkConfig) -> Self;
}

/// The endpoint of a client. The SDK's resolver would follow its rules at each call, and end at the same address.
#[derive(Debug)]
struct Fixed(Endpoint);

/// Leaves out the header with the versions and features of the SDK, which only AWS's statistics read.
#[derive(Debug)]
struct WithoutStatistics;

#[dyn_dispatch_hint]
impl Intercept for WithoutStatistics {
    fn name(&self) -> &'static str {
        "WithoutStatistics"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        config.interceptor_state().store_put(disable_interceptor::<UserAgentInterceptor>("nobody reads it"));
        Ok(())
    }
}

macro_rules! client {
    ($sdk:ident, $host:literal, $endpoint:literal) => {
        impl ServiceClient for $sdk::Client {
            const HOST: &'static str = $host;
            const ENDPOINT: &'static str = $endpoint;

            fn of(config: &SdkConfig) -> Self {
                let url = config.endpoint_url().unwrap_or_default().to_owned();
                let endpoint = Endpoint::builder().url(url).build();
                let config = $sdk::config::Builder::from(config).retry_partition(own_retries());
                let config = config.push_auth_scheme(Signer::new()).endpoint_resolver(Fixed(endpoint));
                Self::from_conf(config.interceptor(WithoutStatistics).build())
            }
        }

        impl $sdk::config::endpoint::ResolveEndpoint for Fixed {
            fn resolve_endpoint<'a>(&'a self, _: &'a $sdk::config::endpoint::Params) -> EndpointFuture<'a> {
                EndpointFuture::ready(Ok(self.0.clone()))
            }
        }
    };
}
client!(aws_sdk_dynamodb, "dynamodb", "AWS_ENDPOINT_URL_DYNAMODB");
#[cfg(feature = "captcha")]
client!(aws_sdk_secretsmanager, "secretsmanager", "AWS_ENDPOINT_URL_SECRETS_MANAGER");
#[cfg(feature = "mail")]
client!(aws_sdk_sesv2, "email", "AWS_ENDPOINT_URL_SESV2");
#[cfg(feature = "stream")]
client!(aws_sdk_eventbridge, "events", "AWS_ENDPOINT_URL_EVENTBRIDGE");
#[cfg(feature = "stream")]
client!(aws_sdk_sqs, "sqs", "AWS_ENDPOINT_URL_SQS");

/// A retry quota for one client. By default the SDK shares one quota among all clients of a process. Where several
/// functions run in one process, an outage that affects one of them would then stop the retries of all.
fn own_retries() -> RetryPartition {
    RetryPartition::custom("own").build()
}

#[cfg(all(test, feature = "captcha", feature = "mail", feature = "stream"))]
mod tests {
    use super::*;
    use crate::aws::endpoint::endpoint;
    use crate::settings::Settings;

    #[tokio::test]
    async fn every_client_has_the_address_that_its_sdk_resolves() {
        macro_rules! assert_address {
            ($($sdk:ident),*) => {$({
                use $sdk::config::endpoint::{DefaultResolver, Params, ResolveEndpoint};
                for region in ["eu-west-1", "us-gov-west-1", "cn-north-1"] {
                    let params = Params::builder().region(region).build().unwrap();
                    let resolved = DefaultResolver::new().resolve_endpoint(&params).await.unwrap();
                    let host = <$sdk::Client as ServiceClient>::HOST;
                    assert_eq!(endpoint(&Settings::for_tests([]), host, "AWS_X", region), resolved.url());
                }
            })*};
        }
        assert_address!(aws_sdk_dynamodb, aws_sdk_eventbridge, aws_sdk_secretsmanager, aws_sdk_sesv2, aws_sdk_sqs);
    }
}
