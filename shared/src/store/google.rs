//! Google identities, and their links to accounts. One transaction writes or removes an account's link and its item.

use aws_sdk_dynamodb::types::AttributeValue;

use super::addresses;
use super::browsers::Browser;
use super::items::profile::{self, ALL_PASSKEYS, Profile, RESET_TOKEN};
use super::items::session::Session;
use super::items::{identity, passkey};
use super::opening::{NewSession, Opened, Opening, Removed, removed};
use super::partition::Partition;
use super::table::{Outcome, Table, Update, Write, n, s};
use crate::account::{Account, AccountKey};
use crate::log::audit::Method;
use crate::password::StoredPassword;
use crate::{BrowserName, Email, Fault, FullName, Setup, Token};

/// The identities in the accounts table.
#[derive(Clone)]
pub struct Identities {
    table: Table,
    opening: Opening,
}

/// A user that the provider has authenticated.
pub struct Identity {
    /// The provider's subject identifier of the user, which never changes.
    pub sub: String,
    /// The user's address, which the provider has verified.
    pub email: Email,
    /// The user's name.
    pub name: FullName,
}

/// The account of an identity's address.
pub enum Found {
    /// The account that the identity is linked to.
    Linked(Partition),
    /// An account that the identity is not linked to.
    SameEmail(Partition),
    /// There is no account.
    Unknown,
}

/// What an account loses when an identity is linked to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing.
    Nothing,
    /// All ways in: its password, sessions, reset token, passkeys and known browsers.
    WaysIn,
    /// All ways in, its name, which becomes the identity's, and its subscription to the newsletter.
    WaysInAndProfile,
}

/// The reason why an identity was not linked to an account.
pub enum Obstacle {
    /// The identity is already linked to the account with this key: its address at the provider has changed, or another
    /// call has just linked it.
    LinkedTo(AccountKey),
    /// The account changed after it was read, and has to be read again.
    Changed,
}

/// The outcome of unlinking an identity.
pub enum Unlinked {
    /// It is unlinked, and all sessions of the account have ended. The token is that of the caller's new one.
    Done(Token),
    /// The account is not linked to an identity.
    NotLinked,
    /// Nothing else opens the account: it has neither a password nor a passkey.
    OnlyWayIn,
    /// The caller's session has ended, or the account was deleted.
    NoSession,
}

impl Identities {
    /// Reads `ACCOUNTS_TABLE` and the settings of sessions.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), opening: Opening::new(setup) }
    }

    /// Reads the account of an identity's address, which is nearly always the linked one. The account itself contains
    /// the link, and both are written together, so no other account has the same link. If the account is not linked,
    /// the identity may be linked to another one: [`Identities::link`] then returns an [`Obstacle`].
    pub async fn find(&self, identity: &Identity) -> Result<Found, Fault> {
        Ok(match Partition::of_address(&self.table, &identity.email).await? {
            None => Found::Unknown,
            Some(partition) if is_linked(&partition, identity) => Found::Linked(partition),
            Some(partition) => Found::SameEmail(partition),
        })
    }

    /// The account that a link names, if the account itself contains the link too.
    pub async fn linked_account(&self, identity: &Identity, key: &AccountKey) -> Result<Option<Partition>, Fault> {
        let partition = Partition::of_login(&self.table, key).await?;
        Ok(partition.filter(|partition| is_linked(partition, identity)))
    }

    /// Links an identity to the account of its address, which verifies the address, and opens a session. The account
    /// returned has the known browsers from before.
    pub async fn link(
        &self,
        identity: &Identity,
        partition: &Partition,
        loss: Loss,
        browser: Browser<'_>,
    ) -> Result<Result<(Account, Opened), Obstacle>, Fault> {
        let found = partition.account();
        let loses_ways_in = loss != Loss::Nothing;
        let known = if loses_ways_in { &[] } else { found.browsers.as_slice() };
        let recognised = self.opening.browsers.recognise(known, browser)?;
        let changed_by = BrowserName::of(browser.user_agent);
        let mut update =
            Update::new().set("google_sub", s(&identity.sub)).set("credentials_changed_by", s(changed_by.as_str()));
        if !found.email_verified {
            update = profile::hand_over(update, self.table.now());
        }
        let mut account = found.clone();
        account.google_sub = Some(identity.sub.clone());
        account.email_verified = true;
        account.credentials_changed_by = Some(changed_by);
        // If the address was verified since it was read, the write is refused, and the caller reads the account again.
        let mut guard =
            profile::is_unchanged(found).and(profile::has_same_proof(found)).and(profile::has_same_identity(found));
        let mut writes = vec![identity::insert(&identity.sub, &found.key)?];
        writes.extend(found.google_sub.as_ref().map(|old| identity::delete(old, &found.key)));
        if loss == Loss::WaysInAndProfile {
            identity.name.as_str().clone_into(&mut account.name);
            if account.accept_news {
                let now = self.table.now().seconds();
                account.consent.news_changed_at = Some(now);
                update = update.set("news_changed_at", n(now));
            }
            account.accept_news = false;
            let is_proved = AttributeValue::Bool(true);
            update = update.set("name", s(&account.name)).set("name_proved", is_proved).set("accept_news", n(0));
        }
        if loses_ways_in {
            account.password = StoredPassword::None;
            account.generation += 1;
            account.passkeys.clear();
            account.passkey_user = None;
            update = profile::remove_password(update.set("generation", n(account.generation)));
            update = update.remove(RESET_TOKEN).remove(ALL_PASSKEYS);
            guard = guard.and(profile::has_same_passkeys(found));
            writes.extend(passkey::delete_all(found));
            if recognised.browsers.is_none() {
                update = update.remove(&["browsers"]);
            }
        }
        let update = recognised.remember(update)?;
        writes.push(Write::update(profile::key_of(&found.key), update).when(guard));
        let new =
            NewSession { account: &account, partition: Some(partition), browser, recognised, method: Method::Google };
        let outcome = self.opening.write(writes, new).await?;
        Ok(opened(outcome)?.map(|opened| (account, opened)))
    }

    /// Removes the link of the caller's account, unless nothing else opens the account. All sessions end, because the
    /// identity may have opened any of them, and the caller gets a new one.
    pub async fn unlink(&self, session: &Session, user_agent: Option<&str>) -> Result<Unlinked, Fault> {
        let account = &session.account;
        let Some(sub) = &account.google_sub else { return Ok(Unlinked::NotLinked) };
        // Whatever removes the password or a passkey increases the generation, which the write of the profile compares.
        if account.password.hash().is_none() && account.passkeys.is_empty() {
            return Ok(Unlinked::OnlyWayIn);
        }
        let changed_by = BrowserName::of(user_agent);
        let update = Update::new().set("credentials_changed_by", s(changed_by.as_str())).remove(&["google_sub"]);
        let change = (update, Some(profile::has_same_identity(account)));
        let replaced = self.opening.replace(session, user_agent, change, [identity::delete(sub, &account.key)]).await?;
        Ok(match removed(replaced, account, 2, || Fault::new("table.unlink", "identity of another account"))? {
            Removed::Done(token) => Unlinked::Done(token),
            // An import has linked another identity.
            Removed::Unknown => Unlinked::NotLinked,
            Removed::NoSession => Unlinked::NoSession,
        })
    }

    /// Creates an account for an identity and opens a session.
    pub async fn insert(
        &self,
        identity: &Identity,
        id: u64,
        browser: Browser<'_>,
    ) -> Result<Result<(Account, Opened), Obstacle>, Fault> {
        let recognised = self.opening.browsers.recognise(&[], browser)?;
        let mut account = Account::new(id, identity.email.clone(), identity.name.as_str().to_owned());
        account.google_sub = Some(identity.sub.clone());
        account.email_verified = true;
        account.is_name_proved = true;
        recognised.remember_in(&mut account);
        let mut new = Profile::new(account, self.table.now().seconds());
        let send = |account, writes| {
            let (recognised, opening) = (recognised.clone(), &self.opening);
            async move {
                let new =
                    NewSession { account: &account, partition: None, browser, recognised, method: Method::Google };
                opening.write(writes, new).await
            }
        };
        let outcome = addresses::create(&self.table, &mut new, send).await?;
        Ok(opened(outcome)?.map(|opened| (new.account, opened)))
    }
}

/// The outcome of a transaction, whose first write links an identity.
fn opened(outcome: Outcome<Opened>) -> Result<Result<Opened, Obstacle>, Fault> {
    let refused = match outcome {
        Ok(opened) => return Ok(Ok(opened)),
        Err(refused) => refused,
    };
    let link = refused.item.filter(|_| refused.index == 0);
    Ok(Err(match link.map(identity::account_of).transpose()? {
        Some(account) => Obstacle::LinkedTo(account),
        None => Obstacle::Changed,
    }))
}

fn is_linked(partition: &Partition, identity: &Identity) -> bool {
    partition.account().google_sub.as_ref() == Some(&identity.sub)
}
