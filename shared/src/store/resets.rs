//! Reset tokens. An account has at most one, the newest; its hash is stored in the profile.

use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::profile::{self, PROFILE};
use super::table::{Table, Write, n, s};
use crate::account::Account;
use crate::password::StoredHash;
use crate::system::clock::Clock;
use crate::{Fault, Setup, Token};

/// The lifetime of a token: thirty minutes, in seconds.
const LIFETIME_SECONDS: u64 = 30 * 60;
/// The longest lifetime that may be set: a day, in seconds.
const LIFETIME_MAX: u64 = 24 * 60 * 60;

/// The condition that a token is live: it is the newest, has not expired, and nobody has disabled the account.
const LIVE: &str =
    "attribute_exists(#pk) AND #reset_hash = :hash AND #reset_expires_at > :now AND attribute_not_exists(#disabled_at)";

/// The reset tokens in the accounts table.
#[derive(Clone)]
pub struct Resets {
    table: Table,
    clock: Arc<dyn Clock>,
    lifetime: u64,
}

impl Resets {
    /// Reads `ACCOUNTS_TABLE` and `RESET_TOKEN_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            lifetime: setup.settings().number("RESET_TOKEN_SECONDS", LIFETIME_SECONDS, 60..=LIFETIME_MAX),
        }
    }

    /// The lifetime of a token in minutes, rounded down.
    #[must_use]
    pub fn lifetime_minutes(&self) -> u64 {
        self.lifetime / 60
    }

    /// Issues a token, which replaces any older one. Gives `None` when the account does not exist any more,
    /// or is disabled.
    ///
    /// # Errors
    /// The table or the random number generator failed.
    pub async fn issue(&self, account: &Account) -> Result<Option<Token>, Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let expires_at = self.clock.now().seconds() + self.lifetime;
        let changes = "SET #reset_hash = :hash, #reset_expires_at = :expires_at";
        let write = Write::update(account.key.as_str(), PROFILE, changes)
            .when("attribute_exists(#pk) AND #id = :id AND attribute_not_exists(#disabled_at)")
            .value(":id", n(account.id))
            .value(":hash", s(&token.hash()))
            .value(":expires_at", n(expires_at));
        Ok(self.table.write(write).await?.is_ok().then_some(token))
    }

    /// Sets a new password with a token. The token and all sessions end, and the address is verified. Gives the
    /// account, or `None` when the token is invalid or expired.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn consume(&self, token: &Token, password: &StoredHash) -> Result<Option<Account>, Fault> {
        let changes = "SET #password = :password, #generation = #generation + :one, #email_verified = :true \
                       REMOVE #reset_hash, #reset_expires_at";
        let write = Write::update(token.account().as_str(), PROFILE, changes)
            .when(LIVE)
            .value(":hash", s(&token.hash()))
            .value(":now", n(self.clock.now().seconds()))
            .value(":password", s(password.as_str()))
            .value(":one", n(1))
            .value(":true", AttributeValue::Bool(true));
        self.table.write_returning(write, ReturnValue::AllNew).await?.ok().map(profile::account).transpose()
    }
}
