//! The checks of what is outside the deployment: Google's keys, and the clock of this computer.

use std::sync::{Arc, Mutex, PoisonError};

use aws_config::SdkConfig;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::BeforeDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::DateTime;
use aws_smithy_types::config_bag::ConfigBag;
use aws_smithy_types::date_time::Format;
use shared::Setup;
use shared::google::usable_keys;
use shared::system::clock::{Clock, SystemClock};
use shared::system::random::SystemRandom;

use super::clients::Clients;
use super::finding::Finding;

/// How far a clock may be off before AWS refuses signatures: five minutes, in seconds.
const SKEW_MAX: i64 = 5 * 60;

pub(super) async fn google(clients: &Clients) -> Finding {
    const CHECK: &str = "google-keys";
    let settings = [("GOOGLE_KEYS_URL".to_owned(), clients.names.google_keys.clone())];
    let setup = Setup::new(settings, Arc::clone(&clients.clock), Arc::new(SystemRandom));
    match usable_keys(&setup).await {
        Ok(keys) => Finding::ok(CHECK, format!("Google's key set can be read. Its usable keys: {keys}.")),
        Err(fault) => Finding::problem(
            CHECK,
            format!(
                "Google's key set cannot be read from here ({}). If the functions cannot read it either, nobody can \
                 sign in with Google.",
                fault.cause
            ),
            "curl https://www.googleapis.com/oauth2/v3/certs, or the address in GoogleKeysUrl; this computer's own \
             network may be the cause",
        ),
    }
}

/// Keeps the header `Date` of the answers.
#[derive(Debug, Clone, Default)]
struct ServerDate(Arc<Mutex<Option<String>>>);

impl Intercept for ServerDate {
    fn name(&self) -> &'static str {
        "ServerDate"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let date = context.response().headers().get("date").map(str::to_owned);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = date;
        Ok(())
    }
}

/// Compares this computer's clock with AWS's. AWS's answer has a date even if it refuses the signature.
pub(super) async fn clock(config: &SdkConfig) -> Finding {
    const CHECK: &str = "clock";
    let date = ServerDate::default();
    let client = aws_sdk_sts::Client::new(config);
    let asked = client.get_caller_identity().customize().interceptor(date.clone()).send().await;
    let now = i64::try_from(SystemClock.now().seconds()).unwrap_or(i64::MAX);
    let date = date.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    let server = date.and_then(|date| DateTime::from_str(&date, Format::HttpDate).ok());
    match (server, asked) {
        (Some(server), _) => compare(CHECK, now.saturating_sub(server.secs())),
        (None, Err(error)) => Finding::call_failed(CHECK, "sts:GetCallerIdentity", &error),
        (None, Ok(_)) => Finding::failed(CHECK, "AWS's answer has no date.", "compare this computer's clock yourself"),
    }
}

/// `ahead` is how many seconds this computer's clock is ahead of AWS's.
fn compare(check: &'static str, ahead: i64) -> Finding {
    if ahead.abs() <= SKEW_MAX {
        return Finding::ok(check, "The clock of this computer agrees with AWS's.");
    }
    let side = if ahead > 0 { "fast" } else { "slow" };
    Finding::problem(
        check,
        format!(
            "The clock of this computer is {} minutes {side}, so that AWS refuses its signatures.",
            ahead.abs() / 60
        ),
        "set the clock: sudo timedatectl set-ntp true",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, to_value};

    use super::*;

    #[test]
    fn a_clock_is_wrong_if_it_is_more_than_five_minutes_off() {
        let result = |ahead| to_value(compare("clock", ahead)).unwrap()["result"].clone();
        for (ahead, expected) in [(0, "ok"), (300, "ok"), (-300, "ok"), (301, "problem"), (-301, "problem")] {
            assert_eq!(result(ahead), Value::from(expected), "{ahead}");
        }
    }
}
