//! Reset tokens. An account has at most one, the newest; its hash is stored in the profile.
//!
//! If common passwords are refused, the hashes of the account's words are stored with it, under the token's secret. The
//! write that consumes the token refuses a password that is made of one of these words, without a further call.

use std::borrow::Cow;
use std::sync::Arc;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::profile::{self, PROFILE};
use super::table::{Item, Refused, Table, Write, n, s};
use crate::account::Account;
use crate::password::{Personal, StoredHash};
use crate::system::clock::Clock;
use crate::{BrowserName, CommonPasswords, Fault, Password, Setup, Token};

/// The lifetime of a token: thirty minutes, in seconds.
const LIFETIME_SECONDS: u64 = 30 * 60;
/// The longest lifetime and the longest pause between two tokens that may be set: a day, in seconds.
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// The condition that a token is live: it is the newest, has not expired, and nobody has disabled the account.
const LIVE: &str =
    "attribute_exists(#pk) AND #reset_hash = :hash AND #reset_expires_at > :now AND attribute_not_exists(#disabled_at)";

/// The condition besides [`LIVE`] that the password is not made of a word of its account. An account without stored words
/// meets it: its token was issued before such passwords were refused.
const NOT_PERSONAL: &str = "NOT contains(#reset_words, :word)";

/// The reset tokens in the accounts table.
#[derive(Clone)]
pub struct Resets {
    table: Table,
    clock: Arc<dyn Clock>,
    lifetime: u64,
    /// The shortest time between two tokens of an account, in seconds; 0 if there is none.
    cooldown: u64,
    common: CommonPasswords,
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

/// What became of a request to set a password with a token.
pub enum Consumed {
    /// The password is set, and the token is used up.
    Reset(Box<Account>),
    /// The token is valid, and stays so: the password is made of its owner's address or name.
    TooPersonal,
    /// The token is invalid or expired.
    NoToken,
}

impl Resets {
    /// Reads `ACCOUNTS_TABLE`, `COMMON_PASSWORDS`, `RESET_TOKEN_SECONDS` and `RESET_COOLDOWN_SECONDS`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            table: Table::new(setup, "ACCOUNTS_TABLE"),
            clock: setup.clock(),
            lifetime: setup.settings().number("RESET_TOKEN_SECONDS", LIFETIME_SECONDS, 60..=SECONDS_MAX),
            cooldown: cooldown(setup),
            common: CommonPasswords::new(setup.settings()),
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
        let personal = Personal::of_account(account, "");
        let words: Vec<String> = self.common.stems(&personal).map(|stem| token.seal(stem)).collect();
        let further = if words.is_empty() { "" } else { ", #reset_words = :words" };
        let changes = format!("SET #reset_hash = :hash, #reset_expires_at = :expires_at{further}");
        let mut write = Write::update(account.key.as_str(), PROFILE, changes)
            .when(condition)
            .value(":id", n(account.id))
            .value(":hash", s(&token.hash()))
            .value(":expires_at", n(expires_at));
        if self.cooldown > 0 {
            write = write.value(":cooled", n(expires_at.saturating_sub(self.cooldown)));
        }
        if !words.is_empty() {
            write = write.value(":words", AttributeValue::Ss(words));
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

    /// Sets a new password with a token, `hash` being that of `password`. The token and all sessions end, all browsers
    /// are forgotten, and the address is verified.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn consume(
        &self,
        token: &Token,
        user_agent: Option<&str>,
        password: &Password,
        hash: &StoredHash,
    ) -> Result<Consumed, Fault> {
        let word = self.common.stem(password).map(|stem| token.seal(&stem));
        let (condition, further) = match word {
            Some(_) => (format!("{LIVE} AND {NOT_PERSONAL}").into(), ", #reset_words"),
            None => (Cow::Borrowed(LIVE), ""),
        };
        let changes = format!(
            "SET #password = :password, #generation = #generation + :one, #email_verified = :true, \
             #credentials_changed_by = :browser REMOVE #browsers, #reset_hash, #reset_expires_at{further}"
        );
        let now = self.clock.now().seconds();
        let mut write = Write::update(token.account().as_str(), PROFILE, changes)
            .when(condition)
            .value(":hash", s(&token.hash()))
            .value(":now", n(now))
            .value(":password", s(hash.as_str()))
            .value(":one", n(1))
            .value(":true", AttributeValue::Bool(true))
            .value(":browser", s(BrowserName::of(user_agent).as_str()));
        if let Some(word) = &word {
            write = write.value(":word", s(word));
        }
        match self.table.write_returning(write, ReturnValue::AllNew).await? {
            Ok(item) => Ok(Consumed::Reset(Box::new(profile::account(item)?))),
            Err(Refused { item: Some(item), .. }) if word.is_some() && is_live(&item, token, now) => {
                Ok(Consumed::TooPersonal)
            }
            Err(_) => Ok(Consumed::NoToken),
        }
    }
}

/// Whether an item meets the condition [`LIVE`].
fn is_live(item: &Item, token: &Token, now: u64) -> bool {
    let expires_at = item.get("reset_expires_at").and_then(|value| value.as_n().ok()?.parse::<u64>().ok());
    item.get("reset_hash") == Some(&s(&token.hash()))
        && expires_at.is_some_and(|expires_at| expires_at > now)
        && !item.contains_key("disabled_at")
}

/// `RESET_COOLDOWN_SECONDS`: the shortest time between two mails with a token to the same account; 0 if there is none.
pub(super) fn cooldown(setup: &Setup) -> u64 {
    setup.settings().number("RESET_COOLDOWN_SECONDS", 0, 0..=SECONDS_MAX)
}
