//! The dead-letter queue: an SQS queue for the records that cannot be handled.

use aws_sdk_sqs::Client;
use serde::Serialize;

use super::BusEvent;
use crate::{Fault, Setup, aws};

/// A record that could not be handled. It holds no personal data: the operator finds the account by the key.
#[derive(Debug, Serialize)]
pub struct DeadLetter<'a> {
    /// The function that gave up.
    pub function: &'static str,
    /// The id of the stream's record, if it could be read.
    pub event_id: &'a str,
    /// The partition key of the item that changed, if it could be read.
    pub account_key: &'a str,
    /// The operation that failed.
    pub operation: &'static str,
    /// The cause, as a code.
    pub cause: &'a str,
    /// The events that could not be published.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub events: &'a [BusEvent],
}

/// The queue.
#[derive(Clone)]
pub struct DeadLetters {
    client: Client,
    url: String,
}

impl DeadLetters {
    /// Reads `DEAD_LETTERS_URL`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { client: setup.client(), url: setup.settings().required("DEAD_LETTERS_URL") }
    }

    /// Puts a record into the queue.
    ///
    /// # Errors
    /// SQS failed. The record must be delivered again.
    pub async fn put(&self, letter: &DeadLetter<'_>) -> Result<(), Fault> {
        let body = serde_json::to_string(letter).map_err(|_| Fault::new("queue.SendMessage", "unbuildable"))?;
        let sending = self.client.send_message().queue_url(&self.url).message_body(body).send();
        sending.await.map(|_| ()).map_err(|error| aws::fault("queue.SendMessage", &error))
    }
}
