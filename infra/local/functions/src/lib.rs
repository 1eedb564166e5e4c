//! The functions: maps the template's resources to endpoints, and starts them in this process instead of on Lambda.
//!
//! The stack starts only if the template and this list have the same functions.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use shared::lambda::{self, Authorizer, Authorizing};
use shared::log::Invocation;
use shared::stream::{Batches, Listener};
use shared::{Endpoint, Fault, SettingsError, Setup};

/// A started function. It takes an event and gives an answer, both as JSON.
pub type Function = Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = String> + Send>> + Send + Sync>;

/// Starts a function with the settings of its environment.
type Start = fn(&Setup) -> Result<Function, SettingsError>;

/// For every crate in `functions`: the name of its resource in the template, and how to start it.
const ENDPOINTS: &[(&str, Start)] = include!(concat!(env!("OUT_DIR"), "/endpoints.rs"));

/// The paths and texts of the files of `infra/openapi`.
pub const DESCRIPTIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/descriptions.rs"));

fn start<E: Endpoint>(setup: &Setup) -> Result<Function, SettingsError> {
    let function = Arc::new(lambda::Function::start::<E>(setup)?);
    Ok(Arc::new(move |event| {
        let function = Arc::clone(&function);
        Box::pin(async move { function.invoke(&event).await })
    }))
}

fn listen<L: Listener>(setup: &Setup) -> Result<Function, SettingsError> {
    let batches = Arc::new(Batches::<L>::start(setup)?);
    Ok(Arc::new(move |event| {
        let batches = Arc::clone(&batches);
        Box::pin(async move { answer(batches.handle(&event, &Invocation::default()).await) })
    }))
}

fn authorize<A: Authorizer>(setup: &Setup) -> Result<Function, SettingsError> {
    let authorizing = Arc::new(Authorizing::<A>::start(setup)?);
    Ok(Arc::new(move |event| {
        let authorizing = Arc::clone(&authorizing);
        Box::pin(async move { answer(authorizing.handle(&event, Invocation::default()).await) })
    }))
}

/// The answer of Lambda to a call.
fn answer<T: Serialize>(outcome: Result<T, Fault>) -> String {
    let failed = |fault: Fault| json!({"errorMessage": fault.cause}).to_string();
    outcome.map_or_else(failed, |response| serde_json::to_string(&response).unwrap_or_default())
}

/// Starts the function of a resource.
///
/// # Errors
/// All faults of the settings.
///
/// # Panics
/// No such function exists.
pub fn start_function(resource: &str, setup: &Setup) -> Result<Function, SettingsError> {
    let start = ENDPOINTS.iter().find(|(name, _)| *name == resource).map(|(_, start)| start);
    #[expect(clippy::expect_used, reason = "its callers take the name from the template")]
    start.expect("the template has this function")(setup)
}

/// Starts the function of each setup; the keys are the names of the resources.
///
/// # Errors
/// All faults, one in each line.
pub fn start_all(setups: &BTreeMap<String, Setup>) -> Result<BTreeMap<String, Function>, String> {
    let mut faults = differences(setups.keys().map(String::as_str));
    let mut settings: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut functions = BTreeMap::new();
    for &(name, start) in ENDPOINTS {
        let Some(setup) = setups.get(name) else { continue };
        match start(setup) {
            Ok(function) => drop(functions.insert(name.to_owned(), function)),
            Err(error) => error.faults().iter().for_each(|fault| settings.entry(fault.clone()).or_default().push(name)),
        }
    }
    faults.extend(settings.into_iter().map(|(fault, of)| format!("{fault} (read by {})", of.join(", "))));
    if faults.is_empty() { Ok(functions) } else { Err(faults.join("\n")) }
}

fn differences<'a>(template: impl Iterator<Item = &'a str>) -> Vec<String> {
    let template: BTreeSet<_> = template.collect();
    let crates: BTreeSet<_> = ENDPOINTS.iter().map(|(name, _)| *name).collect();
    let without_crate = template
        .difference(&crates)
        .map(|name| format!("{name}: template.yaml has this function; it has no crate in functions"));
    let without_resource = crates
        .difference(&template)
        .map(|name| format!("{name}: there is a crate for this function; add it to template.yaml"));
    without_crate.chain(without_resource).collect()
}
