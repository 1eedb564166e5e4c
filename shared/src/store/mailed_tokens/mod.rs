//! Tokens that are mailed to the owner of an account. An account has at most one of each kind, the newest; its hash is
//! stored in the profile.

mod resets;
mod verifications;

pub use resets::{Consumed, Issued, Resets};
pub use verifications::Verifications;

use std::sync::Arc;

use super::account::profile::PROFILE;
use super::table::{Item, Table, Write, n, s};
use crate::account::Account;
use crate::system::clock::{Clock, Timestamp};
use crate::{Fault, Setup, Token};

/// The longest lifetime and the longest cooldown that may be set: a day, in seconds.
pub(super) const SECONDS_MAX: u64 = 24 * 60 * 60;

/// How much later than a new token an older one may expire, because clocks differ. In seconds.
const CLOCKS_SECONDS: u64 = 60;

/// All attributes of a reset token, as an update expression removes them.
pub(super) const RESET_TOKEN: &str = "#reset_hash, #reset_expires_at, #reset_words";
/// All attributes of a verification token.
pub(super) const VERIFICATION_TOKEN: &str = "#verify_hash, #verify_expires_at";

/// A kind of token: the names of its attributes in the profile.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) hash: &'static str,
    pub(super) expires_at: &'static str,
    /// All attributes, as an update expression removes them.
    pub(super) all: &'static str,
}

/// Whether a new token has to wait until `RESET_COOLDOWN_SECONDS` have passed since the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pause {
    Kept,
    Skipped,
}

/// Tokens of one kind.
#[derive(Clone)]
pub(super) struct MailedTokens {
    pub(super) table: Table,
    clock: Arc<dyn Clock>,
    kind: Kind,
    /// In seconds.
    pub(super) lifetime: u64,
    /// The shortest time between two tokens of an account, in seconds; 0 if there is none.
    cooldown: u64,
}

impl MailedTokens {
    /// Reads `ACCOUNTS_TABLE` and `RESET_COOLDOWN_SECONDS`.
    pub(super) fn new(setup: &Setup, kind: Kind, lifetime: u64) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            kind,
            lifetime,
            cooldown: setup.settings().number("RESET_COOLDOWN_SECONDS", 0..=SECONDS_MAX),
        }
    }

    /// A new token for an account. It is valid once the write of [`MailedTokens::storing`] has succeeded.
    pub(super) fn mint(&self, account: &Account) -> Result<Token, Fault> {
        Token::mint_until(&account.key, self.expiry(), self.table.random())
    }

    /// When a token that is issued now expires.
    fn expiry(&self) -> Timestamp {
        Timestamp::from_seconds(self.clock.now().seconds() + self.lifetime)
    }

    /// The write that stores a token in place of an older one. Its condition is that the cooldown of the older token is
    /// over, and that the account still exists and is not disabled. `condition` and `changes` are appended to its
    /// expressions.
    pub(super) fn storing(
        &self,
        account: &Account,
        token: &Token,
        pause: Pause,
        condition: &str,
        changes: &str,
    ) -> Write {
        let Kind { hash, expires_at: until, .. } = self.kind;
        let expires_at = self.expiry().seconds();
        let cooldown = if pause == Pause::Kept { self.cooldown } else { 0 };
        let mut all = format!("attribute_exists(#pk) AND #id = :id AND attribute_not_exists(#disabled_at){condition}");
        if cooldown > 0 {
            // All tokens of a kind have the same lifetime, so the expiry shows when a token was issued. If the
            // older token expires later than a new one, it was issued before the lifetime was lowered. Then it has no
            // cooldown.
            all = format!("{all} AND (attribute_not_exists(#{until}) OR #{until} <= :cooled OR #{until} > :newest)");
        }
        let changes = format!("SET #{hash} = :hash, #{until} = :expires_at{changes}");
        let write = Write::update(account.key.as_str(), PROFILE, changes)
            .when(all)
            .value(":id", n(account.id))
            .value(":hash", s(&token.hash()))
            .value(":expires_at", n(expires_at));
        if cooldown == 0 {
            return write;
        }
        write
            .value(":cooled", n(expires_at.saturating_sub(cooldown)))
            .value(":newest", n(expires_at.saturating_add(CLOCKS_SECONDS)))
    }

    /// Removes a token whose mail could not be sent, so that the owner can request another one at once. Without a
    /// cooldown this is always possible, and nothing is written.
    pub(super) async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        if self.cooldown == 0 {
            return Ok(());
        }
        let Kind { hash, all, .. } = self.kind;
        let write = Write::update(account.key.as_str(), PROFILE, format!("REMOVE {all}"))
            .when(format!("attribute_exists(#pk) AND #{hash} = :hash"))
            .value(":hash", s(&token.hash()));
        // If the condition fails, the token has been replaced or used.
        self.table.write(write).await.map(|_| ())
    }

    /// The write of the profile that uses a token, on the condition that the token is live: it is the newest, has not
    /// expired, and the account is not disabled. `condition` is appended to the condition.
    pub(super) fn using(&self, token: &Token, condition: &str, changes: String) -> Write {
        let Kind { hash, expires_at, .. } = self.kind;
        let live = format!("attribute_exists(#pk) AND #{hash} = :hash AND #{expires_at} > :now");
        Write::update(token.account().as_str(), PROFILE, changes)
            .when(format!("{live} AND attribute_not_exists(#disabled_at){condition}"))
            .value(":hash", s(&token.hash()))
            .value(":now", n(self.clock.now().seconds()))
    }

    /// Whether a token is live in a profile, as [`MailedTokens::using`] requires.
    pub(super) fn is_live(&self, profile: &Item, token: &Token) -> bool {
        let Kind { hash, expires_at, .. } = self.kind;
        let expires_at = profile.get(expires_at).and_then(|value| value.as_n().ok()?.parse::<u64>().ok());
        profile.get(hash) == Some(&s(&token.hash()))
            && expires_at.is_some_and(|expires_at| expires_at > self.clock.now().seconds())
            && !profile.contains_key("disabled_at")
    }
}
