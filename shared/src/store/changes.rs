//! The changes that the stream of the accounts table reports, the records whose letters were sent, and the deleted
//! accounts whose entries are being erased.

use std::sync::Arc;

use aws_sdk_dynamodb::types::ReturnValue;
use serde::Deserialize;
use serde_dynamo::Item;
use serde_json::value::RawValue;

use super::items::delivery;
use super::items::erasure::{self, Deleted, ERASURE};
use super::items::profile::{self, PROFILE, Profile};
use super::table::Table;
use crate::account::Account;
use crate::system::clock::{Clock, Timestamp};
use crate::{Fault, Setup};

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
        let profile = |value| image(value)?.map(profile::read).transpose();
        let (before, after): (Option<Profile>, Option<Profile>) = (profile(old_image)?, profile(new_image)?);
        let at: f64 = read(approximate_creation_date_time.ok_or_else(broken)?)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let seconds = at as u64;
        Ok(Change {
            event_id: self.event_id.clone(),
            at: Timestamp::from_seconds(seconds),
            is_import: is_import(before.as_ref(), after.as_ref()),
            run: before.as_ref().and_then(|before| before.imported.as_ref()).map(|imported| imported.run.clone()),
            before: before.map(|before| before.account),
            after: after.map(|after| after.account),
        })
    }

    /// An erasure is reported when it is written, and when TTL has deleted it.
    fn erasure(&self) -> Result<Report, Fault> {
        let Parts { old_image, new_image, .. } = self.dynamodb;
        let image = image(new_image.or(old_image))?.ok_or_else(broken)?;
        let erasure = erasure::read(image)?.of_account()?;
        Ok(erasure.map_or(Report::Nothing, |(account_id, deleted_at)| Report::Erasure { account_id, deleted_at }))
    }
}

/// Whether an import wrote the new image. Nothing else changes what an import stores about itself.
fn is_import(before: Option<&Profile>, after: Option<&Profile>) -> bool {
    let of = |profile: Option<&Profile>| {
        let imported = profile?.imported.as_ref()?;
        Some((imported.run.clone(), imported.digest.clone()))
    };
    of(after).is_some() && of(before) != of(after)
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

/// Remembers the records whose letters were sent, because the stream may deliver a record again.
#[derive(Clone)]
pub struct Deliveries {
    table: Table,
    clock: Arc<dyn Clock>,
}

impl Deliveries {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), clock: setup.clock() }
    }

    /// Whether the letter of a record was sent.
    pub async fn contains(&self, event_id: &str) -> Result<bool, Fault> {
        Ok(self.table.item(delivery::key_of(event_id)).await?.is_some())
    }

    /// Remembers that the letter of a record was sent.
    ///
    /// # Errors
    /// The table failed; the letter may be sent again.
    pub async fn add(&self, event_id: &str) -> Result<(), Fault> {
        // If the guard fails, another delivery of the record has also sent the letter.
        self.table.write(delivery::insert(event_id, self.clock.now())).await.map(|_| ())
    }
}

/// Requests the erasure of the entries of deleted accounts.
///
/// The index of entries by account may lag behind the table, so one erasure may miss the newest entries of an account.
/// There are therefore two: the stream reports the item of an erasure when it is written, and again when TTL deletes
/// it, at least an hour later. By then, an import may have created an account with the same id. The item therefore has
/// the time of the deletion, and later entries stay.
#[derive(Clone)]
pub struct Erasures {
    table: Table,
    clock: Arc<dyn Clock>,
}

impl Erasures {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), clock: setup.clock() }
    }

    /// Requests the two erasures of the entries of a deleted account. It is idempotent. Returns whether the undo of an
    /// import deleted the account.
    pub async fn request(&self, deleted: &Deleted<'_>) -> Result<bool, Fault> {
        let request = erasure::request(deleted, self.clock.now());
        // If the guard fails, the erasures were requested before.
        let item = match self.table.write_returning(request, ReturnValue::AllNew).await? {
            Ok(item) => item,
            Err(refused) => refused.item.unwrap_or_default(),
        };
        let erasure = erasure::read(item)?;
        Ok(deleted.run.is_some_and(|run| erasure.undone.contains(run)))
    }
}
