//! The endpoint URL of an AWS service. The SDK's resolver would parse a list of all regions at every start; this module
//! needs only the few domains of the partitions.

use crate::settings::Settings;

/// The domain of each partition whose domain is not `amazonaws.com`, by the prefix of its region names.
const DOMAINS: &[(&str, &str)] = &[
    ("cn-", "amazonaws.com.cn"),
    ("eusc-", "amazonaws.eu"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk"),
];

/// The endpoint URL of a service in a region: the value of `setting`, which is the service's own, else
/// `AWS_ENDPOINT_URL`, else AWS's URL.
pub(super) fn endpoint(settings: &Settings, service: &str, setting: &str, region: &str) -> String {
    let configured =
        settings.url_outside_template(setting).or_else(|| settings.url_outside_template("AWS_ENDPOINT_URL"));
    configured.unwrap_or_else(|| {
        let partition = DOMAINS.iter().find(|(prefix, _)| region.starts_with(prefix));
        format!("https://{service}.{region}.{}", partition.map_or("amazonaws.com", |(_, domain)| domain))
    })
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::config::endpoint::{DefaultResolver, Params, ResolveEndpoint};

    use super::*;

    #[tokio::test]
    async fn every_partition_has_the_endpoint_that_the_sdk_resolves() {
        for region in [
            "us-east-1",
            "eu-south-2",
            "us-gov-west-1",
            "cn-northwest-1",
            "eusc-de-east-1",
            "us-iso-east-1",
            "us-isob-east-1",
            "us-isof-south-1",
            "eu-isoe-west-1",
        ] {
            let params = Params::builder().region(region).build().unwrap();
            let found = DefaultResolver::new().resolve_endpoint(&params).await.unwrap();
            assert_eq!(endpoint(&Settings::for_tests([]), "dynamodb", "AWS_X", region), found.url());
        }
    }

    #[test]
    fn the_services_own_setting_overrides_the_common_one() {
        let one = ("AWS_ENDPOINT_URL_DYNAMODB", "http://localhost:8000");
        let all = ("AWS_ENDPOINT_URL", "http://localhost:4566");
        let found = |settings: Settings| endpoint(&settings, "dynamodb", "AWS_ENDPOINT_URL_DYNAMODB", "eu-west-1");
        assert_eq!(found(Settings::for_tests([one, all])), one.1);
        assert_eq!(found(Settings::for_tests([all])), all.1);
    }
}
