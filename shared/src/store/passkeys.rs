//! Passkeys: listing, creating and removing them, and logging in with them.
//!
//! A passkey has two items. Its row is in the partition of its account, and a pointer under the hash of its
//! credential's id names the account. The profile has the set of the ids of all passkeys of the account. One guard
//! on this set limits their number, and a deletion of the account reads it, so that no passkey is left behind.

use aws_sdk_dynamodb::types::AttributeValue;

use super::browsers::Browser;
use super::items::challenge::{self, Purpose};
use super::items::passkey::{self, Backup, NewPasskey, PREFIX, StoredPasskey};
use super::items::profile;
use super::items::session::{self, Session};
use super::opening::{Opened, Opening, Removed, refused_by_profile, removed};
use super::partition::Partition;
use super::table::{Guard, Start, Table, Update, n, s};
use crate::account::Account;
use crate::log::audit::Method;
use crate::{BrowserName, Fault, FullName, Setup, Token};

/// The maximum number of passkeys of an account.
pub const PASSKEYS_MAX: usize = 20;
/// The maximum number of items of one query of passkeys: the 20 of an account and one more.
const PAGE: i32 = 21;

/// The passkeys in the accounts table.
#[derive(Clone)]
pub struct Passkeys {
    table: Table,
    opening: Opening,
}

/// The outcome of creating a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It is stored.
    Stored,
    /// The account has as many passkeys as it may have.
    TooMany,
    /// The challenge was used before, the credential is registered already, or the account has another user handle by
    /// now.
    Refused,
    /// The caller's session has ended, or the account was deleted.
    NoSession,
}

/// What an answer to a challenge of a login refers to.
pub enum Answered {
    /// A challenge that is open, and a passkey of an account.
    By(Box<Candidate>),
    /// The challenge was not issued for a login, was used or has expired, or the account has just lost the passkey.
    Refused,
    /// No account has the credential.
    Unknown,
}

/// The stored data that an answer to a challenge refers to. The answer's signature is not verified yet.
pub struct Candidate {
    /// The account that the credential belongs to, with its sessions.
    pub partition: Partition,
    /// The passkey.
    pub passkey: StoredPasskey,
    /// The state that the challenge was issued with.
    pub state: Vec<u8>,
}

impl Passkeys {
    /// Reads `ACCOUNTS_TABLE` and the settings of sessions.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), opening: Opening::new(setup) }
    }

    /// The passkeys of an account, in the order in which they were created.
    pub async fn list(&self, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
        list(&self.table, account).await
    }

    /// The user handle of an account. It stays the same from the first options on, so that a second attempt replaces what the
    /// first one has left on a device. An account without one gets `new`. Returns `None` if the account was deleted or
    /// disabled, or its sessions were ended, after it was read.
    pub async fn user_handle(&self, account: &Account, new: String) -> Result<Option<String>, Fault> {
        if account.passkey_user.is_some() {
            return Ok(account.passkey_user.clone());
        }
        let update = Update::new().set("passkey_user", s(&new));
        let add = profile::update(account, update).when(profile::is_enabled()).when(Guard::Without("passkey_user"));
        match self.table.write(add).await? {
            Ok(()) => Ok(Some(new)),
            // Another call has just stored one.
            Err(refused) => Ok(refused_by_profile(refused, account, |found| found.passkey_user.clone())?.flatten()),
        }
    }

    /// Stores a new passkey of the caller's account, and consumes its challenge.
    pub async fn create(
        &self,
        session: &Session,
        challenge: &str,
        new: &NewPasskey,
        name: &FullName,
        user_agent: Option<&str>,
    ) -> Result<Created, Fault> {
        let (account, now) = (&session.account, self.table.now());
        let most = u64::try_from(PASSKEYS_MAX).unwrap_or(u64::MAX);
        let update = Update::new()
            .set("passkey_user", s(&new.user_handle))
            .set("credentials_changed_by", s(BrowserName::of(user_agent).as_str()))
            .add("passkeys", AttributeValue::Ss(vec![new.id()]));
        let add = profile::update(account, update)
            .when(profile::is_enabled())
            .when(Guard::Any(vec![Guard::Without("passkey_user"), Guard::Equals("passkey_user", s(&new.user_handle))]))
            .when(Guard::Any(vec![Guard::Without("passkeys"), Guard::Fewer("passkeys", n(most))]));
        let mut writes = vec![add, session::check_exists(&session.token), challenge::consume(challenge, now)];
        writes.extend(new.insert(account, name, now)?);
        let Err(refused) = self.table.transact(writes).await? else { return Ok(Created::Stored) };
        match refused.index {
            0 => refused_by_profile(refused, account, |found| {
                if found.passkeys.len() >= PASSKEYS_MAX { Created::TooMany } else { Created::Refused }
            })
            .map(|outcome| outcome.unwrap_or(Created::NoSession)),
            1 => Ok(Created::NoSession),
            _ => Ok(Created::Refused),
        }
    }

    /// Removes a passkey of the caller's account, because somebody else may have its private key. All sessions end, also
    /// those that it opened, and the caller gets a new one.
    pub async fn remove(&self, session: &Session, id: &str, user_agent: Option<&str>) -> Result<Removed<Token>, Fault> {
        let account = &session.account;
        if !account.passkeys.contains(id) {
            return Ok(Removed::Unknown);
        }
        let change = (without(id, user_agent), Some(Guard::Contains("passkeys", s(id))));
        let replaced = self.opening.replace(session, user_agent, change, passkey::delete(account, id)).await?;
        removed(replaced, account, 2, foreign_credential)
    }

    /// The stored challenge and credential of an answer, read together, and then the account.
    pub async fn candidate(&self, challenge: &str, credential: &[u8]) -> Result<Answered, Fault> {
        let id = passkey::id_of(credential);
        let keys = [challenge::key_of(challenge), passkey::pointer_key(&id)];
        let [challenge, pointer] = self.table.pair(keys).await?;
        let Some(pointer) = pointer else { return Ok(Answered::Unknown) };
        let Some(challenge) = challenge else { return Ok(Answered::Refused) };
        let state = challenge::state(challenge, Purpose::Login, self.table.now())?;
        let Some(state) = state else { return Ok(Answered::Refused) };
        let account = passkey::account_of(pointer)?;
        let partition = Partition::of_passkey_login(&self.table, &account).await?;
        let Some(partition) = partition else { return Ok(Answered::Refused) };
        let passkey = partition.passkey(&id)?;
        Ok(passkey.map_or(Answered::Refused, |passkey| Answered::By(Box::new(Candidate { partition, passkey, state }))))
    }

    /// The state of a challenge of a login, and the caller's passkey that has answered it. Returns `None` where
    /// [`Passkeys::candidate`] finds nothing, and if the passkey is not the caller's.
    pub async fn own(
        &self,
        account: &Account,
        challenge: &str,
        credential: &[u8],
    ) -> Result<Option<(Vec<u8>, StoredPasskey)>, Fault> {
        let id = passkey::id_of(credential);
        if !account.passkeys.contains(&id) {
            return Ok(None);
        }
        let keys = [challenge::key_of(challenge), passkey::key_of(account, &id)];
        let [Some(challenge), Some(row)] = self.table.pair(keys).await? else { return Ok(None) };
        let state = challenge::state(challenge, Purpose::Login, self.table.now())?;
        Ok(state.zip(StoredPasskey::read(row, account)?))
    }

    /// Consumes the challenge, stores the counter of the signature, and notes that the owner of the session has just
    /// proved who they are. Returns false where [`Passkeys::open`] returns `None`, and if the session has ended.
    pub async fn prove(
        &self,
        session: &Session,
        challenge: &str,
        passkey: &StoredPasskey,
        counter_and_backup: (u32, Backup),
    ) -> Result<bool, Fault> {
        let now = self.table.now();
        let sign = passkey.sign(&session.account, counter_and_backup, now)?;
        let writes = vec![challenge::consume(challenge, now), sign, session::prove(session, now)];
        Ok(self.table.transact(writes).await?.is_ok())
    }

    /// Consumes the challenge, opens a session, and stores the counter of the signature. Returns `None` if the challenge
    /// was used or has expired, if the passkey changed after it was read, or where [`Opening::open`] does.
    pub async fn open(
        &self,
        challenge: &str,
        candidate: &Candidate,
        counter_and_backup: (u32, Backup),
        browser: Browser<'_>,
    ) -> Result<Option<Opened>, Fault> {
        let Candidate { partition, passkey, .. } = candidate;
        let now = self.table.now();
        let consume = challenge::consume(challenge, now);
        let sign = passkey.sign(partition.account(), counter_and_backup, now)?;
        self.opening.open_with(vec![consume, sign], partition, browser, Method::Passkey).await
    }
}

/// The passkeys of an account, in the order in which they were created.
pub(in crate::store) async fn list(table: &Table, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
    let page = table.page(account.key.as_str(), Start::At(PREFIX), PAGE).await?;
    // Rows that cannot be read, or that the profile does not name, are not passkeys.
    let rows = page.items.into_iter().filter_map(|item| StoredPasskey::read(item, account).ok().flatten());
    let mut listed: Vec<_> = rows.filter(|passkey| account.passkeys.contains(&passkey.id)).collect();
    listed.sort_by_key(|passkey| passkey.created_at);
    Ok(listed)
}

/// Removes a passkey for an operator, and ends all sessions.
#[cfg(feature = "operator")]
pub(in crate::store) async fn remove(table: &Table, account: &Account, id: &str) -> Result<Removed<()>, Fault> {
    if !account.passkeys.contains(id) {
        return Ok(Removed::Unknown);
    }
    let update = without(id, None).increase("generation", 1);
    let mut writes = vec![profile::update(account, update).when(Guard::Contains("passkeys", s(id)))];
    writes.extend(passkey::delete(account, id));
    removed(table.transact(writes).await?, account, 0, foreign_credential)
}

fn without(id: &str, user_agent: Option<&str>) -> Update {
    Update::new()
        .set("credentials_changed_by", s(BrowserName::of(user_agent).as_str()))
        .delete("passkeys", AttributeValue::Ss(vec![id.to_owned()]))
}

fn foreign_credential() -> Fault {
    Fault::new("table.passkey", "credential of another account")
}
