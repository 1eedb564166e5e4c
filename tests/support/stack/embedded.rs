//! A stack for one test, with a clock that can be moved and proxies that count calls and inject failures.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::{Client, Config};
use local::{Delivery, KEYS_PATH, Options, Stack, Template};
use shared::HashCost;
use shared::Setup;
use shared::log::Log;
use shared::system::clock::{Clock, SystemClock, Timestamp};
use shared::system::random::SystemRandom;

use serde_json::Value;

use super::{raise_limit_of_open_files, template_defaults};
use crate::requests::Values;
use crate::{Proxy, Request, Service, Visitor};

/// An item of a table.
pub type Item = std::collections::HashMap<String, AttributeValue>;

/// The implementation of Argon2 for the whole run, if the environment sets one.
pub(crate) fn implementation() -> Option<(String, String)> {
    std::env::var(ARGON2_IMPLEMENTATION).ok().map(|value| (ARGON2_IMPLEMENTATION.to_owned(), value))
}

const ARGON2_IMPLEMENTATION: &str = "ARGON2_IMPLEMENTATION";

/// Address of the front end, unless a test sets another.
pub const FRONT_END: &str = "http://localhost:5173";

/// A stack, its clock and its proxies.
pub struct Embedded {
    /// The service.
    pub service: Service,
    /// Between the functions and the tables.
    pub table: Proxy,
    /// Between the functions and the mail service.
    pub mail: Proxy,
    /// Between the functions and the secret store.
    pub secrets: Proxy,
    /// Between the functions and the identity provider's keys, unless a setting names others.
    pub keys: Proxy,
    /// Between the functions and the captcha provider, unless a setting names one. Initially it has no target.
    pub captcha: Proxy,
    /// Between the functions and the event bus.
    pub bus: Proxy,
    clock: Arc<ShiftedClock>,
    log: Arc<Lines>,
    hash_cost: HashCost,
    stack: Stack,
}

/// The system's clock with an offset, which lets a test see a session expire.
#[derive(Default)]
struct ShiftedClock {
    /// In milliseconds.
    shift: AtomicI64,
}

impl ShiftedClock {
    fn advance(&self, by: Duration) {
        self.shift.fetch_add(milliseconds(by), Ordering::SeqCst);
    }

    fn set_back(&self, by: Duration) {
        self.shift.fetch_sub(milliseconds(by), Ordering::SeqCst);
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        let shift = self.shift.load(Ordering::SeqCst);
        Timestamp::from_milliseconds(SystemClock.now().milliseconds().saturating_add_signed(shift))
    }
}

/// A log that keeps the functions' lines.
#[derive(Default)]
pub(crate) struct Lines(Mutex<Vec<String>>);

impl Log for Lines {
    fn write(&self, line: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    }
}

impl Embedded {
    /// Starts a stack in memory, with these settings for the functions. Passwords are hashed at the lowest cost,
    /// because hashes at the full cost would take most of the tests' time.
    pub async fn start(settings: &[(&str, &str)]) -> Self {
        Self::start_at(HashCost::LEAST, settings).await
    }

    /// Starts a stack with these settings, and registers a visitor and signs in.
    pub async fn signed_in(settings: &[(&str, &str)]) -> (Self, Visitor) {
        let stack = Self::start(settings).await;
        let visitor = stack.service.visitor().signed_in().await;
        (stack, visitor)
    }

    /// Starts a stack with these settings, and registers a visitor.
    pub async fn registered(settings: &[(&str, &str)]) -> (Self, Visitor) {
        let stack = Self::start(settings).await;
        let visitor = stack.service.visitor().registered().await;
        (stack, visitor)
    }

    /// As [`Embedded::start`], with passwords hashed at the full cost, for tests of the hash.
    pub async fn start_at_full_cost(settings: &[(&str, &str)]) -> Self {
        Self::start_at(Options::default().hash_cost, settings).await
    }

    async fn start_at(hash_cost: HashCost, settings: &[(&str, &str)]) -> Self {
        raise_limit_of_open_files();
        let clock = Arc::new(ShiftedClock::default());
        let log = Arc::new(Lines::default());
        let (table, mail, secrets) = (Proxy::start().await, Proxy::start().await, Proxy::start().await);
        let (keys, captcha, bus) = (Proxy::start().await, Proxy::start().await, Proxy::start().await);
        let backends = [
            ("GOOGLE_KEYS_URL", format!("{}{KEYS_PATH}", keys.url())),
            ("CAPTCHA_VERIFY_URL", format!("{}/siteverify", captcha.url())),
            // The stack's own address is not used, because its length varies, and tests measure answers.
            ("FRONT_END_URL", FRONT_END.to_owned()),
            ("AVATAR_BASE_URL", String::new()),
        ];
        let backends = backends.map(|(name, url)| (name.to_owned(), url));
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut settings: BTreeMap<_, _> = settings.collect();
        let (api_backend, event_target) = (settings.remove("API_BACKEND"), settings.remove("EVENT_TARGET"));
        let options = Options {
            api_backend,
            event_target,
            settings: backends.into_iter().chain(implementation()).chain(settings).collect::<BTreeMap<_, _>>(),
            clock: clock.clone(),
            hash_cost,
            log: log.clone(),
            dynamodb_endpoint: Some(table.url()),
            ses_endpoint: Some(mail.url()),
            secrets_endpoint: Some(secrets.url()),
            event_bus_endpoint: Some(bus.url()),
            delivery: Delivery::OnDemand,
            ..Options::default()
        };
        let stack = Stack::start(&options, &|_| ()).expect("the stack starts");
        table.forward_to(stack.dynamodb_url());
        mail.forward_to(&stack.ses_url());
        secrets.forward_to(&stack.secrets_url());
        bus.forward_to(&stack.event_bus_url());
        keys.forward_to(stack.base_url());
        Self {
            service: Service::at(stack.base_url()),
            table,
            mail,
            secrets,
            keys,
            captcha,
            bus,
            clock,
            log,
            hash_cost,
            stack,
        }
    }

    /// Moves the service's clock forward.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Moves the service's clock back, as a time server may do.
    pub fn set_back(&self, by: Duration) {
        self.clock.set_back(by);
    }

    /// The current time of the service.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Delivers the changes of the accounts table to the function `notices`. Returns false if it failed; the next
    /// delivery begins with the page of records that has the failed change.
    pub async fn deliver_changes(&self) -> bool {
        self.stack.deliver_changes().await
    }

    /// The token of a notice: another session of the visitor exports the account, of which its owner is told.
    pub async fn lock_token(&self, visitor: &Visitor) -> String {
        let before = visitor.lock_tokens().await.len();
        visitor.exported_elsewhere().await;
        assert!(self.deliver_changes().await);
        let mut tokens = visitor.lock_tokens().await;
        assert!(tokens.len() > before, "no notice of the export");
        tokens.swap_remove(0)
    }

    /// The visitor's values for a request, as [`Request::values`] makes them on a stack that delivers changes by itself.
    pub async fn values(&self, request: &Request, visitor: &mut Visitor) -> Values {
        let mut values = Values::default();
        if request.mentions("lock") {
            values.set("lock", self.lock_token(visitor).await);
        }
        values.complete(request, visitor).await;
        values
    }

    /// The messages in the dead-letter queue, oldest first.
    pub async fn dead_letters(&self) -> Vec<Value> {
        self.service.dead_letters().await
    }

    /// The events on the bus, oldest first, as EventBridge delivers them.
    pub async fn events(&self) -> Vec<Value> {
        self.service.events().await
    }

    /// The setup of the functions, for a test that calls one without a gateway. It has the defaults of the template, the
    /// required settings and these, but not the settings that [`Embedded::start`] was given. Its calls bypass the proxies, unless a setting names
    /// one.
    pub fn setup(&self, settings: &[(&str, &str)]) -> Setup {
        self.setup_at(self.clock.clone(), settings)
    }

    /// As [`Embedded::setup`], with another clock.
    pub fn setup_at(&self, clock: Arc<dyn Clock>, settings: &[(&str, &str)]) -> Setup {
        let keys_url = self.keys_url();
        let own = [
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_ENDPOINT_URL_DYNAMODB", self.stack.dynamodb_url()),
            ("AWS_ENDPOINT_URL_EVENTBRIDGE", &self.stack.event_bus_url()),
            ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &self.stack.secrets_url()),
            ("AWS_ENDPOINT_URL_SESV2", &self.stack.ses_url()),
            ("AWS_ENDPOINT_URL_SQS", &self.stack.queues_url()),
            ("AWS_REGION", "eu-west-1"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("COOKIE_SECURE", "false"),
            ("DEAD_LETTERS_URL", "dead-letters"),
            ("FRONT_END_URL", FRONT_END),
            ("GOOGLE_CLIENT_IDS", "local-client"),
            ("GOOGLE_KEYS_URL", &keys_url),
            ("MAIL_CONFIGURATION_SET", ""),
            ("MAIL_FROM", "cuentas@example.com"),
        ];
        let defaults = template_defaults();
        let own = own.iter().chain(settings).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let all = defaults.into_iter().chain(own).chain(implementation());
        let setup = Setup::new(all, clock, Arc::new(SystemRandom));
        #[expect(clippy::disallowed_methods, reason = "the function has the same hash cost as the test's stack")]
        setup.hashing_at(self.hash_cost).logging_to(self.log.clone())
    }

    /// Address of the identity provider's keys.
    pub fn keys_url(&self) -> String {
        format!("{}{KEYS_PATH}", self.stack.base_url())
    }

    /// The functions' log lines so far.
    pub fn log(&self) -> Vec<String> {
        self.log.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The address of the tables, which bypasses the proxy.
    pub fn dynamodb_url(&self) -> &str {
        self.stack.dynamodb_url()
    }

    /// A client of the tables that bypasses the proxy.
    pub fn dynamodb(&self) -> Client {
        dynamodb(self.stack.dynamodb_url())
    }

    /// All items of a table.
    pub async fn items(&self, table: &str) -> Vec<Item> {
        items(self.stack.dynamodb_url(), table).await
    }

    /// The template that the stack was built from.
    pub fn template(&self) -> &Template {
        self.stack.template()
    }
}

/// A client of the tables at an address.
pub fn dynamodb(url: &str) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .endpoint_url(url)
        .region(Region::new("eu-west-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Client::from_conf(config)
}

/// All items of a table of the embedded engine at this URL.
pub async fn items(dynamodb_url: &str, table: &str) -> Vec<Item> {
    let scan = dynamodb(dynamodb_url).scan().table_name(table).consistent_read(true);
    let mut pages = scan.into_paginator().items().send();
    let mut items = Vec::new();
    while let Some(item) = pages.next().await {
        items.push(item.expect("the table is read"));
    }
    items
}
