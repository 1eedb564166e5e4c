//! Accounts: reading, creating, changing and deleting them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::profile::{self, PROFILE};
use crate::account::{Account, AccountKey};
use crate::password::StoredHash;
use crate::store::login::account_page::AccountPage;
use crate::store::mailed_tokens::RESET_TOKEN;
use crate::store::passkeys;
use crate::store::sessions::{self, PARTITION_PAGE, Partition, Session, Sessions};
use crate::store::table::{Start, TRANSACTION_MAX, Table, Write, n, s};
use crate::system::clock::Clock;
use crate::{BrowserName, Email, Fault, FullName, Setup, Token};

/// The condition that the account is still the one that was read, and that its sessions were not ended since. A new
/// password ends them.
const UNCHANGED: &str = "attribute_exists(#pk) AND #id = :id AND #generation = :generation";

/// The accounts in the accounts table.
#[derive(Clone)]
pub struct Accounts {
    table: Table,
    clock: Arc<dyn Clock>,
}

/// A registration.
pub struct NewAccount {
    /// The account's id.
    pub id: u64,
    /// The email address, which is not verified yet.
    pub email: Email,
    /// The owner's name.
    pub name: FullName,
    /// The avatar's URL.
    pub url_image: String,
    /// Whether the owner subscribed to the newsletter.
    pub accept_news: bool,
    /// The password's hash.
    pub password: StoredHash,
}

/// The changes of the settings form.
pub struct ProfileChanges {
    /// The new name.
    pub name: FullName,
    /// The new avatar's URL; `None` keeps the current one.
    pub url_image: Option<String>,
    /// Whether the owner subscribed to the newsletter.
    pub accept_news: bool,
}

/// The result of deleting an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// This call deleted the account.
    All,
    /// The account no longer existed.
    Gone,
    /// The account changed after it was read, and was not deleted.
    Changed,
}

impl Accounts {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE"), clock: setup.clock() }
    }

    /// The account of an address.
    ///
    /// # Errors
    /// The table failed, or the row is broken.
    pub async fn by_email(&self, email: &Email) -> Result<Option<Account>, Fault> {
        profile::by_key(&self.table, &AccountKey::of(email)).await
    }

    /// The account of an address with its sessions, for a login.
    ///
    /// # Errors
    /// The table failed, or the account's row is broken.
    pub async fn page(&self, email: &Email) -> Result<Option<AccountPage>, Fault> {
        AccountPage::read(&self.table, &AccountKey::of(email)).await
    }

    /// Creates an account. Returns false when the address already has one.
    ///
    /// # Errors
    /// The table failed.
    pub async fn insert(&self, new: NewAccount) -> Result<bool, Fault> {
        let account = Account {
            key: AccountKey::of(&new.email),
            id: new.id,
            email: new.email,
            name: new.name.as_str().to_owned(),
            url_image: new.url_image,
            accept_news: new.accept_news,
            password: Some(new.password),
            google_sub: None,
            email_verified: false,
            generation: 1,
            browsers: Vec::new(),
            browsers_since: None,
            passkeys: BTreeSet::new(),
            passkey_user: None,
            credentials_changed_by: None,
            disabled_at: None,
        };
        let item = profile::item(&account, self.clock.now())?;
        let outcome = self.table.write(Write::put(item).when("attribute_not_exists(#pk)")).await?;
        Ok(outcome.is_ok())
    }

    /// Replaces the outdated hash of a verified password. Keeps the stored hash if the password has changed or all
    /// sessions were ended since the account was read.
    ///
    /// # Errors
    /// The table failed.
    pub async fn upgrade_hash(&self, account: &Account, new: &StoredHash) -> Result<(), Fault> {
        let Some(old) = &account.password else { return Ok(()) };
        let write = update(account, "SET #password = :new")
            .when("attribute_exists(#pk) AND #id = :id AND #generation = :generation AND #password = :old")
            .value(":new", s(new.as_str()))
            .value(":old", s(old.as_str()));
        self.table.write(write).await.map(|_| ())
    }

    /// Changes the settings. Returns false if the account was deleted or all its sessions were ended, for example by a new
    /// password, since it was read. The caller's session has then ended too.
    ///
    /// # Errors
    /// The table failed.
    pub async fn update(&self, account: &Account, changes: &ProfileChanges) -> Result<bool, Fault> {
        Ok(self.table.write(settings_update(account, changes, "")).await?.is_ok())
    }

    /// Changes settings and password together. All sessions and the reset token of the account end, and the caller gets
    /// a new session. Returns `None` where [`Accounts::update`] returns false, and if the caller's session has ended.
    ///
    /// # Errors
    /// The table failed.
    pub async fn update_with_password(
        &self,
        sessions: &Sessions,
        session: &Session,
        user_agent: Option<&str>,
        changes: &ProfileChanges,
        password: &StoredHash,
    ) -> Result<Option<Token>, Fault> {
        let further = format!(
            ", #password = :password, #credentials_changed_by = :browser, #generation = :next REMOVE {RESET_TOKEN}"
        );
        let write = settings_update(&session.account, changes, &further)
            .value(":password", s(password.as_str()))
            .value(":browser", s(BrowserName::of(user_agent).as_str()));
        self.replace_sessions(sessions, session, user_agent, write).await
    }

    /// Ends all sessions of the account, forgets its known browsers, and opens a new session for the caller. Returns
    /// `None` where [`Accounts::update`] returns false, and if the caller's session has ended.
    ///
    /// # Errors
    /// The table failed.
    pub async fn end_other_sessions(
        &self,
        sessions: &Sessions,
        session: &Session,
        user_agent: Option<&str>,
    ) -> Result<Option<Token>, Fault> {
        let write = update(&session.account, "SET #generation = :next REMOVE #browsers");
        self.replace_sessions(sessions, session, user_agent, write).await
    }

    /// Sends a write of the profile that sets the generation to `:next`, and opens a session in place of the caller's.
    async fn replace_sessions(
        &self,
        sessions: &Sessions,
        session: &Session,
        user_agent: Option<&str>,
        write: Write,
    ) -> Result<Option<Token>, Fault> {
        let mut account = session.account.clone();
        account.generation += 1;
        // This is not a login, so the absolute lifetime does not start again.
        let (token, opening) = sessions.opening(&account, user_agent, session.signed_in)?;
        // The caller's session must still exist: it may have ended since it was read.
        let ending = sessions::ending(&session.token).when("attribute_exists(#pk)");
        let writes = vec![write.value(":next", n(account.generation)), opening, ending];
        Ok(self.table.transact(writes).await?.is_ok().then_some(token))
    }

    /// Deletes the account and everything that belongs to it, page by page. One transaction deletes the profile and the
    /// session last. The client can therefore repeat an interrupted deletion with the same session.
    ///
    /// # Errors
    /// The table failed; the account is still there.
    pub async fn erase(&self, partition: &Partition) -> Result<Erased, Fault> {
        erase(&self.table, partition).await
    }
}

/// Deletes an account, for its owner or for an operator. The profile is in the last transaction, so an interrupted
/// deletion can be repeated.
pub(in crate::store) async fn erase(table: &Table, partition: &Partition) -> Result<Erased, Fault> {
    let account = &partition.account;
    let pk = account.key.as_str();
    let condition = match &account.google_sub {
        None => "#id = :id AND #generation = :generation AND attribute_not_exists(#google_sub)",
        Some(_) => "#id = :id AND #generation = :generation AND #google_sub = :google_sub",
    };
    let mut profile = Write::delete(pk, PROFILE).when(condition);
    profile = profile.value(":id", n(account.id)).value(":generation", n(account.generation));
    if let Some(sub) = &account.google_sub {
        profile = profile.value(":google_sub", s(sub));
    }
    let mut last = vec![passkeys::unchanged(profile, account)];
    last.extend(partition.session.as_ref().map(|session| Write::delete(pk, session)));
    last.extend(account.google_sub.as_ref().map(|sub| super::identities::unlinking(sub, &account.key)));
    last.extend(passkeys::unpointing_all(account));

    let deleting = |sk: &String| Write::delete(pk, sk);
    let is_other = |sk: &&String| *sk != PROFILE && Some(*sk) != partition.session.as_ref();
    let mut others: Vec<Write> = partition.others.iter().map(deleting).collect();
    let mut read = partition.last.clone();
    let room = TRANSACTION_MAX - last.len();
    loop {
        while others.len() > room {
            let some = others.split_off(others.len().saturating_sub(TRANSACTION_MAX).max(room));
            // These deletions have no condition that could fail.
            table.transact(some).await?.map_err(|_| Fault::new("table.erase", "refused"))?;
        }
        let Some(after) = read else { break };
        let page = table.page(pk, Start::After(after), PARTITION_PAGE).await?;
        let keys = page.items.iter().filter_map(|item| item.get("sk")?.as_s().ok());
        others.extend(keys.filter(is_other).map(deleting));
        read = page.last;
    }
    last.append(&mut others);
    Ok(match table.transact(last).await? {
        Ok(()) => Erased::All,
        Err(refused) if refused.index > 0 => Err(Fault::new("table.erase", "identity of another account"))?,
        Err(refused) => match refused.item.map(profile::account).transpose()? {
            Some(found) if found.id == account.id => Erased::Changed,
            _ => Erased::Gone,
        },
    })
}

/// An update of a profile, on the condition that the account is still the one that was read and that its sessions were
/// not ended since.
pub(in crate::store) fn update(account: &Account, changes: impl Into<String>) -> Write {
    Write::update(account.key.as_str(), PROFILE, changes)
        .when(UNCHANGED)
        .value(":id", n(account.id))
        .value(":generation", n(account.generation))
}

fn settings_update(account: &Account, changes: &ProfileChanges, further: &str) -> Write {
    let avatar = if changes.url_image.is_some() { ", #url_image = :url_image" } else { "" };
    let expression = format!("SET #name = :name, #accept_news = :accept_news{avatar}{further}");
    let write = update(account, expression)
        .value(":name", s(changes.name.as_str()))
        .value(":accept_news", n(u64::from(changes.accept_news)));
    match &changes.url_image {
        Some(address) => write.value(":url_image", s(address)),
        None => write,
    }
}
