//! The event bus: EventBridge, which passes events about accounts on to the other services of the product.

use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::primitives::DateTime;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use serde::Serialize;

use super::Change;
use crate::{Fault, Setup, aws};

/// The source of all events.
const SOURCE: &str = "accounts";
/// The version of the detail. Members may be added to a version, but none is removed or gets another meaning.
const VERSION: u8 = 1;
/// The operation in faults.
const OPERATION: &str = "events.PutEvents";

/// An event on the bus. It holds no personal data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BusEvent {
    /// What happened. The field is called a detail type in EventBridge.
    #[serde(rename = "detail-type")]
    pub detail_type: &'static str,
    /// The facts.
    pub detail: Detail,
}

/// The facts of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    /// The version of this format.
    pub version: u8,
    /// The id of the event. It stays the same when the event is published again.
    pub id: String,
    /// The id of the account.
    pub account_id: u64,
    /// When the table confirmed the change, in RFC 3339 with whole seconds.
    pub at: String,
}

impl BusEvent {
    /// An event of a change. A change has at most one event of a type.
    #[must_use]
    pub fn of(change: &Change, account_id: u64, detail_type: &'static str) -> Self {
        let id = format!("{}.{detail_type}", change.event_id);
        Self { detail_type, detail: Detail { version: VERSION, id, account_id, at: change.at.to_rfc3339() } }
    }
}

/// The bus.
pub struct EventBus {
    client: Client,
    name: String,
}

impl EventBus {
    /// Reads `EVENT_BUS`, the name or ARN of the bus. `None` if it is empty.
    #[must_use]
    pub fn new(setup: &Setup) -> Option<Self> {
        setup.settings().optional("EVENT_BUS").map(|name| Self { client: setup.client(), name })
    }

    /// Publishes the events of a change, of which there are at most ten.
    ///
    /// # Errors
    /// EventBridge failed, or refused an event. All of them have to be published again.
    pub async fn put(&self, change: &Change, events: &[BusEvent]) -> Result<(), Fault> {
        let at = DateTime::from_secs(i64::try_from(change.at.seconds()).unwrap_or(i64::MAX));
        let entries = events.iter().map(|event| {
            let detail = serde_json::to_string(&event.detail).map_err(|_| Fault::new(OPERATION, "unbuildable"))?;
            let entry = PutEventsRequestEntry::builder().event_bus_name(&self.name).source(SOURCE).time(at);
            Ok(entry.detail_type(event.detail_type).detail(detail).build())
        });
        let entries: Vec<_> = entries.collect::<Result<_, Fault>>()?;
        let sending = self.client.put_events().set_entries(Some(entries)).send();
        let answer = sending.await.map_err(|error| aws::fault(OPERATION, &error))?;
        // EventBridge answers 200 also if it has refused some of the events.
        let refused: Vec<_> = answer.entries().iter().filter_map(|entry| entry.error_code()).collect();
        if refused.is_empty() { Ok(()) } else { Err(Fault::new(OPERATION, refused.join(" "))) }
    }
}
