//! Reset tokens. An account has at most one, the newest; its hash is stored in the profile.

use std::borrow::Cow;
use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::profile::{self, PROFILE};
use super::table::{Table, Write, n, s};
use crate::account::Account;
use crate::password::StoredHash;
use crate::system::clock::Clock;
use crate::{BrowserName, Fault, Setup, Token};

/// The lifetime of a token: thirty minutes, in seconds.
const LIFETIME_SECONDS: u64 = 30 * 60;
/// The longest lifetime and the longest pause between two tokens that may be set: a day, in seconds.
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// The condition that a token is live: it is the newest, has not expired, and nobody has disabled the account.
const LIVE: &str =
    "attribute_exists(#pk) AND #reset_hash = :hash AND #reset_expires_at > :now AND attribute_not_exists(#disabled_at)";

/// The reset tokens in the accounts table.
#[derive(Clone)]
pub struct Resets {
    table: Table,
    clock: Arc<dyn Clock>,
    lifetime: u64,
    /// The shortest time between two tokens of an account, in seconds; 0 if there is none.
    cooldown: u64,
}

/// What became of a request for a token.
pub enum Issued {
    /// A new token, which replaces any older one.
    Token(Token),
    /// The last token was issued a moment ago, and stays.
    CoolingDown,
    /// The account does not exist any more, or is disabled.
    NoAccount,
}

impl Resets {
    /// Reads `ACCOUNTS_TABLE`, `RESET_TOKEN_SECONDS` and `RESET_COOLDOWN_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            lifetime: setup.settings().number("RESET_TOKEN_SECONDS", LIFETIME_SECONDS, 60..=SECONDS_MAX),
            cooldown: setup.settings().number("RESET_COOLDOWN_SECONDS", 0, 0..=SECONDS_MAX),
        }
    }

    /// The lifetime of a token in minutes, rounded down.
    #[must_use]
    pub fn lifetime_minutes(&self) -> u64 {
        self.lifetime / 60
    }

    /// Issues a token, unless the last one was issued a moment ago.
    ///
    /// # Errors
    /// The table or the random number generator failed.
    pub async fn issue(&self, account: &Account) -> Result<Issued, Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let expires_at = self.clock.now().seconds() + self.lifetime;
        let exists = "attribute_exists(#pk) AND #id = :id AND attribute_not_exists(#disabled_at)";
        // All tokens have the same lifetime, so the time of their expiry also tells when they were issued.
        let has_cooled = "(attribute_not_exists(#reset_expires_at) OR #reset_expires_at <= :cooled)";
        let condition =
            if self.cooldown > 0 { format!("{exists} AND {has_cooled}").into() } else { Cow::Borrowed(exists) };
        let mut write =
            Write::update(account.key.as_str(), PROFILE, "SET #reset_hash = :hash, #reset_expires_at = :expires_at")
                .when(condition)
                .value(":id", n(account.id))
                .value(":hash", s(&token.hash()))
                .value(":expires_at", n(expires_at));
        if self.cooldown > 0 {
            write = write.value(":cooled", n(expires_at.saturating_sub(self.cooldown)));
        }
        let Err(refused) = self.table.write(write).await? else { return Ok(Issued::Token(token)) };
        let found = refused.item.map(profile::account).transpose()?;
        let exists = found.is_some_and(|found| found.id == account.id && !found.is_disabled());
        Ok(if exists { Issued::CoolingDown } else { Issued::NoAccount })
    }

    /// Removes a token whose mail could not be sent, so that the owner can ask for another one at once.
    ///
    /// # Errors
    /// The table failed; the owner may have to wait.
    pub async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        if self.cooldown == 0 {
            return Ok(());
        }
        let write = Write::update(account.key.as_str(), PROFILE, "REMOVE #reset_hash, #reset_expires_at")
            .when("attribute_exists(#pk) AND #reset_hash = :hash")
            .value(":hash", s(&token.hash()));
        // If the condition fails, the token has been replaced or used.
        self.table.write(write).await.map(|_| ())
    }

    /// Sets a new password with a token. The token and all sessions end, all browsers are forgotten, and the address is
    /// verified. Gives the account, or `None` when the token is invalid or expired.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn consume(
        &self,
        token: &Token,
        user_agent: Option<&str>,
        password: &StoredHash,
    ) -> Result<Option<Account>, Fault> {
        let changes = "SET #password = :password, #generation = #generation + :one, #email_verified = :true, \
                       #credentials_changed_by = :browser REMOVE #browsers, #reset_hash, #reset_expires_at";
        let write = Write::update(token.account().as_str(), PROFILE, changes)
            .when(LIVE)
            .value(":hash", s(&token.hash()))
            .value(":now", n(self.clock.now().seconds()))
            .value(":password", s(password.as_str()))
            .value(":one", n(1))
            .value(":true", AttributeValue::Bool(true))
            .value(":browser", s(BrowserName::of(user_agent).as_str()));
        self.table.write_returning(write, ReturnValue::AllNew).await?.ok().map(profile::account).transpose()
    }
}
