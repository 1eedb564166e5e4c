//! Tokens that prove an address. An account has at most one, the newest; its hash is stored in the profile.

use std::borrow::Cow;
use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::profile::{self, PROFILE};
use super::resets::cooldown;
use super::table::{Table, Write, n, s};
use crate::account::Account;
use crate::system::clock::Clock;
use crate::{Fault, Setup, Token};

/// The lifetime of a token: a day, in seconds.
const LIFETIME_SECONDS: u64 = 24 * 60 * 60;

/// The condition that a token is live: it is the newest, has not expired, and nobody has disabled the account.
const LIVE: &str = "attribute_exists(#pk) AND #verify_hash = :hash AND #verify_expires_at > :now \
                    AND attribute_not_exists(#disabled_at)";

/// The verification tokens in the accounts table.
#[derive(Clone)]
pub struct Verifications {
    table: Table,
    clock: Arc<dyn Clock>,
    /// The shortest time between two tokens of an account, in seconds; 0 if there is none.
    cooldown: u64,
}

impl Verifications {
    /// Reads `ACCOUNTS_TABLE` and `RESET_COOLDOWN_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock(), cooldown: cooldown(setup) }
    }

    /// The lifetime of a token in hours.
    #[must_use]
    pub fn lifetime_hours(&self) -> u64 {
        LIFETIME_SECONDS / 3600
    }

    /// Issues a token, which replaces any older one. Gives `None` if the last one was issued a moment ago, or if the
    /// account was deleted, disabled or verified in between.
    ///
    /// # Errors
    /// The table or the random number generator failed.
    pub async fn issue(&self, account: &Account) -> Result<Option<Token>, Fault> {
        let token = Token::mint(&account.key, self.table.random())?;
        let expires_at = self.clock.now().seconds() + LIFETIME_SECONDS;
        let waits =
            "attribute_exists(#pk) AND #id = :id AND #email_verified = :false AND attribute_not_exists(#disabled_at)";
        // All tokens have the same lifetime, so the time of their expiry also tells when they were issued.
        let has_cooled = "(attribute_not_exists(#verify_expires_at) OR #verify_expires_at <= :cooled)";
        let condition =
            if self.cooldown > 0 { format!("{waits} AND {has_cooled}").into() } else { Cow::Borrowed(waits) };
        let changes = "SET #verify_hash = :hash, #verify_expires_at = :expires_at";
        let mut write = Write::update(account.key.as_str(), PROFILE, changes)
            .when(condition)
            .value(":id", n(account.id))
            .value(":false", AttributeValue::Bool(false))
            .value(":hash", s(&token.hash()))
            .value(":expires_at", n(expires_at));
        if self.cooldown > 0 {
            write = write.value(":cooled", n(expires_at.saturating_sub(self.cooldown)));
        }
        Ok(self.table.write(write).await?.is_ok().then_some(token))
    }

    /// Removes a token whose mail could not be sent, so that the owner can ask for another one at once.
    ///
    /// # Errors
    /// The table failed; the owner may have to wait.
    pub async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        let write = Write::update(account.key.as_str(), PROFILE, "REMOVE #verify_hash, #verify_expires_at")
            .when("attribute_exists(#pk) AND #verify_hash = :hash")
            .value(":hash", s(&token.hash()));
        // If the condition fails, the token has been replaced or used.
        self.table.write(write).await.map(|_| ())
    }

    /// Proves the address of an account with a token, which ends. Gives the account, or `None` when the token is invalid
    /// or expired.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn consume(&self, token: &Token) -> Result<Option<Account>, Fault> {
        let changes = "SET #email_verified = :true REMOVE #verify_hash, #verify_expires_at";
        let write = Write::update(token.account().as_str(), PROFILE, changes)
            .when(LIVE)
            .value(":hash", s(&token.hash()))
            .value(":now", n(self.clock.now().seconds()))
            .value(":true", AttributeValue::Bool(true));
        self.table.write_returning(write, ReturnValue::AllNew).await?.ok().map(profile::account).transpose()
    }
}
