//! The options of a stack.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use shared::HashCost;
use shared::log::{Log, StandardOutput};
use shared::system::clock::{Clock, SystemClock};

use crate::http::web;
use crate::tables::data::Data;

/// When changes of the tables are delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// As soon as the table has them.
    AtOnce,
    /// When [`crate::Stack::deliver_changes`] is called, so that a test knows when.
    OnDemand,
}

/// The options of a stack. The defaults are for tests: free ports, data in memory.
#[derive(Clone)]
pub struct Options {
    /// Whether the functions of the endpoints run in the stack. Without them the stack has their backends (tables,
    /// mailbox, secret store and identity provider), for functions that run elsewhere with [`fn@crate::environment`],
    /// and the functions that listen to streams.
    pub functions: bool,
    /// Port of the service; 0 is any free one.
    pub port: u16,
    /// Port of the tables; 0 is any free one.
    pub dynamodb_port: u16,
    /// The storage of the tables.
    pub data: Data,
    /// Environment variables of the functions. If the template sets a variable for some functions, only these get the
    /// value. If it sets it for none, all functions get it. `CAPTCHA_SECRET` is no variable of a function: it is the
    /// value in the secret store.
    pub settings: BTreeMap<String, String>,
    /// The folders of the front end: the first one that has a file serves it. The default is `web`.
    pub web: Vec<PathBuf>,
    /// The captcha provider of the login page, and its site key: `("turnstile", "…")`, or `("altcha", "")`.
    pub captcha: Option<(String, String)>,
    /// The address of the product's own API, which gets the requests for `/api/*` that have a session.
    pub api_backend: Option<String>,
    /// The address of a function that gets the events of the bus, in Lambda's API `Invoke`.
    pub event_target: Option<String>,
    /// When changes of the tables are delivered to the functions that listen to them.
    pub delivery: Delivery,
    /// The clock of the functions, the gateway, the mailbox and the identity provider.
    pub clock: Arc<dyn Clock>,
    /// The cost of password hashes. The default is that of the deployed functions.
    pub hash_cost: HashCost,
    /// The functions' log.
    pub log: Arc<dyn Log>,
    /// The functions' URL of the tables; `None` is the embedded engine. A proxy gets the engine's URL from
    /// [`crate::Stack::dynamodb_url`] after the start. That is early enough: no function uses the tables before its
    /// first request, and the stack creates them without the proxy.
    pub dynamodb_endpoint: Option<String>,
    /// The functions' URL of SES; `None` is the mailbox at [`crate::Stack::ses_url`].
    pub ses_endpoint: Option<String>,
    /// The functions' URL of Secrets Manager; `None` is the secret store at [`crate::Stack::secrets_url`].
    pub secrets_endpoint: Option<String>,
    /// The functions' URL of EventBridge; `None` is the bus at [`crate::Stack::event_bus_url`].
    pub event_bus_endpoint: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            functions: true,
            port: 0,
            dynamodb_port: 0,
            data: Data::Memory,
            settings: BTreeMap::new(),
            web: vec![web::FOLDER.into()],
            captcha: None,
            api_backend: None,
            event_target: None,
            delivery: Delivery::AtOnce,
            clock: Arc::new(SystemClock),
            hash_cost: HashCost::OWASP,
            log: Arc::new(StandardOutput),
            dynamodb_endpoint: None,
            ses_endpoint: None,
            secrets_endpoint: None,
            event_bus_endpoint: None,
        }
    }
}
