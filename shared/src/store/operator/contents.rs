//! The profile, the failed logins and the sessions of an account.

use super::Operator;
use crate::Fault;
use crate::account::AccountKey;
use crate::store::items::profile::Profile;
use crate::store::items::session::StoredSession;
use crate::store::partition::Partition;

/// The items of an account, without its passkeys.
pub struct Contents {
    /// The profile.
    pub profile: Profile,
    /// The failed logins of all browsers. They are counted only if failed logins are limited.
    pub failures: FailedLogins,
    /// The sessions, live or not, in the order of their sort keys.
    pub sessions: Vec<StoredSession>,
}

/// Failed logins.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FailedLogins {
    /// How many are stored. Some may be older than the window.
    pub count: usize,
    /// The time of the last one, in seconds since 1970.
    pub last: Option<u64>,
}

impl Operator {
    /// Reads the profile, the failed logins and the sessions of an account. Returns `None` if there is no account.
    pub async fn contents(&self, key: &AccountKey) -> Result<Option<Contents>, Fault> {
        let Some(partition) = Partition::whole(&self.table, key).await? else { return Ok(None) };
        let mut failures = FailedLogins::default();
        // Failed logins that cannot be read do not hide the account. `accounts doctor --data` names them.
        for times in partition.failures().filter_map(Result::ok).map(|failures| failures.times) {
            failures.count += times.len();
            failures.last = failures.last.max(times.into_iter().max().map(|milliseconds| milliseconds / 1000));
        }
        Ok(Some(Contents { failures, sessions: partition.sessions().collect(), profile: partition.profile }))
    }
}

impl Contents {
    /// Whether the account is unchanged since its import and has no trace of a login. Once the session is deleted, a
    /// login leaves a trace only if its browser became known or it changed something.
    pub fn is_unused(&self) -> Result<bool, Fault> {
        let account = &self.profile.account;
        let is_without_traces = account.browsers.is_empty()
            && account.browsers_since.is_none()
            && account.passkey_user.is_none()
            && account.credentials_changed_by.is_none()
            && self.profile.verify_expires_at.is_none()
            && self.sessions.is_empty();
        Ok(is_without_traces && self.profile.is_untouched()?)
    }
}
