//! The mails to an address: `mails#<hash of the address>` / `notices`, and beside it the counts of its reset links and of
//! its verification links. They outlive the account, so that deleting it frees no budget.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::failures::Bucket;
use crate::account::AccountKey;
use crate::store::table::{self, Guard, Key, Write, key, s};
use crate::system::clock::Timestamp;
use crate::{Email, Fault};

/// The prefix of the partition keys.
pub(in crate::store) const PREFIX: &str = "mails#";
const NOTICES: &str = "notices";
/// A day, in seconds.
pub(in crate::store) const DAY: u64 = 24 * 60 * 60;
/// The shortest time between two joined notices: an hour, in seconds.
const JOINED_SECONDS: u64 = 60 * 60;
/// How long the kinds of notices are remembered that an unproved address has got: thirty days, in seconds.
const LIFETIME_SECONDS: u64 = 30 * DAY;

/// What is sent of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailShare {
    /// The notice.
    Own,
    /// One mail in place of all notices of these kinds, of which this is the last.
    Joined(BTreeSet<String>),
    /// Nothing. The next joined notice has its kind.
    #[default]
    Nothing,
}

/// The notices to an address. Times are in seconds since 1970.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::store) struct Mails {
    /// When the last notices were sent.
    times: Vec<u64>,
    /// The kinds of the notices that were to be sent.
    kinds: BTreeSet<String>,
    /// The kinds of those that the next joined notice will have.
    held: BTreeSet<String>,
    joined_at: u64,
    /// The last event, and what was sent of its notice, so that a repeat has the same answer.
    event: String,
    share: MailShare,
    nonce: String,
}

#[derive(Serialize)]
struct Row<'a> {
    pk: String,
    sk: &'a str,
    expires_at: u64,
    #[serde(flatten)]
    mails: &'a Mails,
}

impl Mails {
    /// Counts a notice of this kind about an event, of which `limit` may be sent in 24 hours, and one of each kind to an
    /// address that nobody has proved.
    pub(in crate::store) fn count(&mut self, kind: &str, event: &str, is_proved: bool, limit: u64, now: Timestamp) {
        if self.event == event {
            return;
        }
        let now = now.seconds();
        self.times.retain(|time| now < time.saturating_add(DAY));
        let is_known = !self.kinds.insert(kind.to_owned());
        let is_spent = u64::try_from(self.times.len()).is_ok_and(|sent| sent >= limit);
        event.clone_into(&mut self.event);
        self.share = if is_known && !is_proved {
            MailShare::Nothing
        } else if !is_spent {
            self.times.push(now);
            MailShare::Own
        } else {
            self.held.insert(kind.to_owned());
            if now < self.joined_at.saturating_add(JOINED_SECONDS) {
                MailShare::Nothing
            } else {
                self.joined_at = now;
                MailShare::Joined(std::mem::take(&mut self.held))
            }
        };
    }

    /// What is sent of the notice that was counted last.
    pub(in crate::store) fn share(&self) -> MailShare {
        self.share.clone()
    }

    /// The guard that the item is still the one that was read.
    pub(in crate::store) fn is_unchanged(&self) -> Guard {
        Guard::still("nonce", Some(&self.nonce).filter(|nonce| !nonce.is_empty()).map(|nonce| s(nonce)))
    }

    /// Puts the counts.
    pub(in crate::store) fn put(&self, email: &Email, now: Timestamp) -> Result<Write, Fault> {
        let expires_at = now.seconds() + LIFETIME_SECONDS;
        Ok(Write::put(table::item(&Row { pk: partition_of(email), sk: NOTICES, expires_at, mails: self })?))
    }
}

fn partition_of(email: &Email) -> String {
    format!("{PREFIX}{}", AccountKey::of(email).as_str())
}

/// The key of the notices to an address.
pub(in crate::store) fn key_of(email: &Email) -> Key {
    key(&partition_of(email), NOTICES)
}

/// The links of one kind that were mailed to an address.
pub(in crate::store) fn links(email: &Email, kind: &str) -> Bucket {
    Bucket::named(partition_of(email), kind)
}
