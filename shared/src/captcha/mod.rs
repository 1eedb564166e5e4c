//! Bot protection at login, where it is configured. Either a provider verifies the tokens of its widget, or the service
//! is its own provider and verifies proofs of work.

mod altcha;
mod secret;
mod siteverify;
mod verdict;

pub use altcha::{Challenge, Challenges, Proof};

use self::altcha::Solutions;
use self::siteverify::Siteverify;
use crate::{Problem, Settings, Setup};

/// The longest token, in bytes. The providers' tokens have up to 2 KB.
const TOKEN_MAX: usize = 16 * 1024;
/// The words for `CAPTCHA_PROVIDER`. The addresses are from the providers' documentation. `none` means that the login
/// page has no widget; another front end may send tokens of reCAPTCHA.
const KINDS: [(&str, Kind); 5] = [
    ("none", Kind::Siteverify { url: RECAPTCHA }),
    ("recaptcha", Kind::Siteverify { url: RECAPTCHA }),
    ("hcaptcha", Kind::Siteverify { url: "https://api.hcaptcha.com/siteverify" }),
    ("turnstile", Kind::Siteverify { url: "https://challenges.cloudflare.com/turnstile/v0/siteverify" }),
    ("altcha", Kind::Altcha),
];
/// The address of Google's reCAPTCHA.
const RECAPTCHA: &str = "https://www.google.com/recaptcha/api/siteverify";

/// How tokens are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// By a provider, at this address unless `CAPTCHA_VERIFY_URL` names another one.
    Siteverify { url: &'static str },
    /// By the service itself.
    Altcha,
}

impl Kind {
    /// Reads `CAPTCHA_PROVIDER`.
    fn new(settings: &Settings) -> Self {
        settings.choice("CAPTCHA_PROVIDER", KINDS)
    }
}

/// The check of a login's captcha token.
#[derive(Clone)]
pub struct Captcha {
    provider: Option<Provider>,
    required: bool,
}

#[derive(Clone)]
enum Provider {
    Siteverify(Box<Siteverify>),
    Altcha(Solutions),
}

impl Captcha {
    /// Reads `CAPTCHA_SECRET_ARN` (without it, tokens are ignored), `CAPTCHA_PROVIDER`, `CAPTCHA_VERIFY_URL`,
    /// `CAPTCHA_REQUIRED`, `CAPTCHA_HOSTNAME` and `CAPTCHA_MIN_SCORE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let settings = setup.settings();
        let provider = match Kind::new(settings) {
            Kind::Altcha => {
                if verdict::is_restricted(settings) {
                    settings.fault(
                        "CAPTCHA_PROVIDER",
                        "is altcha, which does not support CAPTCHA_HOSTNAME or CAPTCHA_MIN_SCORE",
                    );
                }
                Solutions::new(setup).map(Provider::Altcha)
            }
            Kind::Siteverify { url } => {
                if url != RECAPTCHA && settings.optional("CAPTCHA_MIN_SCORE").is_some() {
                    settings
                        .fault("CAPTCHA_MIN_SCORE", "is set, and of all providers only recaptcha sends such a score");
                }
                Siteverify::new(setup, url).map(Box::new).map(Provider::Siteverify)
            }
        };
        let required = settings.flag("CAPTCHA_REQUIRED");
        if required && provider.is_none() {
            settings.fault("CAPTCHA_SECRET_ARN", "is missing, and CAPTCHA_REQUIRED is true");
        }
        Self { provider, required }
    }

    /// Verifies a login's captcha token. A proof of work is accepted once.
    ///
    /// # Errors
    /// [`Problem::CaptchaRefused`] when the provider refuses the token, when the token was made on another host or has
    /// too low a score, when a proof is wrong, expired or used, or when a required token is missing.
    /// [`Problem::Internal`] when the provider, its secret or the table is not available, or the secret is wrong.
    pub async fn check(&self, token: &str) -> Result<(), Problem> {
        let Some(provider) = &self.provider else { return Ok(()) };
        if token.is_empty() {
            return if self.required { Err(Problem::CaptchaRefused) } else { Ok(()) };
        }
        if token.len() > TOKEN_MAX {
            return Err(Problem::CaptchaRefused);
        }
        let is_accepted = match provider {
            Provider::Siteverify(siteverify) => siteverify.accepts(token).await?,
            Provider::Altcha(solutions) => solutions.accept(token).await?,
        };
        if is_accepted { Ok(()) } else { Err(Problem::CaptchaRefused) }
    }
}
