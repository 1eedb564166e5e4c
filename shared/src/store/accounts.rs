//! Accounts: reading, creating, changing and deleting them.

use aws_sdk_dynamodb::types::AttributeValue;

use super::addresses;
use super::browsers::Browser;
use super::items::failures::{self, FAILURES};
use super::items::profile::{self, PROFILE, Profile, RESET_TOKEN};
use super::items::session::{self, Session};
use super::items::{address, identity, passkey};
use super::opening::{Opened, Opening};
use super::partition::{PAGE_MAX, Partition};
use super::table::{Start, TRANSACTION_MAX, Table, Update, Write, again, key, n, s, text};
use crate::account::avatar::Avatar;
use crate::account::{Account, AccountKey, Consent};
use crate::password::StoredHash;
use crate::{BrowserName, Email, Fault, FullName, Setup, Token};

/// The maximum number of attempts of a deletion if the account changes at the same time.
const ROUNDS: usize = 4;

/// The accounts in the accounts table.
#[derive(Clone)]
pub struct Accounts {
    table: Table,
}

/// The changes of the settings form.
pub struct ProfileChanges {
    /// The new name.
    pub name: FullName,
    /// The new avatar; `None` keeps the current one.
    pub avatar: Option<Avatar>,
    /// Whether the owner subscribed to the newsletter.
    pub accept_news: bool,
}

/// The result of deleting an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// This call deleted the account.
    Done,
    /// The account no longer existed.
    Gone,
    /// All sessions of the account were ended after it was read.
    Ended,
}

impl Accounts {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup) }
    }

    /// The account of an address.
    pub async fn by_email(&self, email: &Email) -> Result<Option<Account>, Fault> {
        addresses::account_of(&self.table, email).await
    }

    /// The account of an address with its sessions, for a login.
    pub async fn partition(&self, email: &Email) -> Result<Option<Partition>, Fault> {
        Partition::of_address(&self.table, email).await
    }

    /// Stores a new account, whose owner has just accepted this version of the terms and chosen about the newsletter.
    /// Returns false when the address already has one.
    pub async fn insert(&self, mut account: Account, terms_version: Option<String>) -> Result<bool, Fault> {
        let now = self.table.now().seconds();
        account.password_set_at = Some(now);
        account.consent = Consent { terms_accepted_at: Some(now), terms_version, news_changed_at: Some(now) };
        let mut new = Profile::new(account, now);
        let send = |_, writes| self.table.transact(writes);
        Ok(addresses::create(&self.table, &mut new, send).await?.is_ok())
    }

    /// Replaces the outdated hash of a verified password. Keeps the stored hash if the password has changed or all
    /// sessions were ended since the account was read.
    pub async fn upgrade_hash(&self, account: &Account, new: &StoredHash) -> Result<(), Fault> {
        let Some(old) = account.password.hash() else { return Ok(()) };
        let update = profile::set_password(Update::new(), new);
        let write = profile::update(account, update).when(profile::has_password(old));
        self.table.write(write).await.map(|_| ())
    }

    /// Changes the settings. Returns false if the account was deleted or all its sessions were ended, for example by a new
    /// password, since it was read. The caller's session has then ended too.
    pub async fn update(&self, account: &Account, changes: &ProfileChanges) -> Result<bool, Fault> {
        Ok(self.table.write(profile::update(account, self.settings(account, changes))).await?.is_ok())
    }

    /// Changes settings and password together. All sessions and the reset token of the account end, and the caller gets
    /// a new session. Returns `None` where [`Accounts::update`] returns false, and if the caller's session has ended.
    pub async fn update_with_password(
        &self,
        opening: &Opening,
        session: &Session,
        user_agent: Option<&str>,
        changes: &ProfileChanges,
        password: &StoredHash,
    ) -> Result<Option<Token>, Fault> {
        let update = profile::set_password(self.settings(&session.account, changes), password)
            .set("password_set_at", n(self.table.now().seconds()))
            .set("credentials_changed_by", s(BrowserName::of(user_agent).as_str()))
            .remove(RESET_TOKEN);
        Ok(opening.replace(session, user_agent, (update, None), []).await?.ok())
    }

    /// Ends all sessions of the account, forgets its known browsers but the caller's, and opens a new session for the
    /// caller. Returns `None` where [`Accounts::update`] returns false, and if the caller's session has ended.
    pub async fn end_other_sessions(
        &self,
        opening: &Opening,
        session: &Session,
        browser: Browser<'_>,
    ) -> Result<Option<Opened>, Fault> {
        let recognised = opening.browsers.keep_only(&session.account.browsers, browser)?;
        let update = recognised.forget_others(Update::new())?;
        let replaced = opening.replace(session, browser.user_agent, (update, None), []).await?;
        Ok(replaced.ok().map(|token| Opened { token, browser: recognised.secret }))
    }

    /// Deletes the caller's account and everything in its partition.
    /// If it fails, also because the account keeps changing, the client can repeat it with the same session.
    pub async fn erase(&self, session: &Session) -> Result<Erased, Fault> {
        erase(&self.table, &session.account, Some(&session.token)).await
    }

    fn settings(&self, account: &Account, changes: &ProfileChanges) -> Update {
        let mut update =
            Update::new().set("name", s(changes.name.as_str())).set("accept_news", n(u64::from(changes.accept_news)));
        // The form always has the name, so only another one is its owner's own choice.
        if account.email_verified && account.name != changes.name.as_str() {
            update = update.set("name_proved", AttributeValue::Bool(true));
        }
        if account.accept_news != changes.accept_news {
            update = update.set("news_changed_at", n(self.table.now().seconds()));
        }
        match &changes.avatar {
            Some(avatar) => update.set("url_image", s(avatar.stored())),
            None => update,
        }
    }
}

/// Deletes an account and everything in its partition. For its owner, the session of `token` ends last, and the sessions of
/// the account must not have been ended, for example by a new password. If another call changes the account, it is read
/// again.
pub(in crate::store) async fn erase(table: &Table, wanted: &Account, token: Option<&Token>) -> Result<Erased, Fault> {
    again(ROUNDS, "table.erase", || erase_once(table, wanted, token)).await
}

/// Deletes the account as it is now, page by page. One transaction deletes the profile and the caller's session last, so
/// that an interrupted deletion can be repeated. Returns `None` if the account has changed in the meantime.
async fn erase_once(table: &Table, wanted: &Account, token: Option<&Token>) -> Result<Option<Erased>, Fault> {
    let session = token.map(session::key_of);
    let pk = wanted.key.as_str();
    let own = session.as_ref().and_then(|key| text(key, "sk"));
    let others = |items: &[_]| -> Vec<Write> {
        // A pointer here is that of another account, which has the address that this one has left.
        let keys = items.iter().filter(|item| !address::is_here(item)).filter_map(|item| text(item, "sk"));
        keys.filter(|sk| *sk != PROFILE && Some(*sk) != own).map(|sk| Write::delete(key(pk, sk))).collect()
    };

    let page = table.page(pk, Start::First, PAGE_MAX).await?;
    let found = page.items.iter().find(|item| text(item, "sk") == Some(PROFILE)).cloned();
    let found = match found {
        // The rows of many passkeys and failed logins may come before the profile.
        None if page.last.is_some() => table.item(profile::key_of(&wanted.key)).await?,
        found => found,
    };
    let account = found.map(profile::account).transpose()?.filter(|account| account.id == wanted.id);
    let Some(account) = account else { return Ok(Some(Erased::Gone)) };
    if session.is_some() && account.generation != wanted.generation {
        return Ok(Some(Erased::Ended));
    }

    let guard = profile::is_unchanged(&account).and(profile::has_same_identity(&account));
    let guard = guard.and(profile::has_same_passkeys(&account));
    let mut last = vec![Write::delete(profile::key_of(&account.key)).when(guard)];
    last.extend(account.google_sub.as_ref().map(|sub| identity::delete(sub, &account.key)));
    last.extend(passkey::delete_pointers(&account));
    last.extend(address::release(&account.email, &account.key));
    last.extend(session.clone().map(Write::delete));

    let room = TRANSACTION_MAX - last.len();
    let (mut deletions, mut read) = (others(&page.items), page.last);
    let home = AccountKey::of(&account.email);
    if home != account.key {
        // The failed logins of an address are under its key.
        let page = table.page(home.as_str(), Start::At(FAILURES), PAGE_MAX).await?;
        let failures = page.items.iter().filter(|item| failures::is_here(item)).filter_map(|item| text(item, "sk"));
        deletions.extend(failures.map(|sk| Write::delete(key(home.as_str(), sk))));
    }
    loop {
        while deletions.len() > room {
            let some = deletions.split_off(deletions.len().saturating_sub(TRANSACTION_MAX).max(room));
            // These deletions have no guard that could fail.
            table.transact(some).await?.map_err(|_| Fault::new("table.erase", "refused"))?;
        }
        let Some(after) = read else { break };
        let page = table.page(pk, Start::After(after), PAGE_MAX).await?;
        deletions.extend(others(&page.items));
        read = page.last;
    }
    last.append(&mut deletions);
    match table.transact(last).await? {
        Ok(()) => Ok(Some(Erased::Done)),
        Err(refused) if refused.index > 0 => Err(Fault::new("table.erase", "identity of another account")),
        Err(_) => Ok(None),
    }
}
