//! Reset tokens.
//!
//! If common passwords are refused, hashes of the account's words, keyed with the token's secret, are stored with a
//! token. The write that consumes the token can then refuse a password that is made of such a word, without another
//! call.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::{Kind, MailedTokens, Pause, SECONDS_MAX};
use crate::account::Account;
use crate::password::{PersonalWords, StoredHash};
use crate::store::items::profile::{self, RESET_TOKEN};
use crate::store::table::{Guard, Refused, Update, s};
use crate::{BrowserName, CommonPasswords, Fault, Password, Setup, Token};

const KIND: Kind = Kind { hash: "reset_hash", expires_at: "reset_expires_at", all: RESET_TOKEN };

/// The reset tokens in the accounts table.
#[derive(Clone)]
pub struct Resets {
    tokens: MailedTokens,
    common: CommonPasswords,
}

/// The outcome of a request for a token.
pub enum Issued {
    /// A new token, which replaces any older one.
    Token(Token),
    /// The cooldown of the last token is not over. That token is unchanged, and may have expired.
    CoolingDown,
    /// The account no longer exists, or is disabled.
    NoAccount,
}

/// The outcome of a request to set a password with a token.
pub enum Consumed {
    /// The password is set, and the token is consumed.
    Reset(Box<Account>),
    /// The password is made of its owner's address or name. The token stays valid.
    TooPersonal,
    /// The token is invalid or expired.
    NoToken,
}

impl Resets {
    /// Reads `ACCOUNTS_TABLE`, `COMMON_PASSWORDS`, `RESET_TOKEN_SECONDS` and `RESET_COOLDOWN_SECONDS`.
    pub fn new(setup: &Setup) -> Self {
        let lifetime = setup.settings().number("RESET_TOKEN_SECONDS", 60..=SECONDS_MAX);
        Self { tokens: MailedTokens::new(setup, KIND, lifetime), common: CommonPasswords::new(setup.settings()) }
    }

    /// The lifetime of a token in minutes, rounded down.
    pub fn lifetime_minutes(&self) -> u64 {
        self.tokens.lifetime / 60
    }

    /// Issues a token, if the cooldown of the last one is over and the account still exists and is not disabled.
    pub async fn issue(&self, account: &Account) -> Result<Issued, Fault> {
        let token = self.tokens.mint(account)?;
        let personal = PersonalWords::of_account(account, "");
        let words: Vec<String> = self.common.stems(&personal).map(|stem| token.seal(stem)).collect();
        let others = Update::new();
        let others = if words.is_empty() {
            others.remove(&["reset_words"])
        } else {
            others.set("reset_words", AttributeValue::Ss(words))
        };
        let write = self.tokens.store(account, &token, Pause::Kept, others);
        let Err(refused) = self.tokens.table.write(write).await? else { return Ok(Issued::Token(token)) };
        let found = refused.item.map(profile::account).transpose()?;
        let exists = found.is_some_and(|found| found.id == account.id && !found.is_disabled());
        Ok(if exists { Issued::CoolingDown } else { Issued::NoAccount })
    }

    /// Removes a token whose mail could not be sent, so that the owner can request another one at once.
    pub async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        self.tokens.withdraw(account, token).await
    }

    /// Sets a new password with a token, `hash` being that of `password`. The token and all sessions end, all browsers
    /// are forgotten, and the address is verified.
    pub async fn consume(
        &self,
        token: &Token,
        user_agent: Option<&str>,
        password: &Password,
        hash: &StoredHash,
    ) -> Result<Consumed, Fault> {
        let word = self.common.stem(password).map(|stem| token.seal(&stem));
        let changes = Update::new()
            .set("password", s(hash.as_str()))
            .increase("generation", 1)
            .set("email_verified", AttributeValue::Bool(true))
            .set("credentials_changed_by", s(BrowserName::of(user_agent).as_str()))
            .remove(&["browsers"]);
        let mut write = self.tokens.consume(token, changes);
        if let Some(word) = &word {
            // An account without stored words meets it: its token was issued while common passwords were accepted.
            write = write.when(Guard::Lacks("reset_words", s(word)));
        }
        match self.tokens.table.write_returning(write, ReturnValue::AllNew).await? {
            Ok(item) => Ok(Consumed::Reset(Box::new(profile::account(item)?))),
            Err(Refused { item: Some(item), .. }) if word.is_some() && self.tokens.is_live(&item, token) => {
                Ok(Consumed::TooPersonal)
            }
            Err(_) => Ok(Consumed::NoToken),
        }
    }
}
