//! Reset tokens.
//!
//! If common passwords are refused, hashes of the account's words, keyed with the token's secret, are stored with a
//! token. The write that consumes the token can then refuse a password that is made of such a word, without another
//! call.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::{Kind, MailedTokens, Pause, SECONDS_MAX};
use crate::account::{Account, AccountKey, BrowserSecret};
use crate::password::{PersonalWords, StoredHash};
use crate::store::browsers::{Browser, Browsers};
use crate::store::items::profile::{self, ALL_PASSKEYS, FORMER_EMAILS, RESET_TOKEN};
use crate::store::items::{identity, passkey};
use crate::store::table::{Guard, Update, Write, again, n, s};
use crate::system::clock::Timestamp;
use crate::{BrowserName, CommonPasswords, Fault, Password, Setup, Token};

const KIND: Kind = Kind { hash: "reset_hash", expires_at: "reset_expires_at", all: RESET_TOKEN, count: "resets" };
/// The maximum number of attempts if other calls change the account at the same time.
const ROUNDS: usize = 4;

/// The reset tokens in the accounts table.
#[derive(Clone)]
pub struct Resets {
    tokens: MailedTokens,
    common: CommonPasswords,
    browsers: Browsers,
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

/// A token that the write of a lock stores.
pub struct NewReset {
    token: Token,
    expires_at: Timestamp,
}

/// A completed reset.
pub struct Reset {
    /// The account.
    pub account: Account,
    /// The secret of the browser, for its cookie; `None` if the cookie was not read.
    pub browser: Option<BrowserSecret>,
}

/// The outcome of a request to set a password with a token.
pub enum Consumed {
    /// The password is set, and the token is consumed.
    Reset(Box<Reset>),
    /// The password is made of its owner's address or name. The token stays valid.
    TooPersonal,
    /// The token is invalid or expired.
    NoToken,
}

impl Resets {
    /// Reads `COMMON_PASSWORDS`, `RESET_TOKEN_SECONDS`, the settings of mailed tokens and those of known browsers.
    pub fn new(setup: &Setup) -> Self {
        let lifetime = setup.settings().number("RESET_TOKEN_SECONDS", 60..=SECONDS_MAX);
        let (tokens, common) = (MailedTokens::new(setup, KIND, lifetime), CommonPasswords::new(setup.settings()));
        Self { tokens, common, browsers: Browsers::new(setup) }
    }

    /// The lifetime of a token in minutes, rounded down.
    pub fn lifetime_minutes(&self) -> u64 {
        self.tokens.lifetime / 60
    }

    /// Issues a token, if the cooldown of the last one is over and the account still exists and is not disabled.
    pub async fn issue(&self, account: &Account) -> Result<Issued, Fault> {
        let token = self.tokens.mint(&account.key)?;
        let words = self.words(account, &token);
        let others = Update::new();
        let others = if words.is_empty() {
            others.remove(&["reset_words"])
        } else {
            others.set("reset_words", AttributeValue::Ss(words))
        };
        let others = if account.email_verified { profile::not_handed_over(others) } else { others };
        let Err(refused) = self.tokens.issue(account, &token, Pause::Kept, (others, None)).await? else {
            return Ok(Issued::Token(token));
        };
        let found = refused.item.map(profile::account).transpose()?;
        let is_same = |found: &Account| found.id == account.id && found.email == account.email;
        let exists = found.is_some_and(|found| is_same(&found) && !found.is_disabled());
        Ok(if exists { Issued::CoolingDown } else { Issued::NoAccount })
    }

    /// A token for a write that locks the account with this key.
    pub fn mint(&self, account: &AccountKey) -> Result<NewReset, Fault> {
        Ok(NewReset { token: self.tokens.mint(account)?, expires_at: self.tokens.expiry() })
    }

    /// Stores the words of an account that was locked, so that its new password cannot be made of them.
    pub async fn seal(&self, account: &Account, reset: &NewReset) -> Result<(), Fault> {
        let words = self.words(account, &reset.token);
        if words.is_empty() {
            return Ok(());
        }
        let update = Update::new().set("reset_words", AttributeValue::Ss(words));
        let write = Write::update(profile::key_of(&account.key), update).when(reset.is_stored());
        self.tokens.table.write(write).await.map(|_| ())
    }

    /// Hashes of the words that the new password must not be made of.
    fn words(&self, account: &Account, token: &Token) -> Vec<String> {
        let personal = PersonalWords::of_account(account, "");
        self.common.stems(&personal).map(|stem| token.seal(stem)).collect()
    }

    /// Removes a token whose mail could not be sent, so that the owner can request another one at once.
    pub async fn withdraw(&self, account: &Account, token: &Token) -> Result<(), Fault> {
        self.tokens.withdraw(account, token).await
    }

    /// Sets a new password with a token, `hash` being that of `password`. The token, all sessions and all known browsers but
    /// the caller's end, and the address is verified. If this is its first proof, or if the owner asks for it, all
    /// passkeys are removed, and Google is unlinked from an account that has had another address.
    pub async fn consume(
        &self,
        token: &Token,
        browser: Browser<'_>,
        (password, hash): (&Password, &StoredHash),
        removes_passkeys: bool,
    ) -> Result<Consumed, Fault> {
        let word = self.common.stem(password).map(|stem| token.seal(&stem));
        let recognised = self.browsers.keep_only(&[], browser)?;
        let (word, recognised) = (word.as_deref(), &recognised);
        let done = |account| Consumed::Reset(Box::new(Reset { account, browser: recognised.secret.clone() }));
        again(ROUNDS, "table.reset", || async move {
            let changes = profile::set_password(Update::new(), hash)
                .set("password_set_at", n(self.tokens.table.now().seconds()))
                .increase("generation", 1)
                .set("credentials_changed_by", s(BrowserName::of(browser.user_agent).as_str()));
            let changes = profile::hand_over(recognised.forget_others(changes)?, self.tokens.table.now());
            // An account without stored words meets it: its token was issued while common passwords were accepted.
            let lacks_word = word.map(|word| Guard::Lacks("reset_words", s(word)));
            let write = |changes| lacks_word.iter().cloned().fold(self.tokens.consume(token, changes), Write::when);

            // Most accounts keep their passkeys, or have none and the first address, so one write is enough.
            let mut keeps = vec![Guard::Without("passkeys").and(Guard::Without(FORMER_EMAILS))];
            keeps.extend((!removes_passkeys).then(|| Guard::Equals("email_verified", AttributeValue::Bool(true))));
            let alone = write(changes.clone()).when(Guard::Any(keeps));
            let refused = match self.tokens.table.write_returning(alone, ReturnValue::AllNew).await? {
                Ok(item) => return Ok(Some(done(profile::account(item)?))),
                Err(refused) => refused,
            };
            let Some(item) = refused.item.filter(|item| self.tokens.is_live(item, token)) else {
                return Ok(Some(Consumed::NoToken));
            };
            if matches!(item.get("reset_words"), Some(AttributeValue::Ss(words)) if words.iter().any(|is| Some(&**is) == word)) {
                return Ok(Some(Consumed::TooPersonal));
            }
            let found = profile::read(item)?;
            let (changes, unlink) = identity::end_of_moved(&found, changes.remove(ALL_PASSKEYS));
            let account = found.account;
            // If somebody has proved the address since it was read, the passkeys may stay.
            let unchanged = profile::has_same_passkeys(&account).and(profile::has_same_proof(&account));
            let unchanged = unchanged.and(profile::has_same_identity(&account));
            let mut writes = vec![write(changes).when(unchanged)];
            writes.extend(passkey::delete_all(&account).chain(unlink));
            match self.tokens.table.transact(writes).await? {
                Ok(()) => Ok(Some(done(account))),
                Err(refused) if refused.index > 0 => Err(Fault::new("table.reset", "credential or identity of another account")),
                // The account has changed since it was read.
                Err(_) => Ok(None),
            }
        })
        .await
    }
}

impl NewReset {
    /// The token.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Adds to an update that this token replaces any older one.
    pub(in crate::store) fn store(&self, update: Update) -> Update {
        let update = update.set("reset_hash", s(&self.token.hash())).remove(&["reset_words"]);
        update.set("reset_expires_at", n(self.expires_at.seconds()))
    }

    /// The guard that the token is the newest.
    pub(in crate::store) fn is_stored(&self) -> Guard {
        Guard::Equals("reset_hash", s(&self.token.hash()))
    }
}
