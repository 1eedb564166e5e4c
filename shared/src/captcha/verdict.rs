//! The provider's verdict on a token, and the conditions that a login sets for it.

use serde::Deserialize;

use crate::{Settings, Setup};

/// The members of the provider's answer that the service reads.
#[derive(Deserialize)]
pub(super) struct Verdict {
    success: bool,
    /// The host of the page that made the token.
    #[serde(default)]
    hostname: Option<String>,
    /// The likelihood that the user is a person, from 0 to 1, if reCAPTCHA v3 sends it: it gives robots valid tokens
    /// too, with a low score. The `score` of hCaptcha Enterprise is the risk instead.
    #[serde(default)]
    score: Option<f64>,
    /// Why the provider does not accept the token.
    #[serde(default, rename = "error-codes")]
    error_codes: Vec<String>,
}

impl Verdict {
    /// The provider's code for a fault of its own or of the secret; `None` if the token decides. A client can cause the codes
    /// that are not listed, with a token of another site for example.
    pub(super) fn fault(&self) -> Option<&'static str> {
        const FAULTS: [&str; 5] = [
            "missing-input-secret",
            "invalid-input-secret",
            "invalid-keys",
            "not-using-dummy-secret",
            "internal-error",
        ];
        FAULTS.into_iter().find(|code| !self.success && self.error_codes.iter().any(|found| found == code))
    }
}

/// The conditions for a verdict besides `success`.
#[derive(Clone)]
pub(super) struct Expected {
    /// An empty list accepts every host.
    hostnames: Vec<String>,
    min_score: Option<f64>,
}

impl Expected {
    /// Reads `CAPTCHA_HOSTNAME`, host names separated by commas, and `CAPTCHA_MIN_SCORE`.
    pub(super) fn new(setup: &Setup) -> Self {
        let hostnames = setup.settings().optional("CAPTCHA_HOSTNAME");
        let hostnames: Vec<String> = hostnames.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect();
        if !hostnames.iter().all(|name| is_hostname(name)) {
            setup
                .settings()
                .fault("CAPTCHA_HOSTNAME", "must be host names in lower case, separated by commas without spaces");
        }
        let min_score = setup.settings().optional("CAPTCHA_MIN_SCORE").map(|text| text.parse().unwrap_or(f64::NAN));
        if min_score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
            setup.settings().fault("CAPTCHA_MIN_SCORE", "must be a number from 0 to 1");
        }
        Self { hostnames, min_score }
    }

    /// Whether the verdict meets every condition. A verdict that lacks a required member does not.
    pub(super) fn is_met_by(&self, verdict: &Verdict) -> bool {
        let host =
            self.hostnames.is_empty() || verdict.hostname.as_ref().is_some_and(|name| self.hostnames.contains(name));
        let score = self.min_score.is_none_or(|min| verdict.score.is_some_and(|score| score >= min));
        verdict.success && host && score
    }
}

/// Whether `CAPTCHA_HOSTNAME` or `CAPTCHA_MIN_SCORE` is set, which only a provider's verdict can meet.
pub(super) fn is_restricted(settings: &Settings) -> bool {
    ["CAPTCHA_HOSTNAME", "CAPTCHA_MIN_SCORE"].iter().any(|name| settings.optional(name).is_some())
}

/// Whether the text is a host name as providers send it: lower case, no scheme, no port.
fn is_hostname(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    !name.is_empty() && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(hostnames: &str, min_score: &str) -> Result<Expected, String> {
        let setup = Setup::for_tests([("CAPTCHA_HOSTNAME", hostnames), ("CAPTCHA_MIN_SCORE", min_score)]);
        let expected = Expected::new(&setup);
        setup.settings().check().map(|()| expected).map_err(|error| error.to_string())
    }

    #[test]
    fn a_setting_that_no_verdict_can_meet_is_an_error() {
        for (hostnames, min_score) in [("", ""), ("app.example", "0"), ("app.example,localhost", "1.0"), ("", "0.5")] {
            assert!(expected(hostnames, min_score).is_ok(), "{hostnames} {min_score}");
        }
        for hostnames in ["https://app.example", "app.example:443", "App.example", "a, b", ",", "*.example"] {
            let fault = expected(hostnames, "").err().unwrap();
            assert!(fault.contains("CAPTCHA_HOSTNAME must be"), "{hostnames}: {fault}");
        }
        for min_score in ["-0.1", "1.1", "NaN", "inf", "half", "0,5"] {
            let fault = expected("", min_score).err().unwrap();
            assert!(fault.contains("CAPTCHA_MIN_SCORE must be"), "{min_score}: {fault}");
        }
    }
}
