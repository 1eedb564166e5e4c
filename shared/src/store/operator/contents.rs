//! The profile, the failed logins and the sessions of an account.

use super::{Operator, Profile, number};
use crate::Fault;
use crate::account::{Account, AccountKey};
use crate::store::account::profile::PROFILE;
use crate::store::login::attempts::is_count;
use crate::store::sessions::{PARTITION_PAGE, PREFIX, session_id};
use crate::store::table::{Item, Start};
use crate::system::clock::Timestamp;

/// The items of an account, without its passkeys.
pub struct Contents {
    /// The profile.
    pub profile: Profile,
    /// When the pending reset token expires, in seconds since 1970. It may be in the past.
    pub reset_expires_at: Option<u64>,
    /// When the pending verification token expires. It may be in the past.
    pub verify_expires_at: Option<u64>,
    /// The failed logins of all browsers. They are counted only if failed logins are limited.
    pub failures: Failures,
    /// The sessions, live or not, in the order of their sort keys.
    pub sessions: Vec<StoredSession>,
}

/// Failed logins.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Failures {
    /// How many are stored. Some may be older than the window.
    pub count: usize,
    /// The time of the last one, in seconds since 1970.
    pub last: Option<u64>,
}

/// A session. A missing or broken number is 0, so that broken rows can be listed and ended too.
pub struct StoredSession {
    /// The sort key, which contains the hash of the session's secret.
    pub sort_key: String,
    /// The id of its account.
    pub account_id: u64,
    /// The generation of the account when the session was opened.
    pub generation: u64,
    /// When its owner signed in. This and the times below are in seconds since 1970.
    pub created_at: u64,
    /// The last use, with a precision of ten minutes.
    pub last_seen: u64,
    /// When it expires, unless it is used again.
    pub expires_at: u64,
    /// The name of its browser, if it is stored.
    pub browser: Option<String>,
}

impl StoredSession {
    /// The session in an item; `None` if the item is something else.
    #[must_use]
    pub fn read(item: &Item) -> Option<Self> {
        let sort_key = super::text(item, "sk").filter(|sk| sk.starts_with(PREFIX))?;
        let number = |name: &str| number(item, name).unwrap_or_default();
        Some(Self {
            sort_key: sort_key.to_owned(),
            account_id: number("id"),
            generation: number("generation"),
            created_at: number("created_at"),
            last_seen: number("last_seen"),
            expires_at: number("expires_at"),
            browser: super::text(item, "browser").map(str::to_owned),
        })
    }

    /// Its id, which is not a secret.
    #[must_use]
    pub fn id(&self) -> &str {
        session_id(self.sort_key.strip_prefix(PREFIX).unwrap_or_default())
    }

    /// Whether the session is live: its account id and generation are the account's, the account is not disabled, and
    /// the session has not expired.
    #[must_use]
    pub fn is_live(&self, account: &Account, now: Timestamp) -> bool {
        let is_of = self.account_id == account.id && self.generation == account.generation;
        is_of && !account.is_disabled() && now.seconds() < self.expires_at
    }
}

impl Operator {
    /// Reads the profile, the failed logins and the sessions of an account. Returns `None` if there is no account.
    ///
    /// # Errors
    /// The table failed, or the profile is broken.
    pub async fn contents(&self, key: &AccountKey) -> Result<Option<Contents>, Fault> {
        let (mut profile, mut reset_expires_at, mut verify_expires_at) = (None, None, None);
        let (mut failures, mut sessions) = (Failures::default(), Vec::new());
        let mut start = Some(Start::First);
        while let Some(from) = start.take() {
            let page = self.table.page(key.as_str(), from, PARTITION_PAGE).await?;
            for item in page.items {
                match super::text(&item, "sk") {
                    Some(PROFILE) => {
                        reset_expires_at = number(&item, "reset_expires_at");
                        verify_expires_at = number(&item, "verify_expires_at");
                        profile = Some(Profile::read(item)?);
                    }
                    Some(sk) if is_count(sk) => failures.add(&item),
                    _ => sessions.extend(StoredSession::read(&item)),
                }
            }
            start = page.last.map(Start::After);
        }
        Ok(profile.map(|profile| Contents { profile, reset_expires_at, verify_expires_at, failures, sessions }))
    }
}

impl Contents {
    /// Whether the account is unchanged since its import and has no trace of a login. Once the session is deleted, a
    /// login leaves a trace only if its browser became known or it changed something.
    ///
    /// # Errors
    /// The account cannot be written as JSON.
    pub fn is_unused(&self) -> Result<bool, Fault> {
        let account = &self.profile.account;
        let is_without_traces = account.browsers.is_empty()
            && account.browsers_since.is_none()
            && account.passkey_user.is_none()
            && account.credentials_changed_by.is_none()
            && self.verify_expires_at.is_none()
            && self.sessions.is_empty();
        Ok(is_without_traces && self.profile.is_untouched()?)
    }
}

impl Failures {
    /// Adds the failed logins in an item.
    fn add(&mut self, item: &Item) {
        let times = item.get("times").and_then(|times| times.as_l().ok()).map(Vec::as_slice).unwrap_or_default();
        // In milliseconds.
        let last = times.iter().filter_map(|time| time.as_n().ok()?.parse::<u64>().ok()).max();
        self.count += times.len();
        self.last = self.last.max(last.map(|time| time / 1000));
    }
}
