//! The records of the stream of the accounts table.

use serde::Deserialize;
use serde_dynamo::{AttributeValue, Item};
use serde_json::value::RawValue;

use super::erasures::{self, ERASURE};
use crate::Fault;
use crate::account::Account;
use crate::store::account::profile::{self, IMPORT_DIGEST, IMPORT_RUN, PROFILE};
use crate::system::clock::Timestamp;

/// How long after a change the sessions and entries that it ends may have been created, in seconds: 7 for a request in
/// progress, 1 because the stream rounds its times down, and 2 because clocks differ. An import takes longer to create a
/// deleted account again.
const LATE_SECONDS: u64 = 10;

/// The latest time of a session or an entry that a change at this time ends. Later ones belong to an account that an
/// import has created since with the same id.
pub(in crate::store) fn reach(at: Timestamp) -> Timestamp {
    Timestamp::from_milliseconds(at.milliseconds().saturating_add(LATE_SECONDS * 1000))
}

/// A record of the stream. If the record cannot be read, its members are empty. [`Record::read`] does not parse the images,
/// so that the id and the key of a record with a broken image are known. [`Record::report`] parses them.
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
    /// The entries of a deleted account must be erased.
    Erasure {
        /// The id of the account.
        account_id: u64,
        /// When it was deleted. An import may have created it again since.
        deleted_at: Timestamp,
    },
    /// A change that no listener handles.
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
    /// Whether an import made the change.
    pub is_import: bool,
    /// The run of the import that created the account, from the image before the change.
    pub run: Option<String>,
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

    /// The sequence number of the record in its shard.
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
            ERASURE => self.erasure(),
            _ => Ok(Report::Nothing),
        }
    }

    fn change(&self) -> Result<Change, Fault> {
        let Parts { old_image, new_image, approximate_creation_date_time, .. } = self.dynamodb;
        let (old_image, new_image) = (image(old_image)?, image(new_image)?);
        let run = old_image.as_ref().and_then(|image| image.get(IMPORT_RUN));
        let run = run.and_then(|run| if let AttributeValue::S(run) = run { Some(run.clone()) } else { None });
        let at: f64 = read(approximate_creation_date_time.ok_or_else(broken)?)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let seconds = at as u64;
        Ok(Change {
            event_id: self.event_id.clone(),
            at: Timestamp::from_seconds(seconds),
            is_import: is_import(old_image.as_ref(), new_image.as_ref()),
            before: old_image.map(profile::account).transpose()?,
            after: new_image.map(profile::account).transpose()?,
            run,
        })
    }

    /// An erasure is reported when it is written, and when TTL has deleted it.
    fn erasure(&self) -> Result<Report, Fault> {
        let Parts { old_image, new_image, .. } = self.dynamodb;
        let image = image(new_image.or(old_image))?.ok_or_else(broken)?;
        let erasure = erasures::read(image)?;
        Ok(erasure.map_or(Report::Nothing, |(account_id, deleted_at)| Report::Erasure { account_id, deleted_at }))
    }
}

/// Whether an import wrote the new image. Nothing else changes the attributes in which an import describes itself.
fn is_import(before: Option<&Item>, after: Option<&Item>) -> bool {
    let of =
        |image: Option<&Item>| [IMPORT_RUN, IMPORT_DIGEST].map(|name| image.and_then(|image| image.get(name).cloned()));
    after.is_some_and(|after| after.contains_key(IMPORT_RUN)) && of(before) != of(after)
}

fn image(value: Option<&RawValue>) -> Result<Option<Item>, Fault> {
    value.map(read).transpose()
}

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, Fault> {
    serde_json::from_str(value.get()).map_err(|_| broken())
}

fn broken() -> Fault {
    Fault::new("stream.record", "broken")
}
