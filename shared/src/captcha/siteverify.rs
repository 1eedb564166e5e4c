//! The verification by a provider: reCAPTCHA, hCaptcha and Turnstile have the same interface.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use http_body_util::Full;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::secret::Secret;
use super::verdict::{self, Expected, Verdict};
use crate::system::https::Https;
use crate::{Fault, Setup};

/// The timeout of the provider's answer. It is shorter than the call's deadline.
const TIMEOUT: Duration = Duration::from_secs(3);

/// A provider that verifies the tokens of its widget.
#[derive(Clone)]
pub(super) struct Siteverify {
    secret: Secret,
    url: String,
    expected: Expected,
    https: Https,
}

impl Siteverify {
    /// Reads `CAPTCHA_SECRET_ARN`, `CAPTCHA_VERIFY_URL` (by default the given address of the provider),
    /// `CAPTCHA_HOSTNAME` and `CAPTCHA_MIN_SCORE`. Returns `None` without a secret.
    pub(super) fn new(setup: &Setup, url: &str) -> Option<Self> {
        let settings = setup.settings();
        let url = settings.optional_url("CAPTCHA_VERIFY_URL").unwrap_or_else(|| url.to_owned());
        let expected = Expected::new(setup);
        let Some(arn) = settings.optional("CAPTCHA_SECRET_ARN") else {
            if verdict::is_restricted(settings) {
                settings.fault("CAPTCHA_SECRET_ARN", "is missing, and CAPTCHA_HOSTNAME or CAPTCHA_MIN_SCORE is set");
            }
            return None;
        };
        Some(Self { secret: Secret::new(setup, arn), url, expected, https: Https::of_providers() })
    }

    /// Whether the provider and the settings accept a token.
    ///
    /// # Errors
    /// The provider or its secret is not available, or the provider does not accept the secret.
    pub(super) async fn accepts(&self, token: &str) -> Result<bool, Fault> {
        let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
        let secret = self.secret.value().await?;
        let form = format!("secret={}&response={}", encoded(&secret), encoded(token));
        let request = Request::post(&self.url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Full::new(Bytes::from(form)))
            .map_err(|_| Fault::new("captcha.verify", "unbuildable"))?;
        let answer = self.https.send("captcha.verify", request, TIMEOUT).await?;
        let verdict: Verdict =
            serde_json::from_slice(answer.body()).map_err(|_| Fault::new("captcha.verify", "broken answer"))?;
        if let Some(code) = verdict.fault() {
            let advice = "check the secret of CaptchaSecretArn: it must be the provider's, of the same site key";
            return Err(Fault { advice: Some(advice), ..Fault::new("captcha.verify", code) });
        }
        Ok(self.expected.is_met_by(&verdict))
    }
}

#[cfg(test)]
mod tests {
    use crate::Setup;
    use crate::captcha::{Captcha, Provider};

    /// The address at which a service with these settings verifies tokens.
    fn address(settings: [(&str, &str); 2]) -> String {
        let [first, second] = settings;
        let setup = Setup::for_tests([("CAPTCHA_SECRET_ARN", "x"), first, second]);
        match Captcha::new(&setup).provider {
            Some(Provider::Siteverify(siteverify)) => siteverify.url,
            _ => panic!("no provider verifies tokens"),
        }
    }

    #[test]
    fn tokens_are_verified_at_the_providers_address_or_at_the_configured_one() {
        for (provider, expected) in [
            ("none", "https://www.google.com/recaptcha/api/siteverify"),
            ("recaptcha", "https://www.google.com/recaptcha/api/siteverify"),
            ("hcaptcha", "https://api.hcaptcha.com/siteverify"),
            ("turnstile", "https://challenges.cloudflare.com/turnstile/v0/siteverify"),
        ] {
            assert_eq!(address([("CAPTCHA_PROVIDER", provider), ("CAPTCHA_VERIFY_URL", "")]), expected);
            let other = "https://captcha.example/verify";
            assert_eq!(address([("CAPTCHA_PROVIDER", provider), ("CAPTCHA_VERIFY_URL", other)]), other);
        }
    }
}
