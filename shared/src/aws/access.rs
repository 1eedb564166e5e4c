//! AWS credentials and region, read once at start with `aws-config`'s environment providers. Lambda sets both in the
//! environment. The default provider chain (profiles, containers, instances) would take most of a cold start.

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::region::ProvideRegion;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials;
use aws_types::region::Region;

use crate::settings::Settings;

/// The advice when credentials are missing. A function has them in its environment, a computer in a profile.
const EXPORT: &str = "is missing: Lambda sets it; on a computer, export a profile's with \
                      eval \"$(aws configure export-credentials --profile NAME --format env)\"";

/// Credentials and region; either may be missing.
#[derive(Clone)]
pub(crate) struct Access {
    credentials: Option<Credentials>,
    region: Option<Region>,
}

impl Access {
    /// Reads both from the process's environment.
    pub(crate) async fn of_environment() -> Self {
        Self {
            credentials: EnvironmentVariableCredentialsProvider::new().provide_credentials().await.ok(),
            region: EnvironmentVariableRegionProvider::new().region().await,
        }
    }

    /// Placeholders for services on this machine, which require credentials and do not check them.
    pub(crate) fn local() -> Self {
        let credentials = Credentials::builder().access_key_id("local").secret_access_key("local");
        let credentials = credentials.provider_name("local").build();
        Self { credentials: Some(credentials), region: Some(Region::new("eu-west-1")) }
    }

    /// Both, for a client. A missing variable is reported to `settings` by its name.
    pub(super) fn required(&self, settings: &Settings) -> Option<(Credentials, Region)> {
        if self.credentials.is_none() {
            for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
                if settings.outside_template(name).is_none_or(|value| value.trim().is_empty()) {
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
    fn missing_credentials_and_region_are_reported_with_advice() {
        let settings = Settings::for_tests([("AWS_ACCESS_KEY_ID", "known"), ("AWS_SECRET_ACCESS_KEY", " ")]);
        assert!(Access { credentials: None, region: None }.required(&settings).is_none());
        let error = settings.check().unwrap_err().to_string();
        assert!(error.contains("AWS_SECRET_ACCESS_KEY is missing") && error.contains("export-credentials"), "{error}");
        assert!(error.contains("AWS_REGION is missing") && !error.contains("AWS_ACCESS_KEY_ID"), "{error}");
    }
}
