//! The export of everything in the partition of an account, except hashes and nonces, for its owner.

use super::activities::Activities;
use super::items::activity::Activity;
use super::items::passkey::StoredPasskey;
use super::items::profile::{self, Profile};
use super::items::session::{Session, StoredSession};
use super::partition::Partition;
use super::table::{Table, Update, n};
use crate::{Account, Fault, Setup};

/// The maximum number of items of what has happened: about 200 KB. Each stands for an hour.
const ACTIVITY_MAX: i32 = 1000;

/// What the accounts table holds of a person.
pub struct Held {
    /// The profile.
    pub profile: Profile,
    /// The sessions, live or not, in the order of their logins.
    pub sessions: Vec<StoredSession>,
    /// The passkeys, in the order in which they were created.
    pub passkeys: Vec<StoredPasskey>,
    /// The times of the failed logins that are stored, in milliseconds since 1970.
    pub failed_logins: Vec<u64>,
    /// What has happened in the last 90 days, the latest first.
    pub activity: Vec<Activity>,
}

/// Reads what is stored of a person in the accounts table.
#[derive(Clone)]
pub struct Exports {
    table: Table,
    activities: Activities,
}

impl Exports {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), activities: Activities::new(setup) }
    }

    /// Notes that the account was exported, so that its owner is told. Returns when, in milliseconds since 1970, or `None` if
    /// the account was deleted, or all its sessions were ended, since it was read.
    pub async fn note(&self, account: &Account) -> Result<Option<u64>, Fault> {
        let now = self.table.now().milliseconds();
        let update = Update::new().set("exported_at", n(now));
        Ok(self.table.write(profile::update(account, update)).await?.is_ok().then_some(now))
    }

    /// Everything in the partition of the caller's account. Returns `None` if the account was deleted after the session
    /// was checked.
    pub async fn held(&self, session: &Session) -> Result<Option<Held>, Fault> {
        let id = session.account.id;
        let partition = Partition::whole(&self.table, &session.account.key).await?;
        let Some(partition) = partition.filter(|partition| partition.account().id == id) else { return Ok(None) };
        // A row of an earlier account of the same address is not the caller's.
        let mut sessions: Vec<_> = partition.sessions().filter(|session| session.account_id == id).collect();
        sessions.sort_by_key(|session| session.created_at);
        let mut passkeys = partition.passkeys().collect::<Result<Vec<_>, _>>()?;
        passkeys.sort_by_key(|passkey| passkey.created_at);
        let mut failed_logins = Vec::new();
        // They are under the key of the address.
        for failures in partition.failures_of_address(&self.table).await? {
            failed_logins.extend(failures?.times);
        }
        let activity = self.activities.latest(id, ACTIVITY_MAX).await?;
        Ok(Some(Held { sessions, passkeys, failed_logins, activity, profile: partition.profile }))
    }
}
