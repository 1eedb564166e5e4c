//! Reset tokens: one for each account, the newest, kept as a hash in the profile.

use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::profile::{self, PROFILE};
use super::table::{Table, Write, n, s};
use crate::account::Account;
use crate::password::StoredHash;
use crate::system::clock::Clock;
use crate::{Fault, Setup, Token};

/// Thirty minutes: how long a token lives, in seconds.
const LIFETIME_SECONDS: u64 = 30 * 60;
/// A day, in seconds: what the lifetime may be set to.
const LIFETIME_MAX: u64 = 24 * 60 * 60;

/// The accounts table, as far as reset tokens go.
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

    /// How long a token lives, in minutes, rounded down.
    #[must_use]
    pub fn lifetime_minutes(&self) -> u64 {
        self.lifetime / 60
    }

    /// Gives the account a token in place of any older one; none when the account is gone.
    ///
    /// # Errors
    /// The table or the random generator failed.
    pub async fn issue(&self, account: &Account) -> Result<Option<Token>, Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let expires_at = self.clock.now().seconds() + self.lifetime;
        let changes = "SET #reset_hash = :hash, #reset_expires_at = :expires_at";
        let write = Write::update(account.key.as_str(), PROFILE, changes)
            .when("attribute_exists(#pk) AND #id = :id")
            .value(":id", n(account.id))
            .value(":hash", s(&token.hash()))
            .value(":expires_at", n(expires_at));
        Ok(self.table.write(write).await?.is_ok().then_some(token))
    }

    /// Trades a token for a new password: the token and all sessions end, and the inbox is proved. Gives the
    /// account; none when the token is not alive.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn consume(&self, token: &Token, password: &StoredHash) -> Result<Option<Account>, Fault> {
        let changes = "SET #password = :password, #generation = #generation + :one, #email_verified = :true \
                       REMOVE #reset_hash, #reset_expires_at";
        let write = Write::update(token.account().as_str(), PROFILE, changes)
            .when("attribute_exists(#pk) AND #reset_hash = :hash AND #reset_expires_at > :now")
            .value(":hash", s(&token.hash()))
            .value(":now", n(self.clock.now().seconds()))
            .value(":password", s(password.as_str()))
            .value(":one", n(1))
            .value(":true", AttributeValue::Bool(true));
        self.table.write_returning(write, ReturnValue::AllNew).await?.ok().map(profile::account).transpose()
    }
}
