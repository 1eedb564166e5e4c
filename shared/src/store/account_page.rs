//! An account and its sessions, by one bounded read: what a login needs to know before it opens one session more.
//!
//! Whoever knows the password may log in again and again, so the rows that this leaves are bounded here: an account
//! has at most 50 live sessions, and opening another ends the least recently used. Concurrent logins do not see each
//! other's session, so each may leave one extra row until the next login. If the read does not show every row, a login
//! deletes sessions on the condition that they still exist, so concurrent logins cannot add rows. So an account never
//! has more than 99 rows and one for each login that is under way.

use super::profile::{self, PROFILE};
use super::sessions;
use super::table::{Item, Start, TRANSACTION_MAX, Table, Write};
use crate::account::{Account, AccountKey};
use crate::system::clock::Timestamp;
use crate::{Fault, Token};

/// Live sessions of an account.
pub(super) const SESSIONS_MAX: usize = 50;
/// Items of the read: the profile, all sessions that an account may have, and as many again for logins beside each
/// other. About 25 KB, so 6 read units; an account with three sessions takes one.
const ITEMS_MAX: i32 = 100;

/// An account, and its sessions as far as one read shows them.
pub struct AccountPage {
    /// The account.
    pub account: Account,
    sessions: Vec<Opened>,
    /// Whether there are more rows than were read.
    crowded: bool,
}

/// What of a session's row decides whether it goes.
struct Opened {
    sk: String,
    id: u64,
    generation: u64,
    last_seen: u64,
    expires_at: u64,
}

impl AccountPage {
    /// Reads the account under a key, if there is one.
    pub(super) async fn read(table: &Table, key: &AccountKey) -> Result<Option<Self>, Fault> {
        let page = table.page(key.as_str(), Start::At(PROFILE), ITEMS_MAX).await?;
        let mut account = None;
        let mut sessions = Vec::with_capacity(page.items.len());
        for item in page.items {
            match sort_key(&item) {
                Some(PROFILE) => account = Some(profile::account(item)?),
                Some(sk) if sk.starts_with(sessions::PREFIX) => sessions.push(Opened::read(sk, &item)),
                _ => {}
            }
        }
        Ok(account.map(|account| Self { account, sessions, crowded: page.last.is_some() }))
    }

    /// Adds to the writes that open a session of `account`, as it will be after them, those that make room for it:
    /// all sessions of an earlier generation go, and of the others the least recently used.
    pub(super) fn make_room(
        &self,
        account: &Account,
        presented: Option<&Token>,
        now: Timestamp,
        writes: &mut Vec<Write>,
    ) {
        // A transaction may name an item once, and the presented session ends anyway.
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
    /// A broken row is of no generation, so it goes with the next login.
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

    /// Whether the session may still be alive. One of a later generation is: the account changed after it was read.
    fn is_of(&self, account: &Account) -> bool {
        self.id == account.id && self.generation >= account.generation
    }

    /// When it was last used, in seconds; 0 when its lifetime is over.
    fn last_use(&self, now: Timestamp) -> u64 {
        if now.seconds() < self.expires_at { self.last_seen } else { 0 }
    }
}

fn sort_key(item: &Item) -> Option<&str> {
    item.get("sk").and_then(|sk| sk.as_s().ok()).map(String::as_str)
}
