//! The secret of the captcha provider, or the key that signs the service's own challenges. It is stored in Secrets
//! Manager and not in the environment, where everybody who may read the function's configuration would see it.

use std::sync::Arc;

use aws_sdk_secretsmanager::Client;
use tokio::sync::Mutex;

use crate::system::clock::Clock;
use crate::{Fault, Setup, aws};

/// How long a fetched secret is used before it is fetched again: five minutes, in ms.
const FRESH: u64 = 5 * 60 * 1000;
/// The operation's name in faults.
const OPERATION: &str = "captcha.GetSecretValue";

/// A secret that is fetched at its first use.
#[derive(Clone)]
pub(super) struct Secret {
    arn: String,
    client: Client,
    clock: Arc<dyn Clock>,
    known: Arc<Mutex<Option<Known>>>,
}

struct Known {
    value: String,
    /// The time of the last attempt to fetch it, in ms since 1970.
    tried_at: u64,
}

impl Secret {
    /// The secret with this ARN.
    pub(super) fn new(setup: &Setup, arn: String) -> Self {
        Self { arn, client: setup.client(), clock: setup.clock(), known: Arc::default() }
    }

    /// The secret's value. A cached value is used while it is fresh, and also when the secret cannot be fetched.
    ///
    /// # Errors
    /// The secret cannot be fetched, and no value is cached.
    pub(super) async fn value(&self) -> Result<String, Fault> {
        let now = self.clock.now().milliseconds();
        let mut known = self.known.lock().await;
        if let Some(Known { value, tried_at }) = &*known
            && now < tried_at.saturating_add(FRESH)
        {
            return Ok(value.clone());
        }
        match (self.fetch().await, &mut *known) {
            (Ok(value), known) => {
                *known = Some(Known { value: value.clone(), tried_at: now });
                Ok(value)
            }
            // The next attempt follows in five minutes, so that during an outage not every login waits for the timeout.
            (Err(_), Some(old)) => {
                old.tried_at = now;
                Ok(old.value.clone())
            }
            (Err(fault), None) => Err(fault),
        }
    }

    async fn fetch(&self) -> Result<String, Fault> {
        let answer = self.client.get_secret_value().secret_id(&self.arn).send().await;
        let answer = answer.map_err(|error| aws::fault(OPERATION, &error))?;
        let value = answer.secret_string.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        value.ok_or_else(|| Fault::new(OPERATION, "no secret string"))
    }
}
