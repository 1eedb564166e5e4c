//! The front end's hosting, read from `infra/web.yaml`: the headers of the pages, and the paths of the API.

use std::sync::LazyLock;

use serde_yaml_ng::Value;

/// The template of this project, as it is deployed.
const TEMPLATE: &str = include_str!("../../../web.yaml");
/// The path of the headers in the template.
const POLICY: [&str; 4] = ["Resources", "Headers", "Properties", "ResponseHeadersPolicyConfig"];
/// The kinds of sources. The template maps each kind to the allowed sources of each provider.
const KINDS: [&str; 4] = ["Script", "Style", "Connect", "Frame"];

/// The hosting that the template describes.
pub(crate) struct Hosting(Value);

/// Third parties whose scripts the pages load.
pub(crate) struct Third<'a> {
    /// Google.
    pub(crate) google: bool,
    /// The captcha provider.
    pub(crate) captcha: Option<&'a str>,
}

impl Hosting {
    /// The hosting of this project, which is read once.
    ///
    /// # Errors
    /// The template is not YAML.
    pub(crate) fn of_this_project() -> Result<&'static Self, String> {
        static HOSTING: LazyLock<Result<Hosting, String>> = LazyLock::new(|| {
            serde_yaml_ng::from_str(TEMPLATE).map(Hosting).map_err(|error| format!("infra/web.yaml: {error}"))
        });
        HOSTING.as_ref().map_err(Clone::clone)
    }

    /// The path patterns of the API in `CloudFront`'s syntax: `*` matches any characters.
    ///
    /// # Errors
    /// The template has no cache behaviours.
    pub(crate) fn api_paths(&self) -> Result<Vec<String>, String> {
        let behaviours =
            self.at(&["Resources", "Distribution", "Properties", "DistributionConfig", "CacheBehaviors"])?;
        let paths = behaviours.as_sequence().into_iter().flatten();
        Ok(paths.filter_map(|path| path.get("PathPattern")?.as_str().map(str::to_owned)).collect())
    }

    /// The headers of the pages, without `Strict-Transport-Security`.
    ///
    /// # Errors
    /// A header is missing in the template, or the captcha provider is unknown.
    pub(crate) fn headers(&self, third: &Third<'_>) -> Result<Vec<(String, String)>, String> {
        let security = |path: &[&str]| self.text(&[&POLICY[..], &["SecurityHeadersConfig"], path].concat());
        let mut headers = vec![
            ("content-security-policy".to_owned(), self.content_security_policy(third)?),
            ("referrer-policy".to_owned(), security(&["ReferrerPolicy", "ReferrerPolicy"])?),
            ("x-frame-options".to_owned(), security(&["FrameOptions", "FrameOption"])?),
            ("x-content-type-options".to_owned(), "nosniff".to_owned()),
        ];
        let custom = self.at(&[&POLICY[..], &["CustomHeadersConfig", "Items"]].concat())?;
        for item in custom.as_sequence().into_iter().flatten() {
            let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            let both = text("Header").zip(text("Value"));
            headers.push(both.ok_or("infra/web.yaml: a custom header has no name or value")?);
        }
        Ok(headers)
    }

    /// The content security policy, with the third parties' sources inserted.
    fn content_security_policy(&self, third: &Third<'_>) -> Result<String, String> {
        let parts = ["SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"];
        let substitution = self.at(&[&POLICY[..], &parts].concat())?;
        // The value is a `!Sub`, whose first element is the text.
        let tagged = match substitution {
            Value::Tagged(tagged) => &tagged.value,
            other => other,
        };
        let text = tagged.get(0).and_then(Value::as_str);
        let mut policy = text.ok_or("infra/web.yaml: there is no Content-Security-Policy")?.to_owned();
        let google = if third.google { "google" } else { "none" };
        for (variable, provider) in [("Google", google), ("Captcha", third.captcha.unwrap_or("none"))] {
            for kind in KINDS {
                let sources = self.text(&["Mappings", "Sources", provider, kind])?;
                policy = policy.replace(&format!("${{{variable}{kind}}}"), &sources);
            }
        }
        Ok(policy)
    }

    fn text(&self, path: &[&str]) -> Result<String, String> {
        let text = self.at(path)?.as_str().map(str::to_owned);
        text.ok_or_else(|| format!("infra/web.yaml: {} is not a string", path.join(".")))
    }

    fn at(&self, path: &[&str]) -> Result<&Value, String> {
        let found = path.iter().try_fold(&self.0, |value, name| value.get(*name));
        found.ok_or_else(|| format!("infra/web.yaml: there is no {}", path.join(".")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(google: bool, captcha: Option<&str>) -> Result<String, String> {
        let hosting = Hosting::of_this_project().expect("the template is read");
        hosting.content_security_policy(&Third { google, captcha })
    }

    #[test]
    fn without_third_parties_the_pages_load_nothing_from_other_origins() {
        let policy = policy(false, None).expect("there is a policy");
        assert!(!policy.contains("http") && !policy.contains("${") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    }

    #[test]
    fn a_third_party_adds_only_its_own_sources() {
        let google = policy(true, None).expect("there is a policy");
        assert!(google.contains("script-src 'self' https://accounts.google.com/gsi/client;"), "{google}");
        let hosts = [
            ("recaptcha", "https://www.google.com/recaptcha/"),
            ("hcaptcha", "hcaptcha.com"),
            ("turnstile", "https://challenges.cloudflare.com"),
        ];
        assert!(hosts.iter().all(|(_, host)| !google.contains(host)), "{google}");
        for (provider, _) in hosts {
            let policy = policy(false, Some(provider)).expect("there is a policy");
            assert!(policy.contains("script-src 'self' https://") && !policy.contains("${"), "{policy}");
            assert!(!policy.contains("accounts.google.com"), "{policy}");
            for (of, host) in hosts {
                assert_eq!(policy.contains(host), of == provider, "{provider} and {host}: {policy}");
            }
        }
        assert_eq!(policy(false, Some("altcha")), policy(false, None));
        assert!(policy(false, Some("other")).is_err());
    }

    #[test]
    fn the_api_paths_are_those_of_the_service() {
        let paths = Hosting::of_this_project().and_then(Hosting::api_paths);
        assert_eq!(paths, Ok(vec!["/app/*".to_owned(), "/receive-data.php".to_owned()]));
    }

    #[test]
    fn all_headers_have_a_value() {
        let headers =
            Hosting::of_this_project().and_then(|hosting| hosting.headers(&Third { google: false, captcha: None }));
        let headers = headers.expect("they are there");
        assert_eq!(headers.len(), 6);
        assert!(headers.iter().all(|(name, value)| !name.is_empty() && !value.is_empty()), "{headers:?}");
    }
}
