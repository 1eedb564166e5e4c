//! The records of the stream of the accounts table.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::erasures::{self, ERASURE};
use crate::Fault;
use crate::account::Account;
use crate::store::account::profile::{self, PROFILE};
use crate::system::clock::Timestamp;

/// A record. If it cannot be read, its parts are empty. The images are read only by [`Record::report`], so that a record
/// with a broken image still has its names.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Record<'a> {
    /// The id of the record. It stays the same when the record is delivered again.
    #[serde(rename = "eventID")]
    pub event_id: String,
    #[serde(borrow)]
    dynamodb: Parts<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "PascalCase")]
struct Parts<'a> {
    keys: Keys,
    sequence_number: String,
    #[serde(borrow)]
    old_image: Option<&'a RawValue>,
    #[serde(borrow)]
    new_image: Option<&'a RawValue>,
    /// Seconds since 1970. The field is a number with a fraction in some versions of the event.
    #[serde(borrow)]
    approximate_creation_date_time: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Keys {
    pk: Text,
    sk: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Text {
    #[serde(rename = "S")]
    text: String,
}

/// What a record reports.
pub enum Report {
    /// A change of an account.
    Change(Box<Change>),
    /// The entries of the deleted account with this id have to be erased.
    Erasure(u64),
    /// Nothing that a function listens to.
    Nothing,
}

/// A change of an account.
pub struct Change {
    /// The id of the record.
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

impl<'a> Record<'a> {
    /// Reads a record, which is JSON text.
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The partition key of the item that changed.
    #[must_use]
    pub fn partition_key(&self) -> &str {
        &self.dynamodb.keys.pk.text
    }

    /// The place of the record in its shard.
    #[must_use]
    pub fn sequence_number(&self) -> &str {
        &self.dynamodb.sequence_number
    }

    /// What the record reports.
    ///
    /// # Errors
    /// The record or an account in it cannot be read.
    pub fn report(&self) -> Result<Report, Fault> {
        if self.event_id.is_empty() {
            return Err(broken());
        }
        match self.dynamodb.keys.sk.text.as_str() {
            "" => Err(broken()),
            PROFILE => Ok(Report::Change(Box::new(self.change()?))),
            ERASURE => erasures::account_id(self.partition_key()).map(Report::Erasure).ok_or_else(broken),
            _ => Ok(Report::Nothing),
        }
    }

    fn change(&self) -> Result<Change, Fault> {
        let Parts { old_image, new_image, approximate_creation_date_time, .. } = self.dynamodb;
        let new_image = image(new_image)?;
        let is_imported = new_image.as_ref().is_some_and(|image| image.contains_key(profile::IMPORT_RUN));
        let at: f64 = read(approximate_creation_date_time.ok_or_else(broken)?)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let seconds = at as u64;
        Ok(Change {
            event_id: self.event_id.clone(),
            at: Timestamp::from_seconds(seconds),
            before: image(old_image)?.map(profile::account).transpose()?,
            after: new_image.map(profile::account).transpose()?,
            is_imported,
        })
    }
}

fn image(value: Option<&RawValue>) -> Result<Option<serde_dynamo::Item>, Fault> {
    value.map(read).transpose()
}

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, Fault> {
    serde_json::from_str(value.get()).map_err(|_| broken())
}

fn broken() -> Fault {
    Fault::new("stream.record", "broken")
}
