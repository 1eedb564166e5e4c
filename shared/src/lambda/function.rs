//! An endpoint with its layers, as a tower service for the gateway's events.

use std::panic::catch_unwind;
use std::sync::Arc;

use lambda_http::{Adapter, LambdaEvent, Service};

use super::event::Event;
use super::front::Front;
use super::guard::Guard;
use super::logged::{Answer, CallLog, Logged};
use super::origins::Origins;
use crate::endpoint::request::{self, Request};
use crate::endpoint::{Endpoint, Host};
use crate::{SettingsError, Setup};

/// The layers, from the outermost: the guard, `lambda_http`'s conversion, the log line, the proxy's secret, CORS,
/// the endpoint.
pub(super) type Layers = Guard<Adapter<'static, Answer, Logged<Front<Origins<Host>>>>>;

/// An endpoint's Lambda function.
pub struct Function(pub(super) Layers);

impl Function {
    /// Builds the endpoint and its layers.
    ///
    /// # Errors
    /// The list of all faulty settings.
    pub fn start<E: Endpoint>(setup: &Setup) -> Result<Self, SettingsError> {
        Self::around(Host::new::<E>(setup), E::NAME, setup)
    }

    fn around(host: Host, name: &'static str, setup: &Setup) -> Result<Self, SettingsError> {
        let call_log = Arc::new(CallLog::new(name, setup));
        let endpoint = Logged::new(Front::new(setup, Origins::new(setup, host)), Arc::clone(&call_log));
        setup.settings().check().map(|()| Self(Guard::new(Adapter::from(endpoint), call_log)))
    }

    /// Answers an event as the runtime does, for a gateway in the same process. Event and answer are JSON text.
    pub async fn invoke(&self, event: &str) -> String {
        let event = LambdaEvent::new(Event::read(event), lambda_http::Context::default());
        match self.0.clone().call(event).await {
            Ok(reply) => serde_json::to_string(&reply).unwrap_or_default(),
            Err(never) => match never {},
        }
    }
}

/// The request in an event, as the endpoint receives it; `None` if the event cannot be read or converted.
#[must_use]
pub fn read_request(event: &str) -> Option<Request> {
    let Event(event) = Event::read(event);
    let event = event?;
    catch_unwind(|| request::with_bytes(event.into())).ok()
}
