//! The provider's public keys, cached as long as the provider allows.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{AGE, CACHE_CONTROL};
use http::{HeaderMap, Request};
use http_body_util::Full;
use jsonwebtoken::DecodingKey;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Mutex;

use crate::problem::FaultKind;
use crate::system::clock::{Clock, Timestamp};
use crate::system::https::Https;
use crate::{Fault, Setup};

/// The URL of Google's key set, from its `OpenID` discovery document.
const KEYS_URL: &str = "https://www.googleapis.com/oauth2/v3/certs";
/// The timeout of the provider's answer. It is shorter than the call's deadline.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long a key set without `max-age` is fresh: five minutes, in ms.
const FRESH_DEFAULT: u64 = 5 * 60 * 1000;
/// The shortest time for which a key set is fresh: a minute, in ms. Without it, every credential could cause a fetch.
const FRESH_MIN: u64 = 60 * 1000;
/// The longest time for which a key set is fresh, or is used while the provider is down: a day, in ms.
const STALE_MAX: u64 = 24 * 60 * 60 * 1000;
/// The shortest time between two fetches because of unknown keys: a minute, in ms.
const UNKNOWN_PAUSE: u64 = 60 * 1000;
/// The pause after a failed fetch: five seconds, in ms.
const FAILURE_PAUSE: u64 = 5 * 1000;

/// The key set. All calls of a process share it.
#[derive(Clone)]
pub(super) struct Keys {
    url: String,
    https: Https,
    clock: Arc<dyn Clock>,
    known: Arc<RwLock<Arc<KeySet>>>,
    fetching: Arc<Mutex<Attempts>>,
}

#[derive(Default)]
struct KeySet {
    keys: HashMap<String, DecodingKey>,
    /// In ms since 1970.
    fetched_at: u64,
    /// In ms since 1970.
    fresh_until: u64,
}

/// The last attempt to fetch the keys.
#[derive(Default)]
struct Attempts {
    last: Option<Timestamp>,
    failed: bool,
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Box<RawValue>>,
}

/// An RSA key for signatures (RFC 7517, RFC 7518). Other keys are ignored.
#[derive(Deserialize)]
struct RsaKey {
    kty: String,
    kid: String,
    n: String,
    e: String,
    #[serde(default)]
    alg: Option<String>,
    #[serde(default, rename = "use")]
    usage: Option<String>,
}

impl Keys {
    /// Reads `GOOGLE_KEYS_URL`, by default Google's.
    pub(super) fn new(setup: &Setup) -> Self {
        let keys = Self {
            url: setup.settings().optional_url("GOOGLE_KEYS_URL").unwrap_or_else(|| KEYS_URL.to_owned()),
            https: Https::of_providers(),
            clock: setup.clock(),
            known: Arc::default(),
            fetching: Arc::default(),
        };
        let warming = keys.clone();
        setup.warm_up_with(async move {
            // The fetch is not recorded as an attempt, so that a failure does not delay the first call's fetch.
            let _ = warming.fetch(warming.clock.now()).await;
        });
        keys
    }

    /// The key with this id; `None` when the provider does not have it.
    ///
    /// # Errors
    /// No usable cached key has this id, and the keys cannot be fetched.
    pub(super) async fn key(&self, kid: &str) -> Result<Option<DecodingKey>, Fault> {
        if let Some(key) = self.fresh(kid) {
            return Ok(Some(key));
        }
        // There is one fetch at a time. Calls with a fresh key do not wait for it.
        let mut attempts = self.fetching.lock().await;
        if let Some(key) = self.fresh(kid) {
            return Ok(Some(key));
        }
        let now = self.clock.now();
        let is_fresh = || now.milliseconds() < self.known().fresh_until;
        let pause = if is_fresh() { UNKNOWN_PAUSE } else { FAILURE_PAUSE };
        let is_pause_over =
            attempts.last.is_none_or(|last| now.milliseconds() >= last.milliseconds().saturating_add(pause));
        if is_pause_over || !(is_fresh() || attempts.failed) {
            attempts.last = Some(now);
            let mut fetched = self.fetch(now).await;
            // If no keys are cached, a second attempt follows, so that one broken connection fails no login.
            if fetched.as_ref().is_err_and(|fault| fault.kind != FaultKind::Timeout) && self.known().keys.is_empty() {
                fetched = self.fetch(now).await;
            }
            attempts.failed = fetched.is_err();
        }
        let known = self.known();
        let is_usable = now.milliseconds() < known.fetched_at.saturating_add(STALE_MAX);
        match known.keys.get(kid).filter(|_| is_usable) {
            Some(key) => Ok(Some(key.clone())),
            None if attempts.failed => Err(Fault::new("google.keys", "unavailable")),
            None => Ok(None),
        }
    }

    fn known(&self) -> Arc<KeySet> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn fresh(&self, kid: &str) -> Option<DecodingKey> {
        let known = self.known();
        let fresh = self.clock.now().milliseconds() < known.fresh_until;
        known.keys.get(kid).filter(|_| fresh).cloned()
    }

    async fn fetch(&self, now: Timestamp) -> Result<(), Fault> {
        let broken = || Fault::new("google.keys", "broken answer");
        let request = Request::get(&self.url).body(Full::new(Bytes::new())).map_err(|_| broken())?;
        let answer = self.https.send("google.keys", request, TIMEOUT).await?;
        let document: Document = serde_json::from_slice(answer.body()).map_err(|_| broken())?;
        let keys: HashMap<_, _> = document.keys.iter().filter_map(|key| usable(key)).collect();
        if keys.is_empty() {
            return Err(broken());
        }
        let fresh = freshness(answer.headers()).clamp(FRESH_MIN, STALE_MAX);
        let set = KeySet { keys, fetched_at: now.milliseconds(), fresh_until: now.milliseconds() + fresh };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
        Ok(())
    }
}

/// Fetches the key set at `GOOGLE_KEYS_URL`, by default Google's, and returns the number of its usable keys.
///
/// # Errors
/// The key set cannot be fetched, or it has no usable keys.
#[cfg(feature = "operator")]
pub async fn usable_keys(setup: &Setup) -> Result<usize, Fault> {
    let keys = Keys::new(setup);
    keys.fetch(keys.clock.now()).await?;
    Ok(keys.known().keys.len())
}

fn usable(key: &RawValue) -> Option<(String, DecodingKey)> {
    let key: RsaKey = serde_json::from_str(key.get()).ok()?;
    let is_for_signatures = key.usage.is_none_or(|usage| usage == "sig") && key.alg.is_none_or(|alg| alg == "RS256");
    let decoding = DecodingKey::from_rsa_components(&key.n, &key.e).ok()?;
    (key.kty == "RSA" && is_for_signatures).then_some((key.kid, decoding))
}

/// How long an answer is fresh, in ms: its lifetime minus its age in caches (RFC 9111, 4.2).
fn freshness(headers: &HeaderMap) -> u64 {
    let age = headers.get(AGE).and_then(|age| age.to_str().ok()?.parse::<u64>().ok()).unwrap_or_default();
    max_age(headers).unwrap_or(FRESH_DEFAULT).saturating_sub(age.saturating_mul(1000))
}

/// `Cache-Control: max-age`, in ms.
fn max_age(headers: &HeaderMap) -> Option<u64> {
    let directives = headers.get(CACHE_CONTROL)?.to_str().ok()?.to_ascii_lowercase();
    let mut directives = directives.split(',');
    let age = directives.find_map(|directive| directive.trim().strip_prefix("max-age="))?;
    age.parse::<u64>().ok()?.checked_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_age_is_found_among_other_directives() {
        let age = |text: &'static str| max_age(&HeaderMap::from_iter([(CACHE_CONTROL, text.parse().unwrap())]));
        assert_eq!(age("public, max-age=19845, must-revalidate"), Some(19_845_000));
        assert_eq!(age("Max-Age=60"), Some(60_000));
        assert_eq!(age("no-cache"), None);
        assert_eq!(age("max-age=x"), None);
        assert_eq!(age("max-age=99999999999999999999"), None);
    }

    #[test]
    fn the_age_header_shortens_the_freshness() {
        let fresh = |headers: &[(http::HeaderName, &'static str)]| {
            freshness(&headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect())
        };
        assert_eq!(fresh(&[(CACHE_CONTROL, "max-age=600"), (AGE, "250")]), 350_000);
        assert_eq!(fresh(&[(CACHE_CONTROL, "max-age=600"), (AGE, "601")]), 0);
        assert_eq!(fresh(&[(CACHE_CONTROL, "max-age=600"), (AGE, "18446744073709551615")]), 0);
        assert_eq!(fresh(&[(CACHE_CONTROL, "max-age=600"), (AGE, "-1")]), 600_000);
        assert_eq!(fresh(&[(AGE, "60")]), FRESH_DEFAULT - 60_000);
    }

    #[test]
    fn keys_for_other_purposes_are_ignored() {
        let is_usable = |key: &serde_json::Value| usable(&serde_json::value::to_raw_value(key).unwrap()).is_some();
        let key = |change: (&str, &str)| {
            let mut key =
                serde_json::json!({"kty": "RSA", "kid": "1", "n": "AQAB", "e": "AQAB", "alg": "RS256", "use": "sig"});
            key[change.0] = change.1.into();
            is_usable(&key)
        };
        assert!(key(("kid", "2")));
        for change in [("kty", "EC"), ("use", "enc"), ("alg", "RS512"), ("n", "%%")] {
            assert!(!key(change), "{change:?}");
        }
        assert!(!is_usable(&serde_json::json!("key")));
    }
}
