//! Who calls AWS, and in which region: read once at start, by the providers of `aws-config` for the environment. Its
//! whole chain (profiles, containers, instances) would be most of a cold start, and Lambda has all in the environment.

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::region::ProvideRegion;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials;
use aws_types::region::Region;

use crate::settings::Settings;

/// What a laptop has in a profile and a function in its environment.
const EXPORT: &str = "is missing: Lambda sets it; on a computer, export a profile's with \
                      eval \"$(aws configure export-credentials --profile NAME --format env)\"";

/// Credentials and region, as far as they are known.
#[derive(Clone)]
pub(crate) struct Access {
    credentials: Option<Credentials>,
    region: Option<Region>,
}

impl Access {
    /// Those of the process's environment.
    pub(crate) async fn of_environment() -> Self {
        Self {
            credentials: EnvironmentVariableCredentialsProvider::new().provide_credentials().await.ok(),
            region: EnvironmentVariableRegionProvider::new().region().await,
        }
    }

    /// Those for services on this machine, which ask for some and check none.
    pub(crate) fn local() -> Self {
        let credentials = Credentials::builder().access_key_id("local").secret_access_key("local");
        let credentials = credentials.provider_name("local").build();
        Self { credentials: Some(credentials), region: Some(Region::new("eu-west-1")) }
    }

    /// Both, for a client. What is missing is noted in `settings`, by the name of its variable.
    pub(super) fn required(&self, settings: &Settings) -> Option<(Credentials, Region)> {
        if self.credentials.is_none() {
            for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
                if settings.optional(name).is_none_or(|value| value.trim().is_empty()) {
                    settings.fault(name, EXPORT);
                }
            }
        }
        if self.region.is_none() {
            settings.fault(
                "AWS_REGION",
                "is missing: Lambda sets it; on a computer, export AWS_REGION=eu-west-1, or another",
            );
        }
        self.credentials.clone().zip(self.region.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_credentials_and_regions_are_named_with_what_to_do() {
        let settings = Settings::for_tests([("AWS_ACCESS_KEY_ID", "known"), ("AWS_SECRET_ACCESS_KEY", " ")]);
        assert!(Access { credentials: None, region: None }.required(&settings).is_none());
        let said = settings.check().unwrap_err().to_string();
        assert!(said.contains("AWS_SECRET_ACCESS_KEY is missing") && said.contains("export-credentials"), "{said}");
        assert!(said.contains("AWS_REGION is missing") && !said.contains("AWS_ACCESS_KEY_ID"), "{said}");
    }
}
