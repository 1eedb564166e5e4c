//! The address of a service. The SDK finds it too, by reading a list of all regions at every start; the few domains
//! there are cost nothing.

use crate::settings::Settings;

/// Domains of the partitions that are not the public one, by how their regions' names begin.
const DOMAINS: &[(&str, &str)] = &[
    ("cn-", "amazonaws.com.cn"),
    ("eusc-", "amazonaws.eu"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk"),
];

/// The address of a service in a region: what its own setting says, what `AWS_ENDPOINT_URL` says of all services, or
/// AWS's.
pub(super) fn endpoint(settings: &Settings, service: &str, setting: &str, region: &str) -> String {
    let set = settings.optional_url(setting).or_else(|| settings.optional_url("AWS_ENDPOINT_URL"));
    set.unwrap_or_else(|| {
        let elsewhere = DOMAINS.iter().find(|(prefix, _)| region.starts_with(prefix));
        format!("https://{service}.{region}.{}", elsewhere.map_or("amazonaws.com", |(_, domain)| domain))
    })
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::config::endpoint::{DefaultResolver, Params, ResolveEndpoint};

    use super::*;

    #[tokio::test]
    async fn every_partition_has_the_address_that_the_sdk_finds() {
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
            assert_eq!(endpoint(&Settings::for_tests([]), "dynamodb", "X", region), found.url());
        }
    }

    #[test]
    fn the_services_own_setting_goes_before_that_of_all() {
        let one = ("AWS_ENDPOINT_URL_DYNAMODB", "http://localhost:8000");
        let all = ("AWS_ENDPOINT_URL", "http://localhost:4566");
        let found = |settings: Settings| endpoint(&settings, "dynamodb", "AWS_ENDPOINT_URL_DYNAMODB", "eu-west-1");
        assert_eq!(found(Settings::for_tests([one, all])), one.1);
        assert_eq!(found(Settings::for_tests([all])), all.1);
    }
}
