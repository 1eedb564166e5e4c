//! The item of a session: `session#<hash>` in the account's partition; the hash is the SHA-256 of its secret.

use super::not_before::NotBefore;
use crate::account::{Account, AccountKey};
use crate::log::audit::Method;
use crate::store::table::{Guard, Item, Key, Update, Write, broken, key, n, number as stored, s, text};
use crate::system::clock::Timestamp;
use crate::{BrowserName, Fault, Setup, Token};

pub(in crate::store) const PREFIX: &str = "session#";
/// Characters of a session's id. They are the first 72 bits of its hash.
pub const SESSION_ID_LENGTH: usize = 12;
/// The longest lifetime that may be set: a year, in seconds.
const LIFETIME_MAX: u64 = 365 * 24 * 60 * 60;
/// The shortest time between two updates of a session's last use: ten minutes, in seconds. If half the idle timeout is
/// shorter, it replaces this time.
const TOUCH_SECONDS: u64 = 10 * 60;

/// A session as it is stored, live or not. Times are in seconds since 1970; a number that is missing or broken is 0.
#[derive(Clone)]
pub struct StoredSession {
    pub(in crate::store) sk: String,
    /// The id of its account.
    pub account_id: u64,
    /// The generation of the account when it was opened.
    pub generation: u64,
    /// When its owner signed in. A session that replaces another keeps this time.
    pub created_at: u64,
    /// Its last use, with a precision of ten minutes.
    pub last_seen: u64,
    /// When it expires or expired, unless it is used again.
    pub expires_at: u64,
    /// When its owner last proved who they are. The login is the first proof.
    pub proved_at: u64,
    /// The name of its browser. Sessions that were opened before names were stored have none.
    pub browser: Option<String>,
    /// How its owner signed in; `None` if it replaces another one.
    pub method: Option<String>,
    /// Whether a number is missing or broken.
    pub(in crate::store) is_broken: bool,
}

/// A live session.
pub struct Session {
    /// The current account.
    pub account: Account,
    /// The token of the session.
    pub token: Token,
    /// When its owner signed in. A session that replaces another keeps this time.
    pub signed_in: Timestamp,
    /// When its owner last proved who they are. A session that replaces another keeps this time too.
    pub proved_at: Timestamp,
    /// The end of all sessions by which it was judged.
    pub(in crate::store) not_before: NotBefore,
}

/// How long sessions live, in seconds.
#[derive(Clone, Copy)]
pub struct Lifetimes {
    absolute: u64,
    idle: u64,
}

impl Lifetimes {
    /// Reads `SESSION_ABSOLUTE_SECONDS` and `SESSION_IDLE_SECONDS`.
    pub fn new(setup: &Setup) -> Self {
        Self {
            absolute: absolute_seconds(setup),
            idle: setup.settings().number("SESSION_IDLE_SECONDS", 60..=LIFETIME_MAX),
        }
    }

    /// When a session ends that was opened at one time and last used at another.
    fn end(self, created_at: u64, last_seen: u64) -> u64 {
        created_at.saturating_add(self.absolute).min(last_seen.saturating_add(self.idle))
    }
}

/// `SESSION_ABSOLUTE_SECONDS`: the absolute lifetime of a session and of its cookie.
pub(crate) fn absolute_seconds(setup: &Setup) -> u64 {
    setup.settings().number("SESSION_ABSOLUTE_SECONDS", 60..=LIFETIME_MAX)
}

impl StoredSession {
    /// A new session of an account, whose owner signed in and last proved who they are at these times.
    pub(in crate::store) fn new(
        account: &Account,
        token: &Token,
        (user_agent, method): (Option<&str>, Option<Method>),
        (signed_in, proved_at, now): (Timestamp, Timestamp, Timestamp),
        lifetimes: Lifetimes,
    ) -> Self {
        let (created_at, last_seen) = (signed_in.seconds(), now.seconds());
        Self {
            sk: sort_key(token),
            account_id: account.id,
            generation: account.generation,
            created_at,
            last_seen,
            expires_at: lifetimes.end(created_at, last_seen),
            proved_at: proved_at.seconds(),
            browser: Some(BrowserName::of(user_agent).as_str().to_owned()),
            method: method.map(|method| method.as_str().to_owned()),
            is_broken: false,
        }
    }

    /// Reads an item; `None` if it is something else.
    pub fn read(item: &Item) -> Option<Self> {
        let sk = text(item, "sk").filter(|sk| sk.starts_with(PREFIX))?.to_owned();
        let mut is_broken = false;
        let mut number = |name: &str| {
            stored(item, name).unwrap_or_else(|| {
                is_broken = true;
                0
            })
        };
        let [account_id, generation, created_at, last_seen, expires_at] =
            ["id", "generation", "created_at", "last_seen", "expires_at"].map(&mut number);
        // The login is the only proof of most sessions, so their items do not repeat its time.
        let proved_at = stored(item, "proved_at").unwrap_or(created_at);
        let [browser, method] = ["browser", "method"].map(|name| text(item, name).map(str::to_owned));
        Some(Self {
            sk,
            account_id,
            generation,
            created_at,
            last_seen,
            expires_at,
            proved_at,
            browser,
            method,
            is_broken,
        })
    }

    /// The session in an item that has to be one.
    pub(in crate::store) fn whole(item: &Item) -> Result<Self, Fault> {
        Self::read(item).filter(|session| !session.is_broken).ok_or_else(broken)
    }

    /// Puts a new session.
    pub(in crate::store) fn insert(&self, account: &AccountKey) -> Write {
        let mut item = self.key(account);
        let numbers = [
            ("id", self.account_id),
            ("generation", self.generation),
            ("created_at", self.created_at),
            ("last_seen", self.last_seen),
            ("expires_at", self.expires_at),
        ];
        item.extend(numbers.map(|(name, value)| (name.to_owned(), n(value))));
        item.extend((self.proved_at != self.created_at).then(|| ("proved_at".to_owned(), n(self.proved_at))));
        for (name, value) in [("browser", &self.browser), ("method", &self.method)] {
            item.extend(value.iter().map(|value| (name.to_owned(), s(value))));
        }
        Write::put(item).when(Guard::absent())
    }

    pub(in crate::store) fn key(&self, account: &AccountKey) -> Key {
        key(account.as_str(), &self.sk)
    }

    /// Its id in the list of sessions: the start of its secret's hash. It is not a secret.
    pub fn id(&self) -> &str {
        session_id(self.sk.strip_prefix(PREFIX).unwrap_or_default())
    }

    /// The name of its browser, as its owner reads it.
    pub fn browser_name(&self) -> &str {
        self.browser.as_deref().unwrap_or(BrowserName::UNKNOWN)
    }

    /// Whether it is the session of this token.
    pub fn is_of(&self, token: &Token) -> bool {
        self.sk == sort_key(token)
    }

    /// Whether it is live: it matches the account, which is not disabled, its login is not before the end of all sessions,
    /// and it has not expired. TTL deletes expired rows late, and the lifetimes may have been lowered since it was opened,
    /// so both are checked here.
    pub fn is_live(&self, account: &Account, not_before: NotBefore, lifetimes: Lifetimes, now: Timestamp) -> bool {
        let now = now.seconds();
        self.account_id == account.id
            && self.generation == account.generation
            && !account.is_disabled()
            && !not_before.ends(self.created_at)
            && now < self.expires_at
            && now < lifetimes.end(self.created_at, self.last_seen)
    }

    /// Updates the last use, if the stored one is old. The update never recreates a session that has ended.
    pub(in crate::store) fn touch(&self, account: &AccountKey, lifetimes: Lifetimes, now: Timestamp) -> Option<Write> {
        let now = now.seconds();
        let is_old = now >= self.last_seen.saturating_add(TOUCH_SECONDS.min(lifetimes.idle / 2));
        is_old.then(|| {
            let end = lifetimes.end(self.created_at, now);
            let update = Update::new().set("last_seen", n(now)).set("expires_at", n(end));
            let is_same = Guard::Equals("generation", n(self.generation));
            Write::update(self.key(account), update).when(is_same)
        })
    }

    /// Deletes it, live or not.
    pub(in crate::store) fn delete(&self, account: &AccountKey) -> Write {
        Write::delete(self.key(account))
    }
}

impl Token {
    /// The id of its session in the list of sessions. It is not a secret.
    pub fn session_id(&self) -> String {
        session_id(&self.hash()).to_owned()
    }
}

/// Deletes the session of a token, live or not.
pub(in crate::store) fn delete(token: &Token) -> Write {
    Write::delete(key_of(token))
}

/// Stores that the owner of a live session has just proved who they are.
pub(in crate::store) fn prove(session: &Session, now: Timestamp) -> Write {
    let is_same = Guard::Equals("generation", n(session.account.generation));
    Write::update(key_of(&session.token), Update::new().set("proved_at", n(now.seconds()))).when(is_same)
}

/// Keeps the session with this sort key, of an account whose generation is about to increase.
pub(in crate::store) fn keep(account: &Account, sort_key: &str) -> Write {
    let is_same = Guard::Equals("id", n(account.id)).and(Guard::Equals("generation", n(account.generation)));
    let update = Update::new().set("generation", n(account.generation + 1));
    Write::update(key(account.key.as_str(), sort_key), update).when(is_same)
}

/// Checks that the session of a token still exists.
pub(in crate::store) fn check_exists(token: &Token) -> Write {
    Write::check(key_of(token), Guard::exists())
}

pub(in crate::store) fn key_of(token: &Token) -> Key {
    key(token.account().as_str(), &sort_key(token))
}

/// The sort key of a token's session.
pub(in crate::store) fn sort_key(token: &Token) -> String {
    format!("{PREFIX}{}", token.hash())
}

/// The id of a session whose secret has this hash. It is not a secret.
pub fn session_id(hash: &str) -> &str {
    hash.get(..SESSION_ID_LENGTH).unwrap_or(hash)
}
