//! A deleted account whose entries are being erased: `erasure#<id>` / `erasure`. It contains no data of the account
//! except its id, the time of its deletion and the runs of its undone imports.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::Fault;
use crate::store::table::{Guard, Key, Update, Write, broken, key, n};
use crate::system::clock::Timestamp;

pub(in crate::store) const PREFIX: &str = "erasure#";
/// The sort key. The filter of the stream in `template.yaml` also contains it.
pub(in crate::store) const ERASURE: &str = "erasure";
/// The shortest time between the two erasures: an hour, in seconds. The index usually lags by less than a second.
const PAUSE_SECONDS: u64 = 60 * 60;
/// The shortest time between the two erasures of an account that an import had created: two days, in seconds. Its item
/// may record that an undo deleted the account. It must then outlive the record of the deletion, which the stream keeps
/// for one day.
const IMPORTED_SECONDS: u64 = 2 * 24 * 60 * 60;

/// A deleted account.
pub struct Deleted<'a> {
    /// The id that it had. No other account has it, unless an import creates the account again.
    pub id: u64,
    /// When it was deleted.
    pub at: Timestamp,
    /// The run of the import that created it, if any.
    pub run: Option<&'a str>,
}

/// An erasure.
#[derive(Deserialize)]
pub(in crate::store) struct Erasure {
    pk: String,
    /// The last deletion of an account with this id, in seconds since 1970. An undo does not set it. The function `notices`
    /// sets it to the time in the stream, which is of the table's clock.
    #[serde(default)]
    deleted_at: Option<u64>,
    /// The runs of imports whose undo has deleted the account.
    #[serde(default, with = "serde_dynamo::string_set")]
    pub(in crate::store) undone: BTreeSet<String>,
    expires_at: u64,
}

impl Erasure {
    /// The id of the account, and the time of its deletion. Returns `None` if only an undo has written the item, and
    /// the stream has not reported the deletion yet.
    pub(in crate::store) fn of_account(&self) -> Result<Option<(u64, Timestamp)>, Fault> {
        let id = self.pk.strip_prefix(PREFIX).and_then(|id| id.parse().ok()).ok_or_else(broken)?;
        // Older items lack the time. They were written soon after the deletion.
        let old = || self.undone.is_empty().then(|| self.expires_at.saturating_sub(PAUSE_SECONDS));
        Ok(self.deleted_at.or_else(old).map(|at| (id, Timestamp::from_seconds(at))))
    }
}

/// Records a deletion, unless a later one is recorded.
pub(in crate::store) fn request(deleted: &Deleted<'_>, now: Timestamp) -> Write {
    let pause = if deleted.run.is_some() { IMPORTED_SECONDS } else { PAUSE_SECONDS };
    let at = deleted.at.seconds();
    let update = Update::new().set("deleted_at", n(at)).set("expires_at", n(now.seconds().saturating_add(pause)));
    let is_latest = Guard::Any(vec![Guard::Without("deleted_at"), Guard::Below("deleted_at", n(at))]);
    Write::update(key_of(deleted.id), update).when(is_latest)
}

/// Records that the undo of a run deletes an account. It belongs in the transaction of the deletion.
#[cfg(feature = "operator")]
pub(in crate::store) fn undo(account_id: u64, run: &str, now: Timestamp) -> Write {
    use aws_sdk_dynamodb::types::AttributeValue;
    let update = Update::new()
        .set("expires_at", n(now.seconds().saturating_add(IMPORTED_SECONDS)))
        .add("undone", AttributeValue::Ss(vec![run.to_owned()]));
    Write::update(key_of(account_id), update)
}

fn key_of(account_id: u64) -> Key {
    key(&format!("{PREFIX}{account_id}"), ERASURE)
}
