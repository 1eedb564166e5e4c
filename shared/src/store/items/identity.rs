//! The link of a Google identity: `google#<sub>` / `identity` names an account.

use serde::{Deserialize, Serialize};

use super::profile::Profile;
use crate::Fault;
use crate::account::AccountKey;
use crate::store::table::{self, Guard, Item, Key, Update, Write, key, s};

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

/// Adds to an update that ends all ways in that the link of an account which has had another address ends too: whoever
/// had changed the address may have linked an identity of theirs. The identity of the address links itself again. The
/// write deletes the link, and [`has_same_identity`](super::profile::has_same_identity) must guard the update.
pub(in crate::store) fn end_of_moved(profile: &Profile, update: Update) -> (Update, Option<Write>) {
    let account = &profile.account;
    match account.google_sub.as_ref().filter(|_| !profile.former_emails.is_empty()) {
        Some(sub) => (update.remove(&["google_sub"]), Some(delete(sub, &account.key))),
        None => (update, None),
    }
}
