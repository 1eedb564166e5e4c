//! What the stream of the accounts table reports, the records whose letters were sent, and the deleted accounts whose
//! entries are being erased.

use aws_sdk_dynamodb::types::ReturnValue;
use serde_dynamo::Item;

use super::items::delivery;
use super::items::erasure::{self, Deleted, ERASURE, Erasure};
use super::items::failures::{self, Failures};
use super::items::profile::{self, PROFILE, Profile};
use super::items::session::{self, StoredSession};
use super::table::{self, Table, broken};
use crate::system::clock::Timestamp;
use crate::{Fault, Setup};

/// An item of the accounts table that has changed.
pub enum Changed {
    /// An account, before and after the change: `None` if it did not exist.
    Profile(Box<[Option<Profile>; 2]>),
    /// The account with this id was deleted at this time, and its entries must be erased.
    Erasure(u64, Timestamp),
    /// Somebody has signed in.
    Session(Box<StoredSession>),
    /// A login of the address in the partition key was refused at this time.
    Refused(Timestamp),
    /// Something else.
    Other,
}

impl Changed {
    /// Reads the images of the item with this sort key.
    pub fn read(sk: &str, before: Option<Item>, after: Option<Item>) -> Result<Self, Fault> {
        let profile = |image: Option<Item>| image.map(profile::read).transpose();
        match sk {
            PROFILE => Ok(Self::Profile(Box::new([profile(before)?, profile(after)?]))),
            // An erasure is reported when it is written, and when TTL has deleted it.
            ERASURE => {
                let erasure: Erasure = table::read(after.or(before).ok_or_else(broken)?)?;
                Ok(erasure.of_account()?.map_or(Self::Other, |(id, at)| Self::Erasure(id, at)))
            }
            _ if sk.starts_with(session::PREFIX) => Ok(match (before, after) {
                // A session that replaces another one has no method.
                (None, Some(session)) => StoredSession::read(&session.into())
                    .filter(|session| session.method.is_some() && !session.is_broken)
                    .map_or(Self::Other, |session| Self::Session(Box::new(session))),
                _ => Self::Other,
            }),
            _ if failures::is_at(sk) => {
                let Some(after) = after else { return Ok(Self::Other) };
                let failures: Failures = table::read(after)?;
                // Each attempt is counted before it is judged, and the right password removes the count. So only an attempt
                // that another one follows was refused for certain.
                Ok(failures
                    .times
                    .iter()
                    .nth_back(1)
                    .map_or(Self::Other, |time| Self::Refused(Timestamp::from_milliseconds(*time))))
            }
            _ => Ok(Self::Other),
        }
    }
}

/// Remembers the records whose letters were sent, because the stream may deliver a record again.
#[derive(Clone)]
pub struct Deliveries(Table);

impl Deliveries {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self(Table::accounts(setup))
    }

    /// Whether the letter of a record was sent.
    pub async fn contains(&self, event_id: &str) -> Result<bool, Fault> {
        Ok(self.0.item(delivery::key_of(event_id)).await?.is_some())
    }

    /// Remembers that the letter of a record was sent.
    /// If it fails, the letter may be sent again.
    pub async fn add(&self, event_id: &str) -> Result<(), Fault> {
        // If the guard fails, another delivery of the record has also sent the letter.
        self.0.write(delivery::insert(event_id, self.0.now())).await.map(|_| ())
    }
}

/// Requests the erasure of the entries of deleted accounts.
///
/// The index of entries by account may lag behind the table, so one erasure may miss the newest entries of an account.
/// There are therefore two: the stream reports the item of an erasure when it is written, and again when TTL deletes
/// it, at least an hour later. By then, an import may have created an account with the same id. The item therefore has
/// the time of the deletion, and later entries stay.
#[derive(Clone)]
pub struct Erasures(Table);

impl Erasures {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self(Table::accounts(setup))
    }

    /// Requests the two erasures of the entries of a deleted account. It is idempotent. Returns whether the undo of an
    /// import deleted the account.
    pub async fn request(&self, deleted: &Deleted<'_>) -> Result<bool, Fault> {
        let request = erasure::request(deleted, self.0.now());
        // If the guard fails, the erasures were requested before.
        let item = match self.0.write_returning(request, ReturnValue::AllNew).await? {
            Ok(item) => item,
            Err(refused) => refused.item.unwrap_or_default(),
        };
        let erasure: Erasure = table::read(item)?;
        Ok(deleted.run.is_some_and(|run| erasure.undone.contains(run)))
    }
}
