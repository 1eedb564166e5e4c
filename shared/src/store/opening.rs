//! The opening of a session: for a password, a passkey and Google, and in place of another session.
//!
//! Anybody who knows the password can log in any number of times, so this module limits the rows. An account has at
//! most 50 live sessions, and opening another one ends the least recently used. Concurrent logins do not see each
//! other's session, so each may leave one extra row until the next login. If the query does not return every row, a
//! login deletes sessions on the condition that they still exist, so each login that succeeds lowers the number of
//! rows. An account therefore never has more session rows than 99 plus the highest number of logins that were in
//! progress at once.

use aws_sdk_dynamodb::types::AttributeValue;

use super::items::session::{self, Lifetimes, Session, StoredSession};
use super::items::{failures, profile};
use super::partition::Partition;
use super::table::{self, Guard, Outcome, TRANSACTION_MAX, Table, Update, Write, n};
use crate::account::{Account, BrowserSecret, KnownBrowser, with_browser};
use crate::problem::FaultKind;
use crate::system::clock::Timestamp;
use crate::{BrowserName, Fault, NoticesSetting, Setup, Token};

/// The maximum number of live sessions of an account.
const SESSIONS_MAX: usize = 50;

/// The browser that signs in.
#[derive(Clone, Copy)]
pub struct Browser<'a> {
    /// Its `User-Agent`. Only the name that is made from it is stored.
    pub user_agent: Option<&'a str>,
    /// The token of the session that it presented. That session ends.
    pub presented: Option<&'a Token>,
    /// Its known-browser cookie.
    pub cookie: BrowserCookie<'a>,
}

/// The known-browser cookie in a call.
#[derive(Clone, Copy)]
pub enum BrowserCookie<'a> {
    /// The browser sends its cookies with this call.
    Sent(Option<&'a BrowserSecret>),
    /// The cookie is not read: a page of another site makes the call, so browsers send no cookie.
    Withheld,
}

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
    /// Whether a login adds its browser to the known ones.
    knows_browsers: bool,
}

/// The browser of a login, looked up among the known ones.
pub(in crate::store) struct Recognised {
    secret: Option<BrowserSecret>,
    /// The browsers of the account with this one; `None` if it is known already, or if the cookie was not read.
    pub(in crate::store) browsers: Option<Vec<KnownBrowser>>,
    now: Timestamp,
}

/// The account of a new session.
pub(in crate::store) struct NewSession<'a> {
    /// The account as it will be after the transaction.
    pub(in crate::store) account: &'a Account,
    /// Its items, to make room among the sessions; `None` if it is new.
    pub(in crate::store) partition: Option<&'a Partition>,
    pub(in crate::store) browser: Browser<'a>,
    pub(in crate::store) recognised: Recognised,
}

impl Opening {
    /// Reads `ACCOUNTS_TABLE`, `SESSION_ABSOLUTE_SECONDS`, `SESSION_IDLE_SECONDS`, `NOTICES` and `LOGIN_MAX_FAILURES`.
    pub fn new(setup: &Setup) -> Self {
        // The notice of a new browser and the limit of failed logins need the known browsers.
        let (notices, limit) = (NoticesSetting::new(setup.settings()), failures::limit(setup));
        Self {
            table: Table::accounts(setup),
            lifetimes: Lifetimes::new(setup),
            knows_browsers: notices == NoticesSetting::On || limit > 0,
        }
    }

    /// Opens a session after a login with a password or a linked identity. If known browsers are on, a browser that has
    /// not logged in before becomes a known one. Returns `None` if the account was deleted or its sessions were ended
    /// since it was read. If nothing of the account is written, this is not checked: a session of an account that has
    /// changed in this way is never live.
    pub async fn open(&self, partition: &Partition, browser: Browser<'_>) -> Result<Option<Opened>, Fault> {
        self.open_with(Vec::new(), partition, browser).await
    }

    /// Opens a session as [`Opening::open`] does, in one transaction with `others`. Returns `None` also if one of them
    /// was refused.
    pub(in crate::store) async fn open_with(
        &self,
        others: Vec<Write>,
        partition: &Partition,
        browser: Browser<'_>,
    ) -> Result<Option<Opened>, Fault> {
        let account = partition.account();
        let recognised = self.recognise(&account.browsers, browser)?;
        let new = |recognised| NewSession { account, partition: Some(partition), browser, recognised };
        if recognised.browsers.is_none() {
            return Ok(self.write(others, new(recognised)).await?.ok());
        }
        let update = recognised.remember(Update::new())?;
        let remembering = others.iter().cloned().chain([profile::update(account, update)]).collect();
        match self.write(remembering, new(recognised)).await {
            // Many concurrent logins write the same profile. This one opens its session without writing it, and its
            // browser stays unknown.
            Err(fault) if fault.kind == FaultKind::Conflict => {
                let unknown = self.recognise(&[], Browser { cookie: BrowserCookie::Withheld, ..browser })?;
                Ok(self.write(others, new(unknown)).await?.ok())
            }
            opened => Ok(opened?.ok()),
        }
    }

    /// Finds the browser of a login among the known ones. An unknown browser keeps the secret that it has sent, because
    /// other accounts may know it.
    pub(in crate::store) fn recognise(
        &self,
        known: &[KnownBrowser],
        browser: Browser<'_>,
    ) -> Result<Recognised, Fault> {
        let now = self.table.now();
        let BrowserCookie::Sent(sent) = browser.cookie else {
            return Ok(Recognised { secret: None, browsers: None, now });
        };
        if !self.knows_browsers {
            return Ok(Recognised { secret: None, browsers: None, now });
        }
        let secret = sent.cloned().map_or_else(|| BrowserSecret::mint(self.table.random()), Ok)?;
        let hash = secret.hash();
        let browsers = known.iter().all(|browser| browser.hash != hash).then(|| {
            let name = BrowserName::of(browser.user_agent);
            with_browser(known, KnownBrowser { hash, name, created_at: now.seconds() })
        });
        Ok(Recognised { secret: Some(secret), browsers, now })
    }

    /// Sends `others` and the writes that open a session, end the presented one and make room, in one transaction.
    pub(in crate::store) async fn write(
        &self,
        mut others: Vec<Write>,
        new: NewSession<'_>,
    ) -> Result<Outcome<Opened>, Fault> {
        let NewSession { account, partition, browser, recognised } = new;
        let now = self.table.now();
        let (token, insert) = self.session(account, browser.user_agent, now)?;
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

    /// Ends all sessions of the caller's account with this update, and opens a new one in place of the caller's. Returns
    /// `None` if the account was deleted, or if its sessions or the caller's have ended since they were read.
    pub(in crate::store) async fn replace(
        &self,
        session: &Session,
        user_agent: Option<&str>,
        update: Update,
    ) -> Result<Option<Token>, Fault> {
        let mut account = session.account.clone();
        account.generation += 1;
        // This is not a login, so the absolute lifetime does not start again.
        let (token, insert) = self.session(&account, user_agent, session.signed_in)?;
        let update = profile::update(&session.account, update.set("generation", n(account.generation)));
        // The caller's session must still exist: it may have ended since it was read.
        let end = session::delete(&session.token).when(Guard::exists());
        Ok(self.table.transact(vec![update, insert, end]).await?.is_ok().then_some(token))
    }

    /// A new session of an account, whose absolute lifetime begins at `signed_in`.
    fn session(
        &self,
        account: &Account,
        user_agent: Option<&str>,
        signed_in: Timestamp,
    ) -> Result<(Token, Write), Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let times = (signed_in, self.table.now());
        let stored = StoredSession::new(account, &token, user_agent, times, self.lifetimes);
        Ok((token, stored.insert(&account.key)))
    }
}

impl Recognised {
    /// Adds to an update of the profile that the browser is known from now on, if it was not.
    pub(in crate::store) fn remember(&self, update: Update) -> Result<Update, Fault> {
        let Some(browsers) = &self.browsers else { return Ok(update) };
        let list: AttributeValue = table::attribute(browsers)?;
        Ok(update.set("browsers", list).set_if_absent("browsers_since", n(self.now.seconds())))
    }

    /// As [`Recognised::remember`], in an account that is not stored yet.
    pub(in crate::store) fn remember_in(&self, account: &mut Account) {
        if let Some(browsers) = &self.browsers {
            account.browsers.clone_from(browsers);
            account.browsers_since = Some(self.now.seconds());
        }
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
