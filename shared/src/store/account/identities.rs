//! Identities of the provider, and their links to accounts. One transaction writes an account and its link.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::profile::{self, PROFILE};
use crate::account::{Account, AccountKey};
use crate::store::login::account_page::AccountPage;
use crate::store::login::browsers::{Opener, REMEMBER, Recognised};
use crate::store::mailed_tokens::RESET_TOKEN;
use crate::store::passkeys::{self, PASSKEYS};
use crate::store::sessions::{self, Opened, Sessions};
use crate::store::table::{self, Table, Write, n, s};
use crate::{BrowserName, Email, Fault, FullName, Setup};

/// The prefix of the partition keys of links.
pub(in crate::store) const PREFIX: &str = "google#";
/// The sort key of a link.
pub(in crate::store) const IDENTITY: &str = "identity";

/// The identities in the accounts table.
#[derive(Clone)]
pub struct Identities {
    table: Table,
    sessions: Sessions,
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
    Known(AccountPage),
    /// An account that the identity is not linked to.
    SameEmail(AccountPage),
    /// There is no account.
    Unknown,
}

/// The reason why an identity was not linked to an account.
pub enum Obstacle {
    /// The identity is already linked to the account with this key: its address at the provider has changed, or another
    /// call has just linked it.
    LinkedTo(AccountKey),
    /// The account changed after it was read, and has to be read again.
    Changed,
}

/// The result of linking an identity.
pub struct Linked {
    /// The account after the change, but with the known browsers from before it.
    pub account: Account,
    /// The new session.
    pub opened: Opened,
    /// Whether the password, the passkeys, the sessions and the reset token were removed.
    pub revoked: bool,
}

#[derive(Serialize, Deserialize)]
struct Row {
    pk: String,
    sk: String,
    account: AccountKey,
}

impl Identities {
    /// Reads `ACCOUNTS_TABLE` and the settings of sessions.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), sessions: Sessions::new(setup) }
    }

    /// Reads the account of an identity's address, which is nearly always the linked one. The account itself contains
    /// the link, and both are written together, so no other account has the same link. If the account is not linked,
    /// the identity may be linked to another one: [`Identities::link`] then returns an [`Obstacle`].
    ///
    /// # Errors
    /// The table failed, or the account's row is broken.
    pub async fn find(&self, identity: &Identity) -> Result<Found, Fault> {
        let page = AccountPage::read(&self.table, &AccountKey::of(&identity.email)).await?;
        Ok(match page {
            None => Found::Unknown,
            Some(page) if is_linked(&page, identity) => Found::Known(page),
            Some(page) => Found::SameEmail(page),
        })
    }

    /// The account that a link names, if the account itself contains the link too.
    ///
    /// # Errors
    /// The table failed, or the account's row is broken.
    pub async fn linked_account(&self, identity: &Identity, key: &AccountKey) -> Result<Option<AccountPage>, Fault> {
        let page = AccountPage::read(&self.table, key).await?;
        Ok(page.filter(|page| is_linked(page, identity)))
    }

    /// Links an identity to the account of its address and opens a session.
    ///
    /// Another person may have created or used the account, if its address was not verified or if it was linked to
    /// another identity of the same address. The same transaction then ends its sessions, and removes its password,
    /// reset token, passkeys and known browsers. If the address was not verified, the name and the newsletter
    /// subscription are replaced too, because the owner may not have chosen them.
    ///
    /// # Errors
    /// The table or the random number generator failed.
    pub async fn link(
        &self,
        identity: &Identity,
        page: &AccountPage,
        opener: Opener<'_>,
    ) -> Result<Result<Linked, Obstacle>, Fault> {
        let found = &page.account;
        let stripped = !found.email_verified || found.google_sub.is_some();
        let known = if stripped { &[] } else { found.browsers.as_slice() };
        let browser = self.sessions.recognise(known, opener)?;
        let mut account = found.clone();
        account.google_sub = Some(identity.sub.clone());
        account.email_verified = true;
        account.credentials_changed_by = Some(BrowserName::of(opener.user_agent));
        let mut changes =
            "SET #google_sub = :sub, #email_verified = :true, #credentials_changed_by = :browser".to_owned();
        if !found.email_verified {
            identity.name.as_str().clone_into(&mut account.name);
            account.accept_news = false;
            changes += ", #name = :name, #accept_news = :none";
        }
        if stripped {
            account.password = None;
            account.generation += 1;
            account.passkeys.clear();
            account.passkey_user = None;
            changes += ", #generation = :next";
        }
        if browser.browsers.is_some() {
            changes = format!("{changes}, {REMEMBER}");
        }
        if stripped {
            changes = format!("{changes} REMOVE #password, {RESET_TOKEN}, {PASSKEYS}");
            if browser.browsers.is_none() {
                changes += ", #browsers";
            }
        }
        let condition = match found.google_sub {
            None => "attribute_not_exists(#google_sub)",
            Some(_) => "#google_sub = :old",
        };
        // If the address was verified since it was read, the write is refused, and the caller reads the account again.
        let condition =
            format!("#id = :id AND #generation = :generation AND #email_verified = :verified AND {condition}");
        let mut profile = Write::update(found.key.as_str(), PROFILE, changes)
            .when(condition)
            .value(":id", n(found.id))
            .value(":generation", n(found.generation))
            .value(":sub", s(&identity.sub))
            .value(":browser", s(BrowserName::of(opener.user_agent).as_str()))
            .value(":verified", AttributeValue::Bool(found.email_verified))
            .value(":true", AttributeValue::Bool(true));
        if !found.email_verified {
            profile = profile.value(":name", s(&account.name)).value(":none", n(0));
        }
        if stripped {
            profile = passkeys::unchanged(profile, found).value(":next", n(account.generation));
        }
        if let Some(browsers) = &browser.browsers {
            profile = Recognised::values(browsers, browser.now, profile)?;
        }
        let mut writes = vec![linking(&identity.sub, &found.key)?];
        if let Some(old) = &found.google_sub {
            profile = profile.value(":old", s(old));
            writes.push(unlinking(old, &found.key));
        }
        writes.push(profile);
        if stripped {
            writes.extend(passkeys::removing_all(found));
        }
        let token = self.sessions.add_opening(&mut writes, page, &account, opener)?;
        let session = Opened { token, browser: browser.secret };
        Ok(self.write(writes).await?.map(|()| Linked { account, opened: session, revoked: stripped }))
    }

    /// Creates an account for an identity and opens a session.
    ///
    /// # Errors
    /// The table or the random number generator failed.
    pub async fn insert(
        &self,
        identity: &Identity,
        id: u64,
        url_image: String,
        opener: Opener<'_>,
    ) -> Result<Result<(Account, Opened), Obstacle>, Fault> {
        let browser = self.sessions.recognise(&[], opener)?;
        let account = Account {
            key: AccountKey::of(&identity.email),
            id,
            email: identity.email.clone(),
            name: identity.name.as_str().to_owned(),
            url_image,
            accept_news: false,
            password: None,
            google_sub: Some(identity.sub.clone()),
            email_verified: true,
            generation: 1,
            browsers_since: browser.browsers.as_ref().map(|_| browser.now.seconds()),
            browsers: browser.browsers.unwrap_or_default(),
            passkeys: BTreeSet::new(),
            passkey_user: None,
            credentials_changed_by: None,
            disabled_at: None,
        };
        let profile = Write::put(profile::item(&account, browser.now)?).when("attribute_not_exists(#pk)");
        let (token, opening) = self.sessions.opening(&account, opener.user_agent, browser.now)?;
        let mut writes = vec![linking(&identity.sub, &account.key)?, profile, opening];
        writes.extend(opener.presented.map(sessions::ending));
        let session = Opened { token, browser: browser.secret };
        Ok(self.write(writes).await?.map(|()| (account, session)))
    }

    /// Sends a transaction whose first write links an identity.
    async fn write(&self, writes: Vec<Write>) -> Result<Result<(), Obstacle>, Fault> {
        let Err(refused) = self.table.transact(writes).await? else { return Ok(Ok(())) };
        let link = refused.item.filter(|_| refused.index == 0);
        Ok(Err(match link.map(table::read::<Row>).transpose()? {
            Some(link) => Obstacle::LinkedTo(link.account),
            None => Obstacle::Changed,
        }))
    }
}

fn is_linked(page: &AccountPage, identity: &Identity) -> bool {
    page.account.google_sub.as_ref() == Some(&identity.sub)
}

/// The partition key of a link.
pub(in crate::store) fn partition_key(sub: &str) -> String {
    format!("{PREFIX}{sub}")
}

/// The write that links an identity to an account, unless it is linked already.
pub(in crate::store) fn linking(sub: &str, account: &AccountKey) -> Result<Write, Fault> {
    let row = Row { pk: partition_key(sub), sk: IDENTITY.to_owned(), account: account.clone() };
    Ok(Write::put(table::item(&row)?).when("attribute_not_exists(#pk)"))
}

/// The write that deletes a link, unless it belongs to another account now.
pub(in crate::store) fn unlinking(sub: &str, account: &AccountKey) -> Write {
    Write::delete(&partition_key(sub), IDENTITY)
        .when("attribute_not_exists(#pk) OR #account = :account")
        .value(":account", s(account.as_str()))
}

/// The account that a link names.
#[cfg(feature = "operator")]
pub(in crate::store) fn account_of(item: table::Item) -> Result<AccountKey, Fault> {
    Ok(table::read::<Row>(item)?.account)
}
