//! The opening of a session: for a password, a passkey and Google, and in place of another session.
//!
//! Anybody who knows the password can log in any number of times, so this module limits the rows. An account has at
//! most 50 live sessions, and opening another one ends the least recently used. Concurrent logins do not see each
//! other's session, so each may leave one extra row until the next login. If the query does not return every row, a
//! login deletes sessions on the condition that they still exist, so each login that succeeds lowers the number of
//! rows. An account therefore never has more session rows than 99 plus the highest number of logins that were in
//! progress at once.

use super::browsers::{Browser, BrowserCookie, Browsers, Recognised};
use super::items::profile;
use super::items::session::{self, Lifetimes, Session, StoredSession};
use super::partition::Partition;
use super::table::{Guard, Outcome, Refused, TRANSACTION_MAX, Table, Update, Write, n};
use crate::account::{Account, BrowserSecret};
use crate::log::audit::Method;
use crate::problem::FaultKind;
use crate::system::clock::Timestamp;
use crate::{Fault, Setup, Token};

/// The maximum number of live sessions of an account.
const SESSIONS_MAX: usize = 50;

/// A session that was opened.
pub struct Opened {
    /// Its token.
    pub token: Token,
    /// The secret of the browser, for its cookie; `None` if the cookie was not read or the browser could not be stored.
    pub browser: Option<BrowserSecret>,
}

/// Opens sessions in the accounts table.
#[derive(Clone)]
pub struct Opening {
    table: Table,
    lifetimes: Lifetimes,
    pub(in crate::store) browsers: Browsers,
}

/// The account of a new session.
pub(in crate::store) struct NewSession<'a> {
    /// The account as it will be after the transaction.
    pub(in crate::store) account: &'a Account,
    /// Its items, to make room among the sessions; `None` if it is new.
    pub(in crate::store) partition: Option<&'a Partition>,
    pub(in crate::store) browser: Browser<'a>,
    pub(in crate::store) recognised: Recognised,
    /// How its owner signs in.
    pub(in crate::store) method: Method,
}

impl Opening {
    /// Reads `ACCOUNTS_TABLE`, `SESSION_ABSOLUTE_SECONDS`, `SESSION_IDLE_SECONDS`, `NOTICES` and `LOGIN_MAX_FAILURES`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), lifetimes: Lifetimes::new(setup), browsers: Browsers::new(setup) }
    }

    /// Opens a session after a login with a password or a linked identity. If known browsers are on, a browser that has
    /// not logged in before becomes a known one. Returns `None` if the account was deleted or its sessions were ended
    /// since it was read. If nothing of the account is written, this is not checked: a session of an account that has
    /// changed in this way is never live.
    pub async fn open(
        &self,
        partition: &Partition,
        browser: Browser<'_>,
        method: Method,
    ) -> Result<Option<Opened>, Fault> {
        self.open_with(Vec::new(), partition, browser, method).await
    }

    /// Opens a session as [`Opening::open`] does, in one transaction with `others`. Returns `None` also if one of them
    /// was refused.
    pub(in crate::store) async fn open_with(
        &self,
        others: Vec<Write>,
        partition: &Partition,
        browser: Browser<'_>,
        method: Method,
    ) -> Result<Option<Opened>, Fault> {
        let account = partition.account();
        let recognised = self.browsers.recognise(&account.browsers, browser)?;
        let new = |recognised| NewSession { account, partition: Some(partition), browser, recognised, method };
        if recognised.browsers.is_none() {
            return Ok(self.write(others, new(recognised)).await?.ok());
        }
        let update = recognised.remember(Update::new())?;
        let remembering = others.iter().cloned().chain([profile::update(account, update)]).collect();
        match self.write(remembering, new(recognised)).await {
            // Many concurrent logins write the same profile. This one opens its session without writing it, and its
            // browser stays unknown.
            Err(fault) if fault.kind == FaultKind::Conflict => {
                let unknown = self.browsers.recognise(&[], Browser { cookie: BrowserCookie::Withheld, ..browser })?;
                Ok(self.write(others, new(unknown)).await?.ok())
            }
            opened => Ok(opened?.ok()),
        }
    }

    /// Sends `others` and the writes that open a session, end the presented one and make room, in one transaction.
    pub(in crate::store) async fn write(
        &self,
        mut others: Vec<Write>,
        new: NewSession<'_>,
    ) -> Result<Outcome<Opened>, Fault> {
        let NewSession { account, partition, browser, recognised, method } = new;
        let now = self.table.now();
        let (token, insert) = self.session(account, (browser.user_agent, Some(method)), (now, now))?;
        others.push(insert);
        others.extend(browser.presented.map(session::delete));
        if let Some(partition) = partition {
            make_room(partition, account, browser.presented, now, &mut others);
        }
        let outcome = match <[Write; 1]>::try_from(others) {
            Ok([insert]) => self.table.write(insert).await?,
            Err(writes) => self.table.transact(writes).await?,
        };
        Ok(outcome.map(|()| Opened { token, browser: recognised.secret }))
    }

    /// Ends all sessions of the caller's account with this update of its profile and `others`, and opens a new session in
    /// place of the caller's. The write of the profile is the first, and has this further guard. It is refused if the
    /// account was deleted, or if its sessions or the caller's have ended since they were read.
    pub(in crate::store) async fn replace(
        &self,
        session: &Session,
        user_agent: Option<&str>,
        (update, guard): (Update, Option<Guard>),
        others: impl IntoIterator<Item = Write>,
    ) -> Result<Outcome<Token>, Fault> {
        let mut account = session.account.clone();
        account.generation += 1;
        // This is neither a login nor a proof, so the absolute lifetime does not start again.
        let (token, insert) = self.session(&account, (user_agent, None), (session.signed_in, session.proved_at))?;
        let update = profile::update(&session.account, update.set("generation", n(account.generation)));
        let update = guard.into_iter().fold(update, Write::when);
        // The caller's session must still exist: it may have ended since it was read.
        let end = session::delete(&session.token).when(Guard::exists());
        let writes = [update, end, insert].into_iter().chain(others).collect();
        Ok(self.table.transact(writes).await?.map(|()| token))
    }

    /// A new session of an account, whose owner signed in and last proved who they are at these times.
    fn session(
        &self,
        account: &Account,
        browser_and_method: (Option<&str>, Option<Method>),
        (signed_in, proved_at): (Timestamp, Timestamp),
    ) -> Result<(Token, Write), Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let times = (signed_in, proved_at, self.table.now());
        let stored = StoredSession::new(account, &token, browser_and_method, times, self.lifetimes);
        Ok((token, stored.insert(&account.key)))
    }
}

/// Adds the writes that make room for a new session of `account`, which is the account as it will be after
/// `writes`. They delete the sessions of an earlier generation that were read, and the least recently used of the
/// others, as many as fit into the transaction.
fn make_room(
    partition: &Partition,
    account: &Account,
    presented: Option<&Token>,
    now: Timestamp,
    writes: &mut Vec<Write>,
) {
    // A transaction may contain an item only once, and `writes` already ends the presented session.
    let presented = presented.filter(|token| *token.account() == account.key);
    let others = partition.sessions().filter(|session| presented.is_none_or(|token| !session.is_of(token)));
    // A session of a later generation may be live, because the account may have changed after it was read. One without
    // an id or a generation is not.
    let is_current =
        |session: &StoredSession| session.account_id == account.id && session.generation >= account.generation;
    let (mut current, earlier): (Vec<_>, Vec<_>) = others.partition(is_current);
    current.sort_by_key(|session| if now.seconds() < session.expires_at { session.last_seen } else { 0 });
    let surplus = current.len().saturating_sub(SESSIONS_MAX - 1);
    let room = TRANSACTION_MAX.saturating_sub(writes.len());
    writes.extend(current.into_iter().take(surplus).chain(earlier).take(room).map(|session| {
        let delete = session.delete(&account.key);
        if partition.has_more() { delete.when(Guard::exists()) } else { delete }
    }));
}

/// The outcome of removing a passkey, or another way in.
pub enum Removed<T> {
    /// It is removed, and all sessions of the account have ended.
    Done(T),
    /// The account does not have it.
    Unknown,
    /// The caller's session has ended, or the account was deleted.
    NoSession,
}

/// The outcome of a removal, of which the writes up to `sessions` are of the profile and of the caller's sessions. A later
/// one is refused if its row belongs to another account, which is the fault `foreign`.
pub(in crate::store) fn removed<T>(
    outcome: Outcome<T>,
    account: &Account,
    sessions: usize,
    foreign: fn() -> Fault,
) -> Result<Removed<T>, Fault> {
    match outcome {
        Ok(done) => Ok(Removed::Done(done)),
        Err(refused) if refused.index > sessions => Err(foreign()),
        Err(refused) if refused.index > 0 => Ok(Removed::NoSession),
        Err(refused) => {
            let outcome = refused_by_profile(refused, account, |_| Removed::Unknown)?;
            Ok(outcome.unwrap_or(Removed::NoSession))
        }
    }
}

/// The outcome of a transaction that the profile's guard has refused: `outcome` for the current account, or `None` if it
/// was deleted, replaced or disabled, or has a new generation.
pub(in crate::store) fn refused_by_profile<T>(
    refused: Refused,
    read: &Account,
    outcome: impl FnOnce(&Account) -> T,
) -> Result<Option<T>, Fault> {
    let found = refused.item.map(profile::account).transpose()?;
    let same = |found: &Account| found.id == read.id && found.generation == read.generation && !found.is_disabled();
    Ok(found.filter(same).map(|found| outcome(&found)))
}
