//! Tokens that are mailed to the owner of an account. An account has at most one of each kind, the newest, except the links
//! of notices; their hashes are stored in the profile.

mod budget;
pub(in crate::store) mod email_changes;
pub(in crate::store) mod locks;
mod resets;
mod verifications;

pub use budget::MailBudget;
pub use email_changes::{Asked, EmailChanges};
pub use locks::Locks;
pub use resets::{Consumed, Issued, NewReset, Resets};
pub use verifications::Verifications;

use super::items::{mails, profile};
use super::table::{Guard, Item, Outcome, Table, Update, Write, n, number, s};
use crate::account::{Account, AccountKey};
use crate::system::clock::Timestamp;
use crate::{Fault, Setup, Token};

/// The longest lifetime and the longest cooldown that may be set: a day, in seconds.
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// How much later than a new token an older one may expire, because clocks differ. In seconds.
const CLOCKS_SECONDS: u64 = 60;

/// A kind of token: the names of its attributes in the profile.
#[derive(Clone, Copy)]
struct Kind {
    hash: &'static str,
    expires_at: &'static str,
    all: &'static [&'static str],
    /// The sort key of the count of the mails of this kind.
    count: &'static str,
}

/// Whether a new token has to wait until `RESET_COOLDOWN_SECONDS` have passed since the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    Kept,
    Skipped,
}

/// Tokens of one kind.
#[derive(Clone)]
struct MailedTokens {
    table: Table,
    budget: MailBudget,
    kind: Kind,
    /// In seconds.
    lifetime: u64,
    /// The shortest time between two tokens of an account, in seconds; 0 if there is none.
    cooldown: u64,
}

impl MailedTokens {
    /// Reads `ACCOUNTS_TABLE`, `RESET_COOLDOWN_SECONDS` and `MAILS_PER_DAY`.
    fn new(setup: &Setup, kind: Kind, lifetime: u64) -> Self {
        Self {
            table: Table::accounts(setup),
            budget: MailBudget::new(setup),
            kind,
            lifetime,
            // Within a cooldown, the link that was mailed must be live.
            cooldown: setup.settings().number("RESET_COOLDOWN_SECONDS", 0..=SECONDS_MAX).min(lifetime),
        }
    }

    /// A new token for the account with this key. It is valid once it is stored.
    fn mint(&self, account: &AccountKey) -> Result<Token, Fault> {
        Token::mint_until(account, self.expiry(), self.table.random())
    }

    /// When a token that is issued now expires.
    fn expiry(&self) -> Timestamp {
        Timestamp::from_seconds(self.table.now().seconds() + self.lifetime)
    }

    /// Stores a token in place of an older one, with these other changes, if the guard holds, the cooldown of the older
    /// token is over, and the account still exists and is not disabled. Counts the mail.
    async fn issue(
        &self,
        account: &Account,
        token: &Token,
        pause: Pause,
        (others, guard): (Update, Option<Guard>),
    ) -> Result<Outcome, Fault> {
        let bucket = mails::links(&account.email, self.kind.count);
        let write = |cooldown| {
            let write = self.store(account, token, cooldown, others.clone());
            guard.iter().cloned().fold(write, Write::when)
        };
        let cooldown = if pause == Pause::Kept { self.cooldown } else { 0 };
        self.budget.issue(&bucket, write(cooldown), write(self.lifetime)).await
    }

    fn store(&self, account: &Account, token: &Token, cooldown: u64, others: Update) -> Write {
        let Kind { hash, expires_at: until, .. } = self.kind;
        let expires_at = self.expiry().seconds();
        let update = others.set(hash, s(&token.hash())).set(until, n(expires_at));
        // The link goes to the address that was read. After a change of address it would open the account to others.
        let is_same = profile::is_of(account).and(profile::has_same_email(account));
        let write = Write::update(profile::key_of(&account.key), update).when(is_same).when(profile::is_enabled());
        if cooldown == 0 {
            return write;
        }
        // All tokens of a kind have the same lifetime, so the expiry shows when a token was issued. If the older token
        // expires later than a new one, it was issued before the lifetime was lowered. Then it has no cooldown.
        write.when(Guard::Any(vec![
            Guard::Without(until),
            Guard::Below(until, n(expires_at.saturating_sub(cooldown) + 1)),
            Guard::Above(until, n(expires_at.saturating_add(CLOCKS_SECONDS))),
        ]))
    }

    /// Removes a token whose mail could not be sent, so that the owner can request another one at once. Without a
    /// cooldown this is always possible, and nothing is written.
    async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        if self.cooldown == 0 {
            return Ok(());
        }
        let Kind { hash, all, .. } = self.kind;
        let is_newest = Guard::Equals(hash, s(&token.hash()));
        let write = Write::update(profile::key_of(&account.key), Update::new().remove(all)).when(is_newest);
        // If the guard fails, the token has been replaced or used.
        self.table.write(write).await.map(|_| ())
    }

    /// Uses a token with these changes of the profile, if the token is live: it is the newest, has not expired, and the
    /// account is not disabled.
    fn consume(&self, token: &Token, changes: Update) -> Write {
        let Kind { hash, expires_at, all, .. } = self.kind;
        let is_newest = Guard::Equals(hash, s(&token.hash()));
        let is_live = is_newest.and(Guard::Above(expires_at, n(self.table.now().seconds()))).and(profile::is_enabled());
        Write::update(profile::key_of(token.account()), changes.remove(all)).when(is_live)
    }

    /// Whether a token is live in a profile, as [`MailedTokens::consume`] requires.
    fn is_live(&self, profile: &Item, token: &Token) -> bool {
        let Kind { hash, expires_at, .. } = self.kind;
        profile.get(hash) == Some(&s(&token.hash()))
            && number(profile, expires_at).is_some_and(|expires_at| expires_at > self.table.now().seconds())
            && !profile.contains_key("disabled_at")
    }
}
