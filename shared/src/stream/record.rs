//! The records of the stream, as Lambda delivers them.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Fault;
use crate::account::Account;
use crate::store::{Changed, Happened, Profile};
use crate::system::clock::Timestamp;

/// A record of the stream. If the record cannot be read, its members are empty. [`Record::read`] does not parse the images,
/// so that the id and the key of a record with a broken image are known. [`Record::report`] parses them.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Record<'a> {
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
pub(super) enum Report {
    /// A change of an account.
    Change(Box<Change>),
    /// The entries of a deleted account must be erased.
    Erasure {
        /// The id of the account.
        account_id: u64,
        /// When it was deleted. An import may have created it again since.
        deleted_at: Timestamp,
    },
    /// A login.
    Login(Login),
    /// A change that no listener handles.
    Nothing,
}

/// A login of an account.
pub enum Login {
    /// Somebody has signed in to the account with this id.
    Succeeded {
        /// The id of the account.
        account_id: u64,
        /// What to store of it.
        happened: Happened,
    },
    /// Nobody has. Only those are known that are counted (`LOGIN_MAX_FAILURES`) and that another attempt follows.
    Refused {
        /// The key of the address, which may have no account.
        address: String,
        /// When.
        at: Timestamp,
    },
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
    pub(super) fn read(text: &'a str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The partition key of the item that changed.
    pub(super) fn partition_key(&self) -> &str {
        &self.dynamodb.keys.pk.text
    }

    /// The sequence number of the record in its shard.
    pub(super) fn sequence_number(&self) -> &str {
        &self.dynamodb.sequence_number
    }

    /// What the record reports.
    ///
    /// # Errors
    /// The record or an account in it cannot be read.
    pub(super) fn report(&self) -> Result<Report, Fault> {
        let Parts { keys, old_image, new_image, approximate_creation_date_time: at, .. } = &self.dynamodb;
        if self.event_id.is_empty() || keys.sk.text.is_empty() {
            return Err(broken());
        }
        let image = |value: Option<&RawValue>| value.map(read).transpose();
        Ok(match Changed::read(&keys.sk.text, image(*old_image)?, image(*new_image)?)? {
            Changed::Profile(images) => {
                let [before, after] = *images;
                let at: f64 = read(at.ok_or_else(broken)?)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a cast of a float saturates"
                )]
                let seconds = at as u64;
                Report::Change(Box::new(Change {
                    event_id: self.event_id.clone(),
                    at: Timestamp::from_seconds(seconds),
                    is_import: is_import(before.as_ref(), after.as_ref()),
                    run: before.as_ref().and_then(|before| Some(before.imported.as_ref()?.run.clone())),
                    before: before.map(|before| before.account),
                    after: after.map(|after| after.account),
                }))
            }
            Changed::Erasure(account_id, deleted_at) => Report::Erasure { account_id, deleted_at },
            Changed::Session(session) => Report::Login(Login::Succeeded {
                account_id: session.account_id,
                happened: Happened {
                    at: Timestamp::from_seconds(session.created_at),
                    kind: "login",
                    method: session.method,
                    browser: session.browser,
                },
            }),
            Changed::Refused(at) => Report::Login(Login::Refused { address: keys.pk.text.clone(), at }),
            Changed::Other => Report::Nothing,
        })
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

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, Fault> {
    serde_json::from_str(value.get()).map_err(|_| broken())
}

fn broken() -> Fault {
    Fault::new("stream.record", "broken")
}
