//! The item of an account.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::account::{Account, AccountKey, KnownBrowser};
use crate::password::StoredHash;
use crate::store::table::{self, Item, Table};
use crate::system::clock::Timestamp;
use crate::{BrowserName, Email, Fault};

/// The sort key of the item.
pub(in crate::store) const PROFILE: &str = "profile";

/// Two attributes that only an import writes: the run that created the account, and a digest of what was imported last.
pub(in crate::store) const IMPORT_RUN: &str = "import_run";
pub(in crate::store) const IMPORT_DIGEST: &str = "import_digest";

/// The item of an account. No endpoint changes its last four attributes. Of the endpoints, only `export-account` uses
/// any of them.
#[derive(Serialize, Deserialize)]
pub(in crate::store) struct Row {
    pk: AccountKey,
    sk: String,
    id: u64,
    /// The id again, as the key of the index `profiles`. Only profiles have this attribute.
    #[serde(default)]
    profile_id: Option<u64>,
    email: Email,
    name: String,
    url_image: String,
    accept_news: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<StoredHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    google_sub: Option<String>,
    email_verified: bool,
    generation: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    browsers: Vec<KnownBrowser>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    browsers_since: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    passkeys: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passkey_user: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credentials_changed_by: Option<BrowserName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disabled_at: Option<u64>,
    #[serde(default)]
    pub(in crate::store) created_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) import_run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) import_digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) import_generation: Option<u64>,
}

impl Row {
    /// The row of an account, without the attributes of an import.
    pub(in crate::store) fn of(account: &Account, created_at: u64) -> Self {
        Self {
            pk: account.key.clone(),
            sk: PROFILE.to_owned(),
            id: account.id,
            profile_id: Some(account.id),
            email: account.email.clone(),
            name: account.name.clone(),
            url_image: account.url_image.clone(),
            accept_news: u8::from(account.accept_news),
            password: account.password.clone(),
            google_sub: account.google_sub.clone(),
            email_verified: account.email_verified,
            generation: account.generation,
            browsers: account.browsers.clone(),
            browsers_since: account.browsers_since,
            passkeys: account.passkeys.clone(),
            passkey_user: account.passkey_user.clone(),
            credentials_changed_by: account.credentials_changed_by.clone(),
            disabled_at: account.disabled_at,
            created_at,
            import_run: None,
            import_digest: None,
            import_generation: None,
        }
    }

    /// The account in the row.
    pub(in crate::store) fn into_account(self) -> Result<Account, Fault> {
        // An item under the key of another address would give the account to the owner of that address.
        if self.pk != AccountKey::of(&self.email) {
            return Err(Fault::new("table.row", "another account"));
        }
        Ok(Account {
            key: self.pk,
            id: self.id,
            email: self.email,
            name: self.name,
            url_image: self.url_image,
            accept_news: self.accept_news == 1,
            password: self.password,
            google_sub: self.google_sub,
            email_verified: self.email_verified,
            generation: self.generation,
            browsers: self.browsers,
            browsers_since: self.browsers_since,
            passkeys: self.passkeys,
            passkey_user: self.passkey_user,
            credentials_changed_by: self.credentials_changed_by,
            disabled_at: self.disabled_at,
        })
    }
}

/// The item of a new account.
pub(in crate::store) fn item(account: &Account, now: Timestamp) -> Result<Item, Fault> {
    table::item(&Row::of(account, now.seconds()))
}

/// The account in an item, from the table or from its stream.
pub(in crate::store) fn account(item: impl Into<serde_dynamo::Item>) -> Result<Account, Fault> {
    table::read::<Row>(item)?.into_account()
}

/// The account with this key, if there is one.
pub(in crate::store) async fn by_key(table: &Table, key: &AccountKey) -> Result<Option<Account>, Fault> {
    table.item(key.as_str(), PROFILE).await?.map(account).transpose()
}
