//! The events on the bus: their schema, and what a service knows of the accounts that has received them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/events.schema.json");

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("the schema is valid")
});

/// What a service knows of an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// Whether its address is verified.
    pub is_verified: bool,
    /// Whether nobody can use it.
    pub is_disabled: bool,
}

/// What a service knows of the accounts, by their ids, after these events in this order.
///
/// # Panics
/// An event does not fit the schema, or contradicts the events before it.
pub fn known_after(events: &[Value]) -> BTreeMap<u64, Known> {
    let mut known: BTreeMap<u64, Known> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for event in events {
        assert!(VALIDATOR.is_valid(event), "{event}: {:?}", VALIDATOR.iter_errors(event).collect::<Vec<_>>());
        let detail = &event["detail"];
        let account_id = detail["accountId"].as_u64().unwrap_or_default();
        // An event that is published again tells nothing new.
        if !ids.insert(detail["id"].clone().to_string()) {
            continue;
        }
        let kind = event["detail-type"].as_str().unwrap_or_default();
        if kind == "AccountRegistered" {
            assert!(known.insert(account_id, Known::default()).is_none(), "registered twice: {events:?}");
            continue;
        }
        let account = known.get_mut(&account_id).unwrap_or_else(|| panic!("{event}: unknown account: {events:?}"));
        match kind {
            "EmailVerified" => account.is_verified = true,
            "EmailChanged" => account.is_verified = false,
            "AccountDisabled" => account.is_disabled = true,
            "AccountEnabled" => account.is_disabled = false,
            "AccountDeleted" => drop(known.remove(&account_id)),
            _ => {}
        }
    }
    known
}
