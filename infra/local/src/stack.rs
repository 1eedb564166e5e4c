//! The stack: starts and stops all its parts in order.
//!
//! It has its own threads, so that it can be used from any runtime or without one, and so that a process can have
//! several stacks.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use dynoxide::Database;
use local_functions::Function;
use shared::Setup;
use shared::system::random::SystemRandom;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::documents::hosting::Hosting;
use crate::documents::template::Template;
use crate::documents::{api_page, openapi};
use crate::functions::environment::{self, Environment};
use crate::functions::remote::Remote;
use crate::functions::stream::Mapping;
use crate::gateway::backend::{self, Backend};
use crate::gateway::{self, Gateway};
use crate::http::server::{self, Server, Threads};
use crate::http::{guard, web};
use crate::options::{Delivery, Options};
use crate::replacements::mailbox::{self, Mailbox};
use crate::replacements::{chooser, event_bus, inbox, provider, queue, secrets};
use crate::tables::{creation, data, engine};

/// How long a shutdown waits for running requests.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// The reason why a stack did not start, and how to fix it.
#[derive(Debug)]
pub struct StartError(String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartError {}

/// A running stack. Dropping it stops it immediately; [`Stack::shutdown`] waits for running requests.
pub struct Stack {
    base_url: String,
    dynamodb_url: String,
    template: &'static Template,
    service: Server,
    engine: Server,
    mappings: Vec<Arc<Mapping>>,
    handle: Handle,
    _threads: Threads,
    /// The lock that keeps other stacks from using the same folder.
    _lock: Option<File>,
}

impl Stack {
    /// Starts a stack, and calls `progress` for each step. The stack accepts requests when this returns.
    ///
    /// # Errors
    /// A port or the data folder is in use, a setting is faulty, or the template's functions differ from the crates.
    pub fn start(options: &Options, progress: &dyn Fn(&str)) -> Result<Self, StartError> {
        start(options, progress).map_err(StartError)
    }

    /// The URL of the service, such as `http://127.0.0.1:3000`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The URL of the embedded engine.
    #[must_use]
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    /// The URL of the mailbox's SES API.
    #[must_use]
    pub fn ses_url(&self) -> String {
        format!("{}{}", self.base_url, mailbox::SES_PATH)
    }

    /// The URL of the dead-letter queue's SQS API.
    #[must_use]
    pub fn queues_url(&self) -> String {
        format!("{}{}", self.base_url, queue::SQS_PATH)
    }

    /// The URL of the event bus's EventBridge API.
    #[must_use]
    pub fn event_bus_url(&self) -> String {
        format!("{}{}", self.base_url, event_bus::BUS_PATH)
    }

    /// The URL of the secret store's Secrets Manager API.
    #[must_use]
    pub fn secrets_url(&self) -> String {
        format!("{}{}", self.base_url, secrets::SECRETS_PATH)
    }

    /// The template of the stack.
    #[must_use]
    pub fn template(&self) -> &'static Template {
        self.template
    }

    /// Delivers all changes of the tables to the functions that listen to them. Returns false if one of them failed;
    /// the next delivery begins with the page of records that has the failed change.
    pub async fn deliver_changes(&self) -> bool {
        for mapping in &self.mappings {
            if !mapping.deliver().await {
                return false;
            }
        }
        true
    }

    /// Waits at most two seconds for running requests, and stops the stack.
    pub async fn shutdown(self) {
        let Self { service, engine, handle, .. } = self;
        let ended = handle.spawn(async {
            let both = async {
                // The functions stop first, because they use the tables.
                service.stop().await;
                engine.stop().await;
            };
            tokio::time::timeout(SHUTDOWN, both).await
        });
        drop(ended.await);
    }
}

fn start(options: &Options, progress: &dyn Fn(&str)) -> Result<Stack, String> {
    let template = Template::of_this_project().map_err(|error| error.to_string())?;
    // The ports are bound first, so that a second stack fails before it touches any data.
    let service = server::bind(options.port, "PORT")?;
    let engine = server::bind(options.dynamodb_port, "DYNAMODB_PORT")?;
    let base_url = server::url(&service)?;
    let dynamodb_url = server::url(&engine)?;
    let origins = guard::origins(server::port(&service)?);

    let data::Opened { database, lock } = data::open(&options.data)?;
    creation::create_missing(&database, template.tables())?;
    progress(&format!("{} tables {}", template.tables().len(), options.data));

    let (threads, handle) = Threads::start()?;
    let inside = handle.enter();
    let allowed = Arc::clone(&origins);
    let changed = Arc::new(Notify::new());
    let (streams, notified) = (database.clone(), Arc::clone(&changed));
    let engine = Server::start(engine, |listener, stop| async move {
        engine::serve(listener, database, notified, allowed, stop).await;
    })?;

    let mut router = backends(options)?.merge(openapi::router()).merge(api_page::router());
    router = router.layer(from_fn_with_state(origins, guard::origin));
    let environment = Environment::for_stack(&base_url, &dynamodb_url, options);
    let mappings;
    if options.functions {
        let hosting = Hosting::of_this_project()?;
        let setups = setups(template, &environment, options)?;
        let functions = local_functions::start_all(&setups)?;
        let config = config(&environment, options, setups.get("Session").ok_or("there is no Session")?);
        let gateway = Gateway::new(hosting.api_paths()?, template.routes(), &functions, Arc::clone(&options.clock));
        let gateway = Arc::new(gateway);
        mappings = mapped(template, &functions, &streams)?;
        progress(&format!("{} functions", template.functions().len()));
        router = router.merge(web::router(hosting, &config, &options.web)?).layer(from_fn(guard::host));
        // The last layer handles a request first, so requests for the API's paths skip the guard (see guard.rs).
        router = router.layer(from_fn_with_state(Arc::clone(&gateway), gateway::enter));
        if let Some(address) = &options.api_backend {
            let authorizer = functions.get("Authorizer").map(Arc::clone).ok_or("there is no Authorizer")?;
            let backend = Arc::new(Backend::new(address, authorizer, gateway)?);
            router = router.layer(from_fn_with_state(backend, backend::forward));
        }
    } else {
        // cargo-lambda calls no function for a stream, so this process does.
        mappings = mapped(template, &listeners(template, &environment, options)?, &streams)?;
        router = router.layer(from_fn(guard::host));
    }
    let service = Server::start(service, |listener, stop| async move {
        let router = router.into_make_service_with_connect_info::<SocketAddr>();
        drop(axum::serve(listener, router).with_graceful_shutdown(stop).await);
    })?;
    if options.delivery == Delivery::AtOnce {
        for mapping in &mappings {
            handle.spawn(Arc::clone(mapping).run(Arc::clone(&changed)));
        }
    }
    drop(inside);
    Ok(Stack { base_url, dynamodb_url, template, service, engine, mappings, handle, _threads: threads, _lock: lock })
}

/// The configuration of the pages. They use Google's script if the functions use Google's keys.
fn config(environment: &Environment<'_>, options: &Options, session: &Setup) -> web::Config {
    let front_end_url = options.settings.get("FRONT_END_URL").unwrap_or(&environment.front_end_url);
    let real = options.settings.contains_key("GOOGLE_KEYS_URL");
    web::Config {
        front_end_url: front_end_url.clone(),
        google_client_id: environment::audience(&options.settings),
        google_script: if real { web::GOOGLE_SCRIPT } else { chooser::SCRIPT_PATH }.to_owned(),
        captcha: options.captcha.clone(),
        idle_seconds: session.settings().number("SESSION_IDLE_SECONDS", 1..=u64::MAX),
        absolute_seconds: session.settings().number("SESSION_ABSOLUTE_SECONDS", 1..=u64::MAX),
    }
}

/// The setup of each function.
fn setups(
    template: &Template,
    environment: &Environment<'_>,
    options: &Options,
) -> Result<BTreeMap<String, Setup>, String> {
    let mut setups = BTreeMap::new();
    for function in template.functions() {
        let variables = environment.of(template, function).map_err(|error| error.to_string())?;
        let setup = Setup::new(variables, Arc::clone(&options.clock), Arc::new(SystemRandom));
        #[expect(clippy::disallowed_methods, reason = "the cost is the full one unless a test sets another")]
        let setup = setup.hashing_at(options.hash_cost).logging_to(Arc::clone(&options.log));
        setups.insert(function.logical_id.clone(), setup);
    }
    Ok(setups)
}

/// The functions that listen to streams, for a stack whose other functions run elsewhere. One with faulty settings is left
/// out, because the other functions report the faults.
fn listeners(
    template: &Template,
    environment: &Environment<'_>,
    options: &Options,
) -> Result<BTreeMap<String, Function>, String> {
    let listeners = setups(template, environment, options)?.into_iter().filter(|(name, _)| {
        template.functions().iter().any(|function| function.logical_id == *name && function.stream.is_some())
    });
    let started = listeners.filter_map(|(name, setup)| {
        let function = local_functions::start_function(&name, &setup).ok()?;
        Some((name, function))
    });
    Ok(started.collect())
}

/// The functions that listen to the stream of a table.
fn mapped(
    template: &Template,
    functions: &BTreeMap<String, Function>,
    database: &Database,
) -> Result<Vec<Arc<Mapping>>, String> {
    let mut mappings = Vec::new();
    for function in template.functions() {
        let (Some(event), Some(started)) = (&function.stream, functions.get(&function.logical_id)) else { continue };
        let table = template.tables().iter().find(|table| table.logical_id == event.table);
        let table = table.ok_or_else(|| format!("{}: there is no {}", function.logical_id, event.table))?.name();
        mappings.push(Arc::new(Mapping::new(database.clone(), &table, event.clone(), Arc::clone(started))?));
    }
    Ok(mappings)
}

/// The routes of the stack's backends.
fn backends(options: &Options) -> Result<Router, String> {
    let target = options.event_target.as_deref().map(|address| {
        Remote::at(address).ok_or_else(|| {
            format!("EVENT_TARGET is \"{address}\": it takes http://HOST:PORT/2015-03-31/functions/NAME/invocations")
        })
    });
    let clock = &options.clock;
    let mailbox = Arc::new(Mailbox::new(Arc::clone(clock)));
    let audience = environment::audience(&options.settings);
    Ok(mailbox::router(Arc::clone(&mailbox))
        .merge(inbox::router(mailbox))
        .merge(provider::router(Arc::clone(clock), audience))
        .merge(chooser::router())
        .merge(event_bus::router(target.transpose()?))
        .merge(queue::router())
        .merge(secrets::router(options.settings.get(secrets::CAPTCHA_SECRET).cloned())))
}

/// The environment variables for functions that run elsewhere and use a stack with the same options. The options must
/// set both ports.
///
/// # Errors
/// A port is 0, or a variable differs between functions.
pub fn environment(options: &Options) -> Result<BTreeMap<String, String>, StartError> {
    if options.port == 0 || options.dynamodb_port == 0 {
        return Err(StartError("an environment needs fixed ports: PORT and DYNAMODB_PORT must not be 0".to_owned()));
    }
    let template = Template::of_this_project().map_err(|error| StartError(error.to_string()))?;
    let (base_url, dynamodb_url) = (server::address(options.port), server::address(options.dynamodb_port));
    Environment::for_stack(&base_url, &dynamodb_url, options).of_all(template).map_err(StartError)
}

#[cfg(test)]
mod tests {
    use shared::system::clock::SystemClock;

    use super::*;

    #[tokio::test]
    async fn a_stopped_stack_frees_its_ports_even_inside_a_runtime() {
        let first = Stack::start(&Options::default(), &|_| {}).expect("the stack starts");
        let port = |url: &str| url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("there is a port");
        let (port, dynamodb_port) = (port(first.base_url()), port(first.dynamodb_url()));
        for taken in [Options { port, ..Options::default() }, Options { dynamodb_port, ..Options::default() }] {
            assert!(Stack::start(&taken, &|_| {}).is_err(), "the port is taken");
        }
        first.shutdown().await;
        let same = Options { port, dynamodb_port, ..Options::default() };
        drop(Stack::start(&same, &|_| {}).expect("the ports are free again"));
    }

    #[tokio::test]
    async fn a_stack_without_functions_ignores_their_settings() {
        let settings = BTreeMap::from([("SESSION_IDLE_SECONDS".to_owned(), "soon".to_owned())]);
        let options = Options { functions: false, settings, ..Options::default() };
        let steps = std::cell::RefCell::new(Vec::new());
        let stack = Stack::start(&options, &|step| steps.borrow_mut().push(step.to_owned()));
        stack.expect("the stack starts").shutdown().await;
        assert_eq!(steps.into_inner(), ["2 tables in memory"]);
    }

    #[test]
    fn the_environment_has_the_ports_of_the_options() {
        let options = Options { port: 3100, dynamodb_port: 8100, ..Options::default() };
        let all = environment(&options).expect("the environment is complete");
        let of = |name: &str| all.get(name).map(String::as_str);
        assert_eq!(of("AWS_ENDPOINT_URL_DYNAMODB"), Some("http://127.0.0.1:8100"));
        assert_eq!(of("AWS_ENDPOINT_URL_SESV2"), Some("http://127.0.0.1:3100/_local/ses"));
        assert_eq!(of("GOOGLE_KEYS_URL"), Some("http://127.0.0.1:3100/_local/google/jwks"));
        assert!(environment(&Options::default()).is_err(), "free ports are not known yet");
    }

    #[tokio::test]
    async fn the_error_for_a_faulty_setting_names_its_function() {
        let settings = BTreeMap::from([("SESSION_IDLE_SECONDS".to_owned(), "soon".to_owned())]);
        let options = Options { settings, ..Options::default() };
        let error = Stack::start(&options, &|_| {}).err().expect("the stack is refused").to_string();
        assert!(error.contains("SESSION_IDLE_SECONDS must be") && error.contains("Session"), "{error}");
    }

    #[test]
    fn a_function_that_is_missing_on_one_side_is_reported() {
        let setup = Setup::new([], Arc::new(SystemClock), Arc::new(SystemRandom));
        let setups = BTreeMap::from([("Export".to_owned(), setup)]);
        let faults = local_functions::start_all(&setups).err().expect("the functions differ");
        let template = Template::of_this_project().expect("the template is read");
        assert_eq!(faults.lines().count(), template.functions().len() + 1);
        assert!(faults.contains("Export: template.yaml has") && faults.contains("Login: there is a crate"), "{faults}");
    }
}
