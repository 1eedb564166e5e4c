//! What `infra/web.yaml` says of the front end's hosting: the headers of its pages, and the paths that lead to the API.

use serde_yaml_ng::Value;

/// The template of this project, as it is deployed.
const TEMPLATE: &str = include_str!("../../web.yaml");
/// Where in the template the headers stand.
const POLICY: [&str; 4] = ["Resources", "Headers", "Properties", "ResponseHeadersPolicyConfig"];
/// What a provider's sources are allowed for.
const KINDS: [&str; 4] = ["Script", "Style", "Connect", "Frame"];

/// The hosting that the template describes.
pub(crate) struct Hosting(Value);

/// Third parties whose scripts the pages load.
pub(crate) struct Third<'a> {
    /// Google.
    pub(crate) google: bool,
    /// The captcha's provider.
    pub(crate) captcha: Option<&'a str>,
}

impl Hosting {
    /// The hosting of this project.
    ///
    /// # Errors
    /// The template is not YAML.
    pub(crate) fn of_this_project() -> Result<Self, String> {
        serde_yaml_ng::from_str(TEMPLATE).map(Self).map_err(|error| format!("infra/web.yaml: {error}"))
    }

    /// The paths of the API, as `CloudFront` writes them: `*` stands for any characters.
    ///
    /// # Errors
    /// There are none.
    pub(crate) fn api_paths(&self) -> Result<Vec<String>, String> {
        let behaviours =
            self.at(&["Resources", "Distribution", "Properties", "DistributionConfig", "CacheBehaviors"])?;
        let paths = behaviours.as_sequence().into_iter().flatten();
        Ok(paths.filter_map(|path| path.get("PathPattern")?.as_str().map(str::to_owned)).collect())
    }

    /// The headers of the pages, but for the one that would bind a host to HTTPS.
    ///
    /// # Errors
    /// One is not there, or a captcha's provider is not known.
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

    /// The policy, with the sources of third parties put in for its variables.
    fn content_security_policy(&self, third: &Third<'_>) -> Result<String, String> {
        let parts = ["SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"];
        let substitution = self.at(&[&POLICY[..], &parts].concat())?;
        // `!Sub`, whose first element is the text.
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
        text.ok_or_else(|| format!("infra/web.yaml: {} is no text", path.join(".")))
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
    fn without_third_parties_nothing_may_be_loaded_from_anywhere_else() {
        let policy = policy(false, None).expect("there is a policy");
        assert!(!policy.contains("http") && !policy.contains("${") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    }

    #[test]
    fn a_third_party_adds_its_sources_alone() {
        let google = policy(true, None).expect("there is a policy");
        assert!(google.contains("script-src 'self' https://accounts.google.com/gsi/client;"), "{google}");
        for provider in ["recaptcha", "hcaptcha", "turnstile"] {
            let policy = policy(false, Some(provider)).expect("there is a policy");
            assert!(policy.contains("script-src 'self' https://") && !policy.contains("${"), "{policy}");
        }
        assert!(policy(false, Some("other")).is_err());
    }

    #[test]
    fn the_services_paths_lead_to_the_api() {
        let paths = Hosting::of_this_project().and_then(|hosting| hosting.api_paths());
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
