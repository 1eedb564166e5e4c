//! Bot protection: verifies captcha tokens where it is configured. reCAPTCHA, hCaptcha and Turnstile have the same
//! interface.

mod secret;
mod verdict;

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use http_body_util::Full;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use self::secret::Secret;
use self::verdict::{Expected, Verdict};
use crate::system::https::Https;
use crate::{Fault, Problem, Setup};

/// The timeout of the provider's answer.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The longest token that is sent to the provider, in bytes. The providers' tokens have up to 2 KB.
const TOKEN_MAX: usize = 16 * 1024;
/// The URL of Google's reCAPTCHA, the default of `CAPTCHA_VERIFY_URL`.
const VERIFY_URL: &str = "https://www.google.com/recaptcha/api/siteverify";

/// The check of a login's captcha token.
#[derive(Clone)]
pub struct Captcha(Option<Provider>);

#[derive(Clone)]
struct Provider {
    secret: Secret,
    url: String,
    required: bool,
    expected: Expected,
    https: Https,
}

impl Captcha {
    /// Reads `CAPTCHA_SECRET_ARN` (without it, tokens are ignored), `CAPTCHA_VERIFY_URL`,
    /// `CAPTCHA_REQUIRED`, `CAPTCHA_HOSTNAME` and `CAPTCHA_MIN_SCORE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let url = setup.settings().optional_url("CAPTCHA_VERIFY_URL").unwrap_or_else(|| VERIFY_URL.to_owned());
        let required = setup.settings().flag("CAPTCHA_REQUIRED", false);
        let expected = Expected::new(setup);
        let secret = setup.settings().optional("CAPTCHA_SECRET_ARN").map(|arn| Secret::new(setup, arn));
        if required && secret.is_none() {
            setup.settings().fault("CAPTCHA_SECRET_ARN", "is missing, and CAPTCHA_REQUIRED is true");
        }
        if secret.is_none()
            && ["CAPTCHA_HOSTNAME", "CAPTCHA_MIN_SCORE"].iter().any(|name| setup.settings().optional(name).is_some())
        {
            setup
                .settings()
                .fault("CAPTCHA_SECRET_ARN", "is missing, and CAPTCHA_HOSTNAME or CAPTCHA_MIN_SCORE is set");
        }
        Self(secret.map(|secret| Provider { secret, url, required, expected, https: Https::of_providers() }))
    }

    /// Verifies a login's captcha token.
    ///
    /// # Errors
    /// [`Problem::CaptchaRefused`] when the provider refuses the token, when the token was made on another host or has
    /// too low a score, or when a required token is missing.
    /// [`Problem::Internal`] when the provider or its secret is not available.
    pub async fn check(&self, token: &str) -> Result<(), Problem> {
        let Some(provider) = &self.0 else { return Ok(()) };
        if token.is_empty() {
            return if provider.required { Err(Problem::CaptchaRefused) } else { Ok(()) };
        }
        if token.len() > TOKEN_MAX {
            return Err(Problem::CaptchaRefused);
        }
        if provider.accepts(token).await? { Ok(()) } else { Err(Problem::CaptchaRefused) }
    }
}

impl Provider {
    async fn accepts(&self, token: &str) -> Result<bool, Fault> {
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
        Ok(self.expected.is_met_by(&verdict))
    }
}
