//! Sessions: opening, checking and ending them. A session is live while its row matches the account's profile and has
//! not expired.

use std::cmp::Reverse;
use std::sync::Arc;

use aws_sdk_dynamodb::types::ReturnValue;
use serde::{Deserialize, Serialize};

use super::account::accounts::update;
use super::account::profile::{self, PROFILE};
use super::login::account_page::AccountPage;
use super::login::browsers::{self, BrowserCookie, Opener, REMEMBER, Recognised};
use super::notices::changes::reach;
use super::table::{self, Item, Refused, Start, Table, Write, n};
use crate::account::{Account, AccountKey, BrowserSecret, KnownBrowser};
use crate::problem::FaultKind;
use crate::system::clock::{Clock, Timestamp};
use crate::{BrowserName, Fault, Setup, Token};

/// The longest lifetime that may be set: a year, in seconds.
const LIFETIME_MAX: u64 = 365 * 24 * 60 * 60;
/// The shortest time between two updates of a session's last use: ten minutes, in seconds. If half the idle timeout is
/// shorter, it replaces this time.
const TOUCH_SECONDS: u64 = 10 * 60;

/// Characters of a session's id. They are the first 72 bits of its hash.
pub const SESSION_ID_LENGTH: usize = 12;

/// The prefix of the sort keys of sessions.
pub(super) const PREFIX: &str = "session#";
/// The maximum number of items of one query of a partition: five times the limit of live sessions of an account, about
/// 60 KB.
pub(super) const PARTITION_PAGE: i32 = 256;

/// The sessions in the accounts table.
#[derive(Clone)]
pub struct Sessions {
    table: Table,
    clock: Arc<dyn Clock>,
    absolute: u64,
    idle: u64,
    /// Whether a login adds its browser to the known ones.
    knows_browsers: bool,
}

/// A session that was opened.
pub struct Opened {
    /// Its token.
    pub token: Token,
    /// The secret of the browser, for its cookie; `None` if the cookie was not read or the browser could not be stored.
    pub browser: Option<BrowserSecret>,
}

/// A live session in the list that its owner sees.
pub struct ListedSession {
    sk: String,
    /// When its owner signed in, in seconds since 1970.
    pub created_at: u64,
    /// Its last use, with a precision of ten minutes.
    pub last_seen: u64,
    /// The name of its browser.
    pub browser: BrowserName,
    /// Whether it is the caller's own.
    pub is_current: bool,
}

/// A live session.
pub struct Session {
    /// The current account.
    pub account: Account,
    /// The token of the session.
    pub token: Token,
    /// When its owner signed in. A session that replaces another keeps this time.
    pub signed_in: Timestamp,
}

/// The items of one account that one bounded query returned.
pub struct Partition {
    /// The account.
    pub account: Account,
    /// The sort key of the caller's session; `None` for an operator, who has none.
    pub(super) session: Option<String>,
    /// The sort keys of all other items except the profile.
    pub(super) others: Vec<String>,
    /// The key of the last item that was read, if there may be more.
    pub(super) last: Option<Item>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    pk: AccountKey,
    sk: String,
    id: u64,
    generation: u64,
    created_at: u64,
    last_seen: u64,
    expires_at: u64,
    /// Sessions that were opened before names were stored have none.
    #[serde(default)]
    browser: BrowserName,
}

impl Sessions {
    /// Reads `ACCOUNTS_TABLE`, `SESSION_ABSOLUTE_SECONDS`, `SESSION_IDLE_SECONDS`, `NOTICES` and `LOGIN_MAX_FAILURES`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            absolute: absolute_seconds(setup),
            knows_browsers: browsers::are_known(setup),
            idle: setup.settings().number("SESSION_IDLE_SECONDS", 60..=LIFETIME_MAX),
        }
    }

    /// Opens a session, and ends the presented session and the surplus ones in the same transaction. If known
    /// browsers are on, a browser that has not logged in before becomes a known one. Returns `None` if such a browser
    /// cannot be stored, because the account was deleted or its sessions were ended since it was read. In all other
    /// cases the account is not checked again: a session of an account that has changed in this way is never live.
    ///
    /// # Errors
    /// The table or the random number generator failed, or a concurrent login ended one of the same surplus sessions.
    pub async fn open(&self, page: &AccountPage, opener: Opener<'_>) -> Result<Option<Opened>, Fault> {
        let account = &page.account;
        let browser = self.recognise(&account.browsers, opener)?;
        let Some(browsers) = &browser.browsers else {
            let token = self.write_opening(Vec::new(), page, opener).await?.map_err(|_| refused())?;
            return Ok(Some(Opened { token, browser: browser.secret }));
        };
        let write = update(account, format!("SET {REMEMBER}"));
        let remembering = Recognised::values(browsers, browser.now, write)?;
        match self.write_opening(vec![remembering], page, opener).await {
            Ok(Ok(token)) => Ok(Some(Opened { token, browser: browser.secret })),
            Ok(Err(refused)) if refused.index == 0 => Ok(None),
            Ok(Err(_)) => Err(refused()),
            // Many concurrent logins write the same profile. This one opens its session without writing it, and its
            // browser stays unknown.
            Err(fault) if fault.kind == FaultKind::Conflict => {
                let token = self.write_opening(Vec::new(), page, opener).await?.map_err(|_| refused())?;
                Ok(Some(Opened { token, browser: None }))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Finds the browser of a login among the known ones.
    pub(super) fn recognise(&self, known: &[KnownBrowser], opener: Opener<'_>) -> Result<Recognised, Fault> {
        let browser = if self.knows_browsers { opener.browser } else { BrowserCookie::Withheld };
        Recognised::find(known, Opener { browser, ..opener }, self.clock.now(), self.table.random())
    }

    async fn write_opening(
        &self,
        mut writes: Vec<Write>,
        page: &AccountPage,
        opener: Opener<'_>,
    ) -> Result<Result<Token, Refused>, Fault> {
        let token = self.add_opening(&mut writes, page, &page.account, opener)?;
        let outcome = match <[Write; 1]>::try_from(writes) {
            Ok([opening]) => self.table.write(opening).await?,
            Err(writes) => self.table.transact(writes).await?,
        };
        Ok(outcome.map(|()| token))
    }

    /// Adds the writes that open a session and make room for it. `account` is the account as it will be after `writes`.
    pub(super) fn add_opening(
        &self,
        writes: &mut Vec<Write>,
        page: &AccountPage,
        account: &Account,
        opener: Opener<'_>,
    ) -> Result<Token, Fault> {
        let (token, opening) = self.opening(account, opener.user_agent, self.clock.now())?;
        writes.push(opening);
        writes.extend(opener.presented.map(ending));
        page.make_room(account, opener.presented, self.clock.now(), writes);
        Ok(token)
    }

    /// The write that opens a session. Its absolute lifetime begins at `signed_in`.
    pub(super) fn opening(
        &self,
        account: &Account,
        user_agent: Option<&str>,
        signed_in: Timestamp,
    ) -> Result<(Token, Write), Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let (now, created_at) = (self.clock.now().seconds(), signed_in.seconds());
        let row = Row {
            pk: account.key.clone(),
            sk: sort_key(&token),
            id: account.id,
            generation: account.generation,
            created_at,
            last_seen: now,
            expires_at: self.end(created_at, now),
            browser: BrowserName::of(user_agent),
        };
        Ok((token, Write::put(table::item(&row)?).when("attribute_not_exists(#pk)")))
    }

    /// The session of a token, if it is live. Its last use is updated if the stored one is more than ten minutes old.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn live(&self, token: &Token) -> Result<Option<Session>, Fault> {
        let (pk, sk) = (token.account().as_str(), sort_key(token));
        let [Some(profile), Some(session)] = self.table.pair([(pk, PROFILE), (pk, &sk)]).await? else {
            return Ok(None);
        };
        let now = self.clock.now();
        let (account, row) = (profile::account(profile)?, table::read::<Row>(session)?);
        if !self.is_live(&row, &account, now) || !self.touch(&row, now).await? {
            return Ok(None);
        }
        Ok(Some(Session { account, token: token.clone(), signed_in: Timestamp::from_seconds(row.created_at) }))
    }

    /// The items of a token's account, if the session is live. It makes one bounded query, because anybody can forge a
    /// token of an account. If the account has more items, it also reads the session's item.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn live_partition(&self, token: &Token) -> Result<Option<Partition>, Fault> {
        let session = sort_key(token);
        let read = Partition::read(&self.table, token.account(), Some(session.clone())).await?;
        let Some((partition, mut row)) = read else { return Ok(None) };
        if row.is_none() && partition.last.is_some() {
            row = self.table.item(token.account().as_str(), &session).await?;
        }
        let Some(row) = row else { return Ok(None) };
        let live = self.is_live(&table::read(row)?, &partition.account, self.clock.now());
        Ok(live.then_some(partition))
    }

    /// Ends a session, live or not. Returns the id of its account, or `None` if there was no such session. It also
    /// returns `None` if the answer to the first attempt was lost.
    ///
    /// # Errors
    /// The table failed; the session may still be live.
    pub async fn end_session(&self, token: &Token) -> Result<Option<u64>, Fault> {
        let ended = self.table.write_returning(ending(token), ReturnValue::AllOld).await?;
        // The item is not parsed as a row, so that broken rows can be ended too.
        Ok(ended.ok().and_then(|row| row.get("id")?.as_n().ok()?.parse().ok()))
    }

    /// The live sessions of the caller's account, the most recently used first. Times are whole seconds: of two
    /// sessions with the same time, the caller's comes first.
    ///
    /// # Errors
    /// The table failed.
    pub async fn list(&self, session: &Session) -> Result<Vec<ListedSession>, Fault> {
        let (account, now) = (&session.account, self.clock.now());
        let own = sort_key(&session.token);
        let page = self.table.page(account.key.as_str(), Start::At(PREFIX), PARTITION_PAGE).await?;
        // A row that cannot be read is not a live session.
        let rows = page.items.into_iter().filter_map(|item| table::read::<Row>(item).ok());
        let mut live: Vec<Row> = rows.filter(|row| self.is_live(row, account, now)).collect();
        live.sort_by_key(|row| Reverse((row.last_seen, row.created_at, row.sk == own)));
        let listed = live.into_iter().map(|row| {
            let Row { created_at, last_seen, browser, .. } = row;
            ListedSession { is_current: row.sk == own, sk: row.sk, created_at, last_seen, browser }
        });
        Ok(listed.collect())
    }

    /// Ends a session of the list. It may have ended since the list was read.
    ///
    /// # Errors
    /// The table failed; the session may still be live.
    pub async fn close(&self, account: &Account, listed: &ListedSession) -> Result<(), Fault> {
        // The deletion has no condition: after a lost answer, the retry finds no row.
        self.table.write(Write::delete(account.key.as_str(), &listed.sk)).await.map(|_| ())
    }

    /// Deletes the sessions of an account that a new generation ended at this time, or all sessions if the account was
    /// deleted (`generation` is `None`). Later sessions stay: an import may have created an account with the same id
    /// since. It reads all sessions, page by page.
    ///
    /// # Errors
    /// The table failed. The deletion can be repeated.
    pub async fn remove_ended(&self, account: &Account, generation: Option<u64>, at: Timestamp) -> Result<(), Fault> {
        let (pk, last) = (account.key.as_str(), reach(at).seconds());
        let mut start = Start::At(PREFIX);
        loop {
            let page = self.table.page(pk, start, PARTITION_PAGE).await?;
            for item in page.items {
                // TTL or the next login deletes a row that cannot be read.
                let Ok(row) = table::read::<Row>(item) else { continue };
                let is_ended =
                    generation.is_none_or(|generation| row.generation < generation) && row.created_at <= last;
                if row.id == account.id && is_ended && row.sk.starts_with(PREFIX) {
                    // No condition is needed: the generation of a row never changes, and the row may be gone already.
                    self.table.write(Write::delete(pk, &row.sk)).await?.ok();
                }
            }
            let Some(last) = page.last else { return Ok(()) };
            start = Start::After(last);
        }
    }

    /// Whether the session is live. TTL deletes expired rows late, so the lifetimes are checked here. A disabled
    /// account has no live session.
    fn is_live(&self, row: &Row, account: &Account, now: Timestamp) -> bool {
        let now = now.seconds();
        row.id == account.id
            && row.generation == account.generation
            && now < row.expires_at
            && now < self.end(row.created_at, row.last_seen)
            && !account.is_disabled()
    }

    fn end(&self, created_at: u64, last_seen: u64) -> u64 {
        created_at.saturating_add(self.absolute).min(last_seen.saturating_add(self.idle))
    }

    /// Updates the time of the last use. Returns false if the session has ended since it was read; the update never
    /// recreates it.
    async fn touch(&self, row: &Row, now: Timestamp) -> Result<bool, Fault> {
        let now = now.seconds();
        if now < row.last_seen.saturating_add(TOUCH_SECONDS.min(self.idle / 2)) {
            return Ok(true);
        }
        let write = Write::update(row.pk.as_str(), &row.sk, "SET #last_seen = :now, #expires_at = :expires_at")
            .when("attribute_exists(#pk) AND #generation = :generation")
            .value(":now", n(now))
            .value(":expires_at", n(self.end(row.created_at, now)))
            .value(":generation", n(row.generation));
        Ok(self.table.write(write).await?.is_ok())
    }
}

impl ListedSession {
    /// The id of the session: the start of its secret's hash. It is not a secret.
    #[must_use]
    pub fn id(&self) -> &str {
        session_id(self.sk.strip_prefix(PREFIX).unwrap_or_default())
    }
}

/// The id of a session whose secret has this hash. It is not a secret.
#[must_use]
pub fn session_id(hash: &str) -> &str {
    hash.get(..SESSION_ID_LENGTH).unwrap_or(hash)
}

impl Partition {
    /// Reads the items of an account with one bounded query. Also returns the item of the session, if it is among them.
    /// Returns `None` if there is no account.
    pub(super) async fn read(
        table: &Table,
        key: &AccountKey,
        session: Option<String>,
    ) -> Result<Option<(Self, Option<Item>)>, Fault> {
        let page = table.page(key.as_str(), Start::First, PARTITION_PAGE).await?;
        let (mut account, mut row, mut others) = (None, None, Vec::new());
        for item in page.items {
            match item.get("sk").and_then(|sk| sk.as_s().ok()) {
                Some(sk) if sk == PROFILE => account = Some(profile::account(item)?),
                Some(sk) if session.as_ref() == Some(sk) => row = Some(item),
                Some(sk) => others.push(sk.clone()),
                None => return Err(Fault::new("table.row", "broken")),
            }
        }
        Ok(account.map(|account| (Self { account, session, others, last: page.last }, row)))
    }
}

/// `SESSION_ABSOLUTE_SECONDS`: the absolute lifetime of a session and of its cookie.
pub(crate) fn absolute_seconds(setup: &Setup) -> u64 {
    setup.settings().number("SESSION_ABSOLUTE_SECONDS", 60..=LIFETIME_MAX)
}

fn refused() -> Fault {
    Fault::new("table.session", "refused")
}

/// Whether an item is a session that can be read.
#[cfg(feature = "operator")]
pub(super) fn is_readable(item: Item) -> bool {
    table::read::<Row>(item).is_ok()
}

/// The sort key of a token's session.
pub(super) fn sort_key(token: &Token) -> String {
    format!("{PREFIX}{}", token.hash())
}

/// The write that ends a session, live or not.
pub(super) fn ending(token: &Token) -> Write {
    Write::delete(token.account().as_str(), &sort_key(token))
}
