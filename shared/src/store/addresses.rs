//! The account of an address.

use super::items::{address, profile};
use super::table::{Outcome, Table};
use crate::account::{Account, AccountKey};
use crate::{Email, Fault};

/// The account of an address, if there is one. It costs one read, or three if another account was under the key of the
/// address, or this one is not.
pub(in crate::store) async fn account_of(table: &Table, email: &Email) -> Result<Option<Account>, Fault> {
    let home = table.item(profile::key_of(&AccountKey::of(email))).await?;
    if let Some(item) = home.filter(|item| !address::is_left_by(item, email)) {
        return profile::account(item).map(Some);
    }
    let Some(pointer) = table.item(address::key_of(email)).await? else { return Ok(None) };
    let item = table.item(profile::key_of(&address::account_of(pointer)?)).await?;
    // The account may have left the address since the pointer was read.
    item.filter(|item| !address::is_left_by(item, email)).map(profile::account).transpose()
}

/// Gives a new account another key, if the profile of an account that has left its address is under its own one. Returns
/// whether it has another key, and the writes have to be sent again.
pub(in crate::store) fn evade<T>(table: &Table, account: &mut Account, outcome: &Outcome<T>) -> Result<bool, Fault> {
    let Err(refused) = outcome else { return Ok(false) };
    let is_left = refused.item.as_ref().is_some_and(|item| address::is_left_by(item, &account.email));
    if is_left {
        account.key = AccountKey::random(table.random())?;
    }
    Ok(is_left)
}
