//! Sessions: checking, listing and ending them. [`Opening`](super::Opening) opens them.
//!
//! An operator ends all sessions by one item. A process reads it with a session and its profile, in the same call, if what
//! it knows is a minute old. So it costs no call, no key is read more than once a minute by a process, and the end takes
//! effect everywhere within a minute.

use aws_sdk_dynamodb::types::ReturnValue;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

use super::items::failures::Bucket;
use super::items::not_before::{self, NotBefore};
use super::items::session::{self, Lifetimes, PREFIX, Session, StoredSession};
use super::items::{last_ended_by, profile};
use super::partition::PAGE_MAX;
use super::table::{Item, Start, Table, number};
use crate::account::Account;
use crate::system::clock::Timestamp;
use crate::{Fault, Setup, Token};

/// How long a process may go on with the end of all sessions that it knows: a minute, in seconds.
const KNOWN_SECONDS: u64 = 60;

/// The sessions in the accounts table.
#[derive(Clone)]
pub struct Sessions {
    table: Table,
    lifetimes: Lifetimes,
    known: Arc<Mutex<Option<Known>>>,
}

/// The end of all sessions that a process knows.
#[derive(Clone, Copy)]
struct Known {
    not_before: NotBefore,
    since: Timestamp,
}

impl Known {
    /// Whether it is young enough. It is not if the clock was set back.
    fn is_usable(&self, now: Timestamp) -> bool {
        (self.since..).contains(&now) && now.seconds() < self.since.seconds().saturating_add(KNOWN_SECONDS)
    }
}

impl Sessions {
    /// Reads `ACCOUNTS_TABLE`, `SESSION_ABSOLUTE_SECONDS` and `SESSION_IDLE_SECONDS`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), lifetimes: Lifetimes::new(setup), known: Arc::default() }
    }

    /// The session of a token, if it is live. Its last use is updated if the stored one is more than ten minutes old.
    /// It fails also if the end of all sessions is broken.
    pub async fn live(&self, token: &Token) -> Result<Option<Session>, Fault> {
        let (profile, session, not_before) = self.read(token).await?;
        let (Some(profile), Some(session)) = (profile, session) else { return Ok(None) };
        let (account, session, now) = (profile::account(profile)?, StoredSession::whole(&session)?, self.table.now());
        if !session.is_live(&account, not_before, self.lifetimes, now) {
            return Ok(None);
        }
        if let Some(touch) = session.touch(&account.key, self.lifetimes, now)
            && self.table.write(touch).await?.is_err()
        {
            // The session has ended since it was read.
            return Ok(None);
        }
        let [signed_in, proved_at] = [session.created_at, session.proved_at].map(Timestamp::from_seconds);
        Ok(Some(Session { account, token: token.clone(), signed_in, proved_at, not_before }))
    }

    /// Reads the profile and the session of a token, and the end of all sessions if what is known of it is too old.
    async fn read(&self, token: &Token) -> Result<(Option<Item>, Option<Item>, NotBefore), Fault> {
        let now = self.table.now();
        let known = self.known(now);
        let mut keys = vec![profile::key_of(token.account()), session::key_of(token)];
        keys.extend(known.is_none().then(not_before::key_of));
        let mut found = self.table.items(keys).await?.into_iter();
        let mut next = || found.next().flatten();
        let (profile, session) = (next(), next());
        let not_before = match known {
            Some(known) => known,
            None => self.learn(next().as_ref(), now)?,
        };
        Ok((profile, session, not_before))
    }

    /// The end of all sessions, if what is known of it is young enough.
    fn known(&self, now: Timestamp) -> Option<NotBefore> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.filter(|known| known.is_usable(now)).map(|known| known.not_before)
    }

    /// Reads and remembers the end of all sessions, whose item was read at this time.
    fn learn(&self, item: Option<&Item>, since: Timestamp) -> Result<NotBefore, Fault> {
        let not_before = NotBefore::read(item)?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(Known { not_before, since });
        Ok(not_before)
    }

    /// Notes that the owner of a session has just proved who they are, and removes the counted attempts of `bucket`.
    /// Returns false if the session has ended.
    pub async fn prove(&self, session: &Session, bucket: Option<&Bucket>) -> Result<bool, Fault> {
        let prove = session::prove(session, self.table.now());
        let Some(bucket) = bucket else { return Ok(self.table.write(prove).await?.is_ok()) };
        Ok(self.table.transact(vec![prove, bucket.delete()]).await?.is_ok())
    }

    /// Ends a session, live or not. Returns the id of its account, or `None` if there was no such session. It also
    /// returns `None` if the answer to the first attempt was lost.
    /// If it fails, the session may still be live.
    pub async fn end_session(&self, token: &Token) -> Result<Option<u64>, Fault> {
        let ended = self.table.write_returning(session::delete(token), ReturnValue::AllOld).await?;
        // Only the id is read, so that broken rows can be ended too.
        Ok(ended.ok().and_then(|row| number(&row, "id")))
    }

    /// The live sessions of the caller's account, the most recently used first. Times are whole seconds: of two
    /// sessions with the same time, the caller's comes first.
    pub async fn list(&self, session: &Session) -> Result<Vec<StoredSession>, Fault> {
        let mut live = self.live_of(&session.account, session.not_before).await?;
        live.sort_by_key(|stored| Reverse((stored.last_seen, stored.created_at, stored.is_of(&session.token))));
        Ok(live)
    }

    /// The live sessions of an account, in no particular order. The end of all sessions is always read, so that the number
    /// of calls does not depend on what the process knows.
    pub async fn all_live(&self, account: &Account) -> Result<Vec<StoredSession>, Fault> {
        let now = self.table.now();
        let not_before = self.learn(self.table.item(not_before::key_of()).await?.as_ref(), now)?;
        self.live_of(account, not_before).await
    }

    async fn live_of(&self, account: &Account, not_before: NotBefore) -> Result<Vec<StoredSession>, Fault> {
        let now = self.table.now();
        let page = self.table.page(account.key.as_str(), Start::At(PREFIX), PAGE_MAX).await?;
        let stored = page.items.iter().filter_map(StoredSession::read);
        Ok(stored.filter(|stored| stored.is_live(account, not_before, self.lifetimes, now)).collect())
    }

    /// Ends a session of the list. It may have ended since the list was read.
    /// If it fails, the session may still be live.
    pub async fn close(&self, account: &Account, listed: &StoredSession) -> Result<(), Fault> {
        // The deletion has no guard: after a lost answer, the retry finds no row.
        self.table.write(listed.delete(&account.key)).await.map(|_| ())
    }

    /// Deletes the sessions of an account that a new generation ended at this time, or all sessions if the account was
    /// deleted (`generation` is `None`). Later sessions stay: an import may have created an account with the same id
    /// since. It reads all sessions, page by page.
    /// It can be repeated after a failure.
    pub async fn remove_ended(&self, account: &Account, generation: Option<u64>, at: Timestamp) -> Result<(), Fault> {
        let last = last_ended_by(at).seconds();
        let mut start = Some(Start::At(PREFIX));
        while let Some(from) = start {
            let page = self.table.page(account.key.as_str(), from, PAGE_MAX).await?;
            // TTL or the next login deletes a row that cannot be read.
            for session in page.items.iter().filter_map(|item| StoredSession::whole(item).ok()) {
                let is_earlier = generation.is_none_or(|generation| session.generation < generation);
                if session.account_id == account.id && is_earlier && session.created_at <= last {
                    // No guard is needed: only a change of the account's generation changes that of a row, and the row may be
                    // gone already.
                    self.table.write(session.delete(&account.key)).await?.ok();
                }
            }
            start = page.last.map(Start::After);
        }
        Ok(())
    }
}
