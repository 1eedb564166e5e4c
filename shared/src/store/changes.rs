//! Changes of accounts, as the stream of the accounts table reports them.

use serde::Deserialize;

use super::profile::{self, PROFILE};
use crate::Fault;
use crate::account::Account;
use crate::system::clock::Timestamp;

/// A change of an account.
pub struct Change {
    /// The id of the stream's record. It stays the same when the record is delivered again.
    pub event_id: String,
    /// When the table confirmed the change, in whole seconds.
    pub at: Timestamp,
    /// The account before the change; `None` if it was created.
    pub before: Option<Account>,
    /// The account after the change; `None` if it was deleted.
    pub after: Option<Account>,
    /// Whether an import created the account.
    pub is_imported: bool,
}

#[derive(Deserialize)]
struct Record {
    #[serde(rename = "eventID")]
    event_id: String,
    dynamodb: Images,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Images {
    keys: Keys,
    old_image: Option<serde_dynamo::Item>,
    new_image: Option<serde_dynamo::Item>,
    /// Seconds since 1970. The field is a number with a fraction in some versions of the event.
    approximate_creation_date_time: f64,
}

#[derive(Deserialize)]
struct Keys {
    sk: Text,
}

#[derive(Deserialize)]
struct Text {
    #[serde(rename = "S")]
    text: String,
}

impl Change {
    /// Reads a record of the stream, which is JSON text. Gives `None` if it is not about an account.
    ///
    /// # Errors
    /// The record or an account in it cannot be read.
    pub fn read(record: &str) -> Result<Option<Self>, Fault> {
        let record: Record = serde_json::from_str(record).map_err(|_| Fault::new("stream.record", "broken"))?;
        if record.dynamodb.keys.sk.text != PROFILE {
            return Ok(None);
        }
        let account = |image: Option<serde_dynamo::Item>| image.map(profile::account).transpose();
        let is_imported =
            record.dynamodb.new_image.as_ref().is_some_and(|image| image.contains_key(profile::IMPORT_RUN));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let seconds = record.dynamodb.approximate_creation_date_time as u64;
        Ok(Some(Self {
            event_id: record.event_id,
            at: Timestamp::from_seconds(seconds),
            before: account(record.dynamodb.old_image)?,
            after: account(record.dynamodb.new_image)?,
            is_imported,
        }))
    }
}
