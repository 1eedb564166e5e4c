//! Verification tokens.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::{Kind, MailedTokens, Pause};
use crate::account::Account;
use crate::store::items::profile::{self, VERIFY_TOKEN};
use crate::store::table::{Guard, Update};
use crate::{Fault, Setup, Token};

/// The lifetime of a token: a day, in seconds.
const LIFETIME_SECONDS: u64 = 24 * 60 * 60;

const KIND: Kind =
    Kind { hash: "verify_hash", expires_at: "verify_expires_at", all: VERIFY_TOKEN, count: "verifications" };

/// The verification tokens in the accounts table.
#[derive(Clone)]
pub struct Verifications(MailedTokens);

impl Verifications {
    /// Reads `ACCOUNTS_TABLE` and `RESET_COOLDOWN_SECONDS`.
    pub fn new(setup: &Setup) -> Self {
        Self(MailedTokens::new(setup, KIND, LIFETIME_SECONDS))
    }

    /// The lifetime of a token in hours.
    pub fn lifetime_hours(&self) -> u64 {
        self.0.lifetime / 3600
    }

    /// Issues a token, which replaces any older one. Returns `None` if the cooldown of the last one is not over, if the
    /// share of its address is used up and the last one is live, or if the account was deleted, disabled or verified in the meantime.
    pub async fn issue(&self, account: &Account) -> Result<Option<Token>, Fault> {
        self.issue_after(Pause::Kept, account).await
    }

    /// Issues a token like [`Verifications::issue`], but without a cooldown. If the function that sends the email of a
    /// registration ended after it had issued the token and before it sent the email, it has to issue another one.
    pub async fn issue_at_once(&self, account: &Account) -> Result<Option<Token>, Fault> {
        self.issue_after(Pause::Skipped, account).await
    }

    async fn issue_after(&self, pause: Pause, account: &Account) -> Result<Option<Token>, Fault> {
        let token = self.0.mint(&account.key)?;
        let is_unverified = Guard::Equals("email_verified", AttributeValue::Bool(false));
        let issued = self.0.issue(account, &token, pause, (Update::new(), Some(is_unverified))).await?;
        Ok(issued.is_ok().then_some(token))
    }

    /// Removes a token whose mail could not be sent, so that the owner can request another one at once.
    pub async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        self.0.withdraw(account, token).await
    }

    /// Verifies the address of an account with a token, and consumes the token. Returns the account, or `None` if the
    /// token is invalid or expired.
    pub async fn consume(&self, token: &Token) -> Result<Option<Account>, Fault> {
        let write = self.0.consume(token, profile::verify(Update::new()));
        self.0.table.write_returning(write, ReturnValue::AllNew).await?.ok().map(profile::account).transpose()
    }
}
