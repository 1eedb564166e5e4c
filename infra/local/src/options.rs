//! How a stack is set up.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::HashCost;
use shared::log::{Log, StandardOutput};
use shared::system::clock::{Clock, SystemClock};

use crate::data::Data;

/// How a stack is set up. The default is one for a test: free ports, data in memory.
#[derive(Clone)]
pub struct Options {
    /// Whether the functions run here. Without them the stack is their peers alone: tables, mailbox and
    /// identity provider, for functions that run elsewhere with [`fn@crate::environment`].
    pub functions: bool,
    /// Port of the service; 0 is any free one.
    pub port: u16,
    /// Port of the tables; 0 is any free one.
    pub dynamodb_port: u16,
    /// Where the tables are kept.
    pub data: Data,
    /// Environment variables of the functions. A variable that the template gives to some functions is
    /// replaced there only; one that it gives to none goes to all. `CAPTCHA_SECRET` goes to none: it is what
    /// the secret store holds.
    pub settings: BTreeMap<String, String>,
    /// Whose captcha the login page shows, and the key for pages that goes with it: `("turnstile", "…")`.
    pub captcha: Option<(String, String)>,
    /// The time, for the functions, the mailbox and the identity provider.
    pub clock: Arc<dyn Clock>,
    /// What a password's hash costs. The default is the functions' own.
    pub hash_cost: HashCost,
    /// Where the functions' log lines go.
    pub log: Arc<dyn Log>,
    /// Where the functions reach the tables; `None` is the embedded engine. A proxy in between learns the
    /// engine's address from [`crate::Stack::dynamodb_url`] after the start: no function calls before its
    /// first request, and the tables are made without it.
    pub dynamodb_endpoint: Option<String>,
    /// Where the functions reach SES; `None` is the mailbox, which is at [`crate::Stack::ses_url`].
    pub ses_endpoint: Option<String>,
    /// Where the functions reach Secrets Manager; `None` is the secret store, which is at
    /// [`crate::Stack::secrets_url`].
    pub secrets_endpoint: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            functions: true,
            port: 0,
            dynamodb_port: 0,
            data: Data::Memory,
            settings: BTreeMap::new(),
            captcha: None,
            clock: Arc::new(SystemClock),
            hash_cost: HashCost::OWASP,
            log: Arc::new(StandardOutput),
            dynamodb_endpoint: None,
            ses_endpoint: None,
            secrets_endpoint: None,
        }
    }
}
