//! The link of a Google identity: `google#<sub>` / `identity` names an account.

use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::account::AccountKey;
use crate::store::table::{self, Guard, Item, Key, Write, key, s};

pub(in crate::store) const PREFIX: &str = "google#";
pub(in crate::store) const IDENTITY: &str = "identity";

#[derive(Serialize, Deserialize)]
struct Row {
    pk: String,
    sk: String,
    account: AccountKey,
}

pub(in crate::store) fn key_of(sub: &str) -> Key {
    key(&format!("{PREFIX}{sub}"), IDENTITY)
}

/// The account that a link names.
pub(in crate::store) fn account_of(link: Item) -> Result<AccountKey, Fault> {
    Ok(table::read::<Row>(link)?.account)
}

/// Links an identity to an account, unless it is linked already.
pub(in crate::store) fn insert(sub: &str, account: &AccountKey) -> Result<Write, Fault> {
    let row = Row { pk: format!("{PREFIX}{sub}"), sk: IDENTITY.to_owned(), account: account.clone() };
    Ok(Write::put(table::item(&row)?).when(Guard::absent()))
}

/// Deletes a link, unless it belongs to another account now.
pub(in crate::store) fn delete(sub: &str, account: &AccountKey) -> Write {
    let is_own = Guard::Any(vec![Guard::absent(), Guard::Equals("account", s(account.as_str()))]);
    Write::delete(key_of(sub)).when(is_own)
}
