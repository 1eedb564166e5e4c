//! Who calls AWS, and in which region: read once at start, by the providers of `aws-config` for the environment. Its
//! whole chain (profiles, containers, instances) would be most of a cold start, and Lambda has all in the environment.

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::region::ProvideRegion;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials;
use aws_types::region::Region;

use crate::Setup;

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

    /// Both, for a client. What is missing is noted in `setup`, by the name of its variable.
    pub(super) fn required(&self, setup: &Setup) -> Option<(Credentials, Region)> {
        if self.credentials.is_none() {
            for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
                if setup.optional(name).is_none_or(|value| value.trim().is_empty()) {
                    setup.fault(name, EXPORT);
                }
            }
        }
        if self.region.is_none() {
            setup.fault(
                "AWS_REGION",
                "is missing: Lambda sets it; on a computer, export AWS_REGION=eu-west-1, or another",
            );
        }
        self.credentials.clone().zip(self.region.clone())
    }
}

/// What to do about an answer of AWS's that is about the credentials, by its code.
pub(crate) fn advice(code: &str) -> Option<&'static str> {
    match code {
        "ExpiredTokenException" | "ExpiredToken" => Some(
            "AWS_SESSION_TOKEN has expired: start the function again; on a computer, export the profile's anew with \
             eval \"$(aws configure export-credentials --profile NAME --format env)\"",
        ),
        "UnrecognizedClientException" | "InvalidClientTokenId" => {
            Some("AWS does not know AWS_ACCESS_KEY_ID, or AWS_SESSION_TOKEN is not the one that belongs to it")
        }
        "InvalidSignatureException" | "SignatureDoesNotMatch" => {
            Some("AWS_SECRET_ACCESS_KEY is not the one that belongs to AWS_ACCESS_KEY_ID")
        }
        "MissingAuthenticationTokenException" | "IncompleteSignatureException" => {
            Some("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not credentials")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_credentials_and_regions_are_named_with_what_to_do() {
        let setup = Setup::for_tests([("AWS_ACCESS_KEY_ID", "known"), ("AWS_SECRET_ACCESS_KEY", " ")]);
        assert!(Access { credentials: None, region: None }.required(&setup).is_none());
        let said = setup.check().unwrap_err().to_string();
        assert!(said.contains("AWS_SECRET_ACCESS_KEY is missing") && said.contains("export-credentials"), "{said}");
        assert!(said.contains("AWS_REGION is missing") && !said.contains("AWS_ACCESS_KEY_ID"), "{said}");
    }

    #[test]
    fn an_answer_about_credentials_names_the_variable_and_others_advise_nothing() {
        for (code, variable) in [
            ("ExpiredTokenException", "AWS_SESSION_TOKEN"),
            ("UnrecognizedClientException", "AWS_ACCESS_KEY_ID"),
            ("InvalidSignatureException", "AWS_SECRET_ACCESS_KEY"),
        ] {
            assert!(advice(code).is_some_and(|advice| advice.contains(variable)), "{code}");
        }
        assert_eq!(advice("ThrottlingException"), None);
    }
}
