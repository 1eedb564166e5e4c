//! Configuration from the environment: read once at start, every fault of it reported at once.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use http::HeaderValue;

use crate::argon2id::Cost;
use crate::aws::Access;
use crate::clock::Clock;
use crate::https::Https;
use crate::log::{Log, StandardOutput};
use crate::random::Random;

/// How long a start waits for what is done ahead of the first call.
const AHEAD: Duration = Duration::from_secs(1);

/// What an endpoint is built from: settings, the time and randomness. Each part of the service
/// reads its own settings here; a faulty one is noted, and [`Setup::check`] reports all of them.
pub struct Setup {
    settings: HashMap<String, String>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    log: Arc<dyn Log>,
    hashed: Arc<AtomicU64>,
    hash_cost: Cost,
    faults: RefCell<BTreeSet<String>>,
    ahead: RefCell<Vec<BoxFuture<'static, ()>>>,
    access: Access,
    aws_https: OnceCell<Https>,
    pub(crate) dynamodb: OnceCell<aws_sdk_dynamodb::Client>,
}

/// The settings' faults, one a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError(Vec<String>);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the settings are not usable; set these environment variables:")?;
        self.0.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for SettingsError {}

impl SettingsError {
    /// Each fault: the variable and what it takes. Values are never repeated.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.0
    }
}

impl Setup {
    /// The setup of a function on Lambda: the settings and the AWS credentials of the process's environment. A variable
    /// that is not Unicode is none.
    pub async fn of_environment(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        let unicode = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let settings = std::env::vars_os().filter_map(unicode);
        Self { access: Access::of_environment().await, ..Self::new(settings, clock, random) }
    }

    /// A setup of the given settings, for AWS services on this machine, which check no credentials.
    #[must_use]
    pub fn new(
        settings: impl IntoIterator<Item = (String, String)>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        Self {
            settings: settings.into_iter().collect(),
            clock,
            random,
            log: Arc::new(StandardOutput),
            hashed: Arc::default(),
            hash_cost: Cost::OWASP,
            faults: RefCell::default(),
            ahead: RefCell::default(),
            access: Access::local(),
            aws_https: OnceCell::new(),
            dynamodb: OnceCell::new(),
        }
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// The random generator.
    #[must_use]
    pub fn random(&self) -> Arc<dyn Random> {
        Arc::clone(&self.random)
    }

    /// The same setup with another place for log lines than standard output.
    #[must_use]
    pub fn logging_to(self, log: Arc<dyn Log>) -> Self {
        Self { log, ..self }
    }

    /// The same setup with another cost of a password's hash, for what measures everything but the hash.
    #[must_use]
    pub fn hashing_at(self, hash_cost: Cost) -> Self {
        Self { hash_cost, ..self }
    }

    /// Credentials and region for AWS.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// What a password's hash costs.
    pub(crate) fn hash_cost(&self) -> Cost {
        self.hash_cost
    }

    /// Where log lines go.
    #[must_use]
    pub fn log(&self) -> Arc<dyn Log> {
        Arc::clone(&self.log)
    }

    /// How many passwords have been hashed by all that was built from this setup: exact where a clock is not.
    #[must_use]
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    pub(crate) fn hash_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.hashed)
    }

    /// The HTTPS client of all AWS services, made when one of them first asks.
    pub(crate) fn aws_https(&self, make: impl FnOnce() -> Https) -> &Https {
        self.aws_https.get_or_init(make)
    }

    /// Notes work that the first call need not wait for if it is done before. It cannot fail: if it is
    /// not done, the first call does the work and reports the fault.
    pub(crate) fn ahead(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.ahead.borrow_mut().push(work.boxed());
    }

    /// Does what was noted to be done ahead of the first call, for a second at the most: connections are opened,
    /// keys fetched, memory is touched.
    pub async fn get_ready(&self) {
        let work = join_all(self.ahead.take());
        // Whatever is left is the first call's.
        let _ = tokio::time::timeout(AHEAD, work).await;
    }

    /// Says whether everything that was read so far was there and valid.
    ///
    /// # Errors
    /// All faults noted so far.
    pub fn check(&self) -> Result<(), SettingsError> {
        let faults: Vec<String> = self.faults.borrow().iter().cloned().collect();
        if faults.is_empty() { Ok(()) } else { Err(SettingsError(faults)) }
    }

    /// A text; none when it is missing or empty.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        self.settings.get(name).filter(|text| !text.is_empty()).cloned()
    }

    /// A text that must be there.
    #[must_use]
    pub fn required(&self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| self.fault(name, "is missing"))
    }

    /// An address: `https://…`, or `http://` to this machine alone; without a trailing slash.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        self.optional_url(name).unwrap_or_else(|| self.fault(name, "is missing"))
    }

    /// As [`Setup::url`]; none when it is missing or empty.
    #[must_use]
    pub fn optional_url(&self, name: &str) -> Option<String> {
        let text = self.optional(name)?;
        Some(if is_safe_url(&text) {
            text
        } else {
            self.fault(name, "must be an https:// address without a trailing slash (http:// to localhost alone)")
        })
    }

    /// Origins (RFC 6454) separated by commas, in the one spelling that browsers send.
    pub(crate) fn origins(&self, name: &str) -> Vec<HeaderValue> {
        let text = self.optional(name).unwrap_or_default();
        let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        let origins: Vec<Option<HeaderValue>> = origins.map(origin).collect();
        if origins.contains(&None) {
            self.fault(
                name,
                "must be origins as browsers send them, separated by commas, such as https://app.example.com: lower case, \
                 no path, no default port, no pattern (http:// to localhost alone)",
            );
        }
        origins.into_iter().flatten().collect()
    }

    /// A whole number within `range`, or `default`.
    #[must_use]
    pub fn number(&self, name: &str, default: u64, range: RangeInclusive<u64>) -> u64 {
        let Some(text) = self.optional(name) else { return default };
        match text.parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                let wanted = format!("must be a whole number from {} to {}", range.start(), range.end());
                self.fault(name, &wanted);
                default
            }
        }
    }

    /// `true` or `false`, or `default`.
    #[must_use]
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.optional(name).as_deref() {
            None => default,
            Some("true") => true,
            Some("false") => false,
            Some(_) => {
                self.fault(name, "must be true or false");
                default
            }
        }
    }

    /// Notes a fault of a setting. Its value is never repeated: it may be a secret.
    pub(crate) fn fault(&self, name: &str, wanted: &str) -> String {
        self.faults.borrow_mut().insert(format!("{name} {wanted}"));
        String::new()
    }
}

/// An origin as a header's value; none if no browser would send it so.
fn origin(text: &str) -> Option<HeaderValue> {
    let uri = text.parse::<http::Uri>().ok().filter(|_| is_safe_url(text) && !text.contains('*'))?;
    let scheme = uri.scheme_str()?;
    let default_port = if scheme == "https" { 443 } else { 80 };
    let spelled = format!("{scheme}://{}", uri.authority()?.as_str().to_ascii_lowercase());
    (spelled == text && uri.port_u16() != Some(default_port)).then(|| HeaderValue::from_str(text).ok()).flatten()
}

fn is_safe_url(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else { return false };
    let local = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let scheme = uri.scheme_str();
    let no_user = !uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    no_user
        && !text.ends_with('/')
        && !text.contains(['?', '#', '"', '{', '}'])
        && (scheme == Some("https") || (scheme == Some("http") && local))
}

#[cfg(test)]
impl Setup {
    /// A setup for unit tests: the system's clock and randomness, the given settings.
    pub(crate) fn for_tests<const N: usize>(settings: [(&str, &str); N]) -> Self {
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self::new(settings, Arc::new(crate::clock::SystemClock), Arc::new(crate::random::SystemRandom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_are_reported_at_once_and_no_value_is_repeated() {
        let setup = Setup::for_tests([("NUMBER", "s3cret"), ("FLAG", "yes"), ("ADDRESS", "http://s3cret.example")]);
        let _ = setup.required("ABSENT");
        let _ = setup.number("NUMBER", 5, 1..=9);
        let _ = setup.flag("FLAG", true);
        let _ = setup.url("ADDRESS");
        let said = setup.check().unwrap_err().to_string();
        for name in ["ABSENT is missing", "NUMBER must be", "FLAG must be", "ADDRESS must be"] {
            assert!(said.contains(name), "{said}");
        }
        assert!(!said.contains("s3cret"));
    }

    #[test]
    fn valid_settings_are_no_fault() {
        let setup = Setup::for_tests([("NUMBER", "9"), ("FLAG", "false"), ("ADDRESS", "http://localhost:5173")]);
        assert_eq!(setup.number("NUMBER", 5, 1..=9), 9);
        assert_eq!(setup.number("OTHER", 5, 1..=9), 5);
        assert!(!setup.flag("FLAG", true));
        assert_eq!(setup.url("ADDRESS"), "http://localhost:5173");
        assert_eq!(setup.check(), Ok(()));
    }

    #[test]
    fn an_origin_is_taken_in_the_one_spelling_that_browsers_send() {
        let listed = "https://app.example.com, https://app.example.com:8443 ,http://localhost:5173,";
        let setup = Setup::for_tests([("CORS_ORIGINS", listed)]);
        assert_eq!(setup.origins("CORS_ORIGINS").len(), 3);
        assert_eq!(setup.check(), Ok(()));
        for text in [
            "*",
            "null",
            "https://*.example.com",
            "https://app.example.com/",
            "https://app.example.com/path",
            "https://App.example.com",
            "https://app.example.com:443",
            "http://app.example.com",
            "http://localhost:80",
            "app.example.com",
            "https://ana@app.example.com",
            "https://app.example.com https://other.example.com",
            "https://ñ.example.com",
        ] {
            let setup = Setup::for_tests([("CORS_ORIGINS", text)]);
            let _ = setup.origins("CORS_ORIGINS");
            assert!(setup.check().is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_is_https_or_this_machine_and_cannot_break_out_of_a_letter_or_a_header() {
        for (text, safe) in [
            ("https://app.example", true),
            ("https://app.example/base", true),
            ("http://127.0.0.1:8000", true),
            ("http://app.example", false),
            ("http://localhost.evil.example", false),
            ("https://app.example/", false),
            ("https://user@app.example", false),
            ("https://app.example?x", false),
            ("javascript:alert(1)", false),
            ("app.example", false),
            ("https://app.example/\"onclick=\"alert(1)", false),
            ("https://app.example/<b>", false),
            ("https://app.example/{minutes}", false),
            ("https://app.example/\r\nBcc: eva@example.com", false),
            ("https://app.example\u{2028}", false),
        ] {
            assert_eq!(is_safe_url(text), safe, "{text}");
        }
    }
}
