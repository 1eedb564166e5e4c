//! An endpoint with its layers, as a tower service on the gateway's events.

use std::panic::catch_unwind;
use std::sync::Arc;

use lambda_http::{Adapter, LambdaEvent, Service};

use super::event::Event;
use super::guard::Guard;
use super::logged::{Answer, Calls, Logged};
use super::origins::Origins;
use crate::endpoint::request::{self, Request};
use crate::endpoint::{Endpoint, Host};
use crate::{SettingsError, Setup};

/// From the outside in: the guard, `lambda_http`'s conversion, the log line, CORS, the endpoint.
pub(super) type Layers<E> = Guard<Adapter<'static, Answer, Logged<Origins<Host<E>>>>>;

/// An endpoint as its function answers events.
pub struct Function<E: Endpoint>(pub(super) Layers<E>);

impl<E: Endpoint> Function<E> {
    /// Builds the endpoint and all that stands around it.
    ///
    /// # Errors
    /// All faults of the settings.
    pub fn start(setup: &Setup) -> Result<Self, SettingsError> {
        let calls = Arc::new(Calls::new::<E>(setup));
        let endpoint = Logged::new(Origins::new(setup, Host::<E>::new(setup)), Arc::clone(&calls));
        setup.settings().check().map(|()| Self(Guard::new(Adapter::from(endpoint), calls)))
    }

    /// Answers an event, both as JSON text: what the runtime does, for a gateway in the same process.
    pub async fn invoke(&self, event: &str) -> String {
        let event = LambdaEvent::new(Event::read(event), lambda_http::Context::default());
        match self.0.clone().call(event).await {
            Ok(reply) => serde_json::to_string(&reply).unwrap_or_default(),
            Err(never) => match never {},
        }
    }
}

/// The request of an event, as an endpoint gets it; none if the event cannot be read or converted.
#[must_use]
pub fn read_request(event: &str) -> Option<Request> {
    let Event(event) = Event::read(event);
    let event = event?;
    catch_unwind(|| request::with_bytes(event.into())).ok()
}
