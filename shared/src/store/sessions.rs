//! Sessions: opened at login, alive while profile and session agree, ended.

use std::sync::Arc;

use aws_sdk_dynamodb::types::ReturnValue;
use serde::{Deserialize, Serialize};

use super::profile::{self, PROFILE};
use super::table::{self, Table};
use super::write::{Write, n};
use crate::account::{Account, AccountKey};
use crate::clock::{Clock, Timestamp};
use crate::{Fault, Setup, Token};

/// Seven days: how long a session lives at the most, in seconds.
const ABSOLUTE_SECONDS: u64 = 7 * 24 * 60 * 60;
/// A year, in seconds: what a lifetime may be set to.
const LIFETIME_MAX: u64 = 365 * 24 * 60 * 60;
/// Two hours: how long a session may rest, in seconds.
const IDLE_SECONDS: u64 = 2 * 60 * 60;
/// Ten minutes: how exactly a session's last use is written down, in seconds.
const TOUCH_SECONDS: u64 = 10 * 60;

/// The accounts table, as far as sessions go.
#[derive(Clone)]
pub struct Sessions {
    table: Table,
    clock: Arc<dyn Clock>,
    absolute: u64,
    idle: u64,
}

/// A live session.
pub struct Session {
    /// The account as it is now.
    pub account: Account,
    /// The secret that was presented.
    pub token: Token,
}

/// All that one account owns, as read in one go.
pub struct Partition {
    /// The account.
    pub account: Account,
    /// The sort key of the session that asked.
    pub session: String,
    /// The sort keys of all else but the profile.
    pub others: Vec<String>,
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
}

impl Sessions {
    /// Reads `ACCOUNTS_TABLE`, `SESSION_ABSOLUTE_SECONDS` and `SESSION_IDLE_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            absolute: absolute_seconds(setup),
            idle: setup.number("SESSION_IDLE_SECONDS", IDLE_SECONDS, 60..=LIFETIME_MAX),
        }
    }

    /// Opens a session and ends the presented one, both or neither.
    ///
    /// # Errors
    /// The table or the random generator failed.
    pub async fn open(&self, account: &Account, presented: Option<&Token>) -> Result<Token, Fault> {
        let (token, opening) = self.opening(account)?;
        let outcome = match presented {
            None => self.table.write(opening).await?,
            Some(presented) => self.table.transact(vec![opening, ending(presented)]).await?,
        };
        outcome.map(|()| token).map_err(|_| Fault::new("table.session", "refused"))
    }

    /// The write that opens a session.
    pub(super) fn opening(&self, account: &Account) -> Result<(Token, Write), Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let now = self.clock.now().seconds();
        let row = Row {
            pk: account.key.clone(),
            sk: sort_key(&token),
            id: account.id,
            generation: account.generation,
            created_at: now,
            last_seen: now,
            expires_at: self.end(now, now),
        };
        Ok((token, Write::put(table::item(&row)?).when("attribute_not_exists(#pk)")))
    }

    /// The session of a token, if it is alive. Its use is written down when the last one was more
    /// than ten minutes ago.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn live(&self, token: &Token) -> Result<Option<Session>, Fault> {
        let (pk, sk) = (token.account().as_str(), sort_key(token));
        let [Some(profile), Some(session)] = self.table.two([(pk, PROFILE), (pk, &sk)]).await? else {
            return Ok(None);
        };
        let now = self.clock.now();
        let (account, row) = (profile::account(profile)?, table::read::<Row>(session)?);
        if !self.is_live(&row, &account, now) || !self.touch(&row, now).await? {
            return Ok(None);
        }
        Ok(Some(Session { account, token: token.clone() }))
    }

    /// The whole partition of a token's account, if the session is alive.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn live_partition(&self, token: &Token) -> Result<Option<Partition>, Fault> {
        let session = sort_key(token);
        let (mut account, mut row, mut others) = (None, None, Vec::new());
        for item in self.table.partition(token.account().as_str()).await? {
            match item.get("sk").and_then(|sk| sk.as_s().ok()) {
                Some(sk) if sk == PROFILE => account = Some(profile::account(item)?),
                Some(sk) if *sk == session => row = Some(table::read::<Row>(item)?),
                Some(sk) => others.push(sk.clone()),
                None => return Err(Fault::new("table.row", "broken")),
            }
        }
        let (Some(account), Some(row)) = (account, row) else { return Ok(None) };
        let live = self.is_live(&row, &account, self.clock.now());
        Ok(live.then_some(Partition { account, session, others }))
    }

    /// Ends a session, whether it is alive or not. Gives the id of its account; none when there was no such
    /// session, or when the answer to its end was lost.
    ///
    /// # Errors
    /// The table failed; the session may still be alive.
    pub async fn end_session(&self, token: &Token) -> Result<Option<u64>, Fault> {
        let ended = self.table.write_telling(ending(token), ReturnValue::AllOld).await?;
        // Not read as a row: a broken one is to be ended too.
        Ok(ended.ok().and_then(|row| row.get("id")?.as_n().ok()?.parse().ok()))
    }

    /// Deletion by TTL comes late, so every lifetime is checked here.
    fn is_live(&self, row: &Row, account: &Account, now: Timestamp) -> bool {
        let now = now.seconds();
        row.id == account.id
            && row.generation == account.generation
            && now < row.expires_at
            && now < self.end(row.created_at, row.last_seen)
    }

    fn end(&self, created_at: u64, last_seen: u64) -> u64 {
        created_at.saturating_add(self.absolute).min(last_seen.saturating_add(self.idle))
    }

    /// False when the session has ended meanwhile: a use never revives it.
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

/// `SESSION_ABSOLUTE_SECONDS`: how long a session, and so its cookie, lives at the most.
pub(crate) fn absolute_seconds(setup: &Setup) -> u64 {
    setup.number("SESSION_ABSOLUTE_SECONDS", ABSOLUTE_SECONDS, 60..=LIFETIME_MAX)
}

fn sort_key(token: &Token) -> String {
    format!("session#{}", token.hash())
}

/// The write that ends a session, alive or not.
pub(super) fn ending(token: &Token) -> Write {
    Write::delete(token.account().as_str(), &sort_key(token))
}
