//! An account and its sessions, read with one bounded query before a login opens a session.
//!
//! Anybody who knows the password can log in any number of times, so this module limits the rows. An account has at
//! most 50 live sessions, and opening another one ends the least recently used. Concurrent logins do not see each
//! other's session, so each may leave one extra row until the next login. If the query does not return every row, a
//! login deletes sessions on the condition that they still exist, so each login that succeeds lowers the number of
//! rows. An account therefore never has more session rows than 99 plus the highest number of logins that were in
//! progress at once.

use crate::account::{Account, AccountKey};
use crate::store::account::profile::{self, PROFILE};
use crate::store::passkeys;
use crate::store::sessions;
use crate::store::table::{Item, Page, Start, TRANSACTION_MAX, Table, Write};
use crate::system::clock::Timestamp;
use crate::{Fault, Token};

/// The maximum number of live sessions of an account.
pub(in crate::store) const SESSIONS_MAX: usize = 50;
/// The maximum number of items of the query: the profile, the 50 sessions, and about as many sessions of concurrent
/// logins. A login with a passkey also reads the passkeys. That many items have about 25 KB, which takes 7 read units.
/// An account with three sessions takes one.
const ITEMS_MAX: i32 = 100;

/// An account, and its sessions that one query returned.
pub struct AccountPage {
    /// The account.
    pub account: Account,
    sessions: Vec<Opened>,
    /// Whether the partition may have more rows than were read.
    crowded: bool,
}

/// The attributes of a session's row that decide whether it is deleted.
struct Opened {
    sk: String,
    id: u64,
    generation: u64,
    last_seen: u64,
    expires_at: u64,
}

impl AccountPage {
    /// Reads the account with this key, if there is one.
    pub(in crate::store) async fn read(table: &Table, key: &AccountKey) -> Result<Option<Self>, Fault> {
        let page = table.page(key.as_str(), Start::At(PROFILE), ITEMS_MAX).await?;
        Ok(Self::of(page, "")?.map(|(page, _)| page))
    }

    /// As [`AccountPage::read`], also with the item of the passkey with this sort key. Passkeys come before the profile
    /// in the order of sort keys.
    pub(in crate::store) async fn read_with_passkey(
        table: &Table,
        key: &AccountKey,
        passkey: &str,
    ) -> Result<Option<(Self, Option<Item>)>, Fault> {
        let page = table.page(key.as_str(), Start::At(passkeys::PREFIX), ITEMS_MAX).await?;
        Self::of(page, passkey)
    }

    fn of(page: Page, passkey: &str) -> Result<Option<(Self, Option<Item>)>, Fault> {
        let (mut account, mut row) = (None, None);
        let mut sessions = Vec::with_capacity(page.items.len());
        for item in page.items {
            match sort_key(&item) {
                Some(PROFILE) => account = Some(profile::account(item)?),
                Some(sk) if sk.starts_with(sessions::PREFIX) => sessions.push(Opened::read(sk, &item)),
                Some(sk) if sk == passkey => row = Some(item),
                _ => {}
            }
        }
        Ok(account.map(|account| (Self { account, sessions, crowded: page.last.is_some() }, row)))
    }

    /// Adds the writes that make room for a new session of `account`, which is the account as it will be after
    /// `writes`. They delete the sessions of an earlier generation that were read, and the least recently used of the
    /// others, as many as fit into the transaction.
    pub(in crate::store) fn make_room(
        &self,
        account: &Account,
        presented: Option<&Token>,
        now: Timestamp,
        writes: &mut Vec<Write>,
    ) {
        // A transaction may contain an item only once, and `writes` already ends the presented session.
        let ends = presented.filter(|token| *token.account() == account.key).map(sessions::sort_key);
        let others = self.sessions.iter().filter(|session| ends.as_deref() != Some(session.sk.as_str()));
        let (mut kept, earlier): (Vec<_>, Vec<_>) = others.partition(|session| session.is_of(account));
        kept.sort_by_key(|session| session.last_use(now));
        let surplus = kept.len().saturating_sub(SESSIONS_MAX - 1);
        let room = TRANSACTION_MAX.saturating_sub(writes.len());
        writes.extend(kept.into_iter().take(surplus).chain(earlier).take(room).map(|session| {
            let ending = Write::delete(account.key.as_str(), &session.sk);
            if self.crowded { ending.when("attribute_exists(#pk)") } else { ending }
        }));
    }
}

impl Opened {
    /// Reads a row. A missing or broken number is 0, so the next login deletes a row without an id or a generation.
    fn read(sk: &str, item: &Item) -> Self {
        let number = |name: &str| item.get(name).and_then(|value| value.as_n().ok()?.parse().ok()).unwrap_or_default();
        Self {
            sk: sk.to_owned(),
            id: number("id"),
            generation: number("generation"),
            last_seen: number("last_seen"),
            expires_at: number("expires_at"),
        }
    }

    /// Whether the session may be live. A session of a later generation may be, because the account may have changed
    /// after it was read.
    fn is_of(&self, account: &Account) -> bool {
        self.id == account.id && self.generation >= account.generation
    }

    /// The time of its last use, in seconds; 0 if it has expired.
    fn last_use(&self, now: Timestamp) -> u64 {
        if now.seconds() < self.expires_at { self.last_seen } else { 0 }
    }
}

fn sort_key(item: &Item) -> Option<&str> {
    item.get("sk").and_then(|sk| sk.as_s().ok()).map(String::as_str)
}
