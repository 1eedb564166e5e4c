//! The item of an account.

use serde::{Deserialize, Serialize};

use super::table::{self, Item, Table};
use crate::account::{Account, AccountKey};
use crate::password::StoredHash;
use crate::system::clock::Timestamp;
use crate::{Email, Fault};

/// The sort key of the item.
pub(super) const PROFILE: &str = "profile";

#[derive(Serialize, Deserialize)]
struct Row {
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
    #[serde(default)]
    created_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notice_due_since: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disabled_at: Option<u64>,
}

/// The item of a new account.
pub(super) fn item(account: &Account, now: Timestamp) -> Result<Item, Fault> {
    table::item(&Row {
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
        created_at: now.seconds(),
        notice_due_since: account.notice_due_since,
        disabled_at: account.disabled_at,
    })
}

/// The account in an item.
pub(super) fn account(item: Item) -> Result<Account, Fault> {
    let row: Row = table::read(item)?;
    // An item under the key of another address would give the account to the owner of that address.
    if row.pk != AccountKey::of(&row.email) {
        return Err(Fault::new("table.row", "another account"));
    }
    Ok(Account {
        key: row.pk,
        id: row.id,
        email: row.email,
        name: row.name,
        url_image: row.url_image,
        accept_news: row.accept_news == 1,
        password: row.password,
        google_sub: row.google_sub,
        email_verified: row.email_verified,
        generation: row.generation,
        notice_due_since: row.notice_due_since,
        disabled_at: row.disabled_at,
    })
}

/// The account with this key, if there is one.
pub(super) async fn by_key(table: &Table, key: &AccountKey) -> Result<Option<Account>, Fault> {
    table.item(key.as_str(), PROFILE).await?.map(account).transpose()
}
