//! The account of an address, and the creation of one.

use super::items::profile::{self, Profile};
use super::items::{address, identity};
use super::table::{Guard, Outcome, Table, Write};
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

/// Creates an account. `send` sends the writes, of which the link of its identity is the first. They are sent again with
/// another key if the profile of an account that has left this address is under the key of the address.
pub(in crate::store) async fn create<T, F: Future<Output = Result<Outcome<T>, Fault>>>(
    table: &Table,
    new: &mut Profile,
    send: impl Fn(Account, Vec<Write>) -> F,
) -> Result<Outcome<T>, Fault> {
    let outcome = send(new.account.clone(), writes(new)?).await?;
    let Err(refused) = &outcome else { return Ok(outcome) };
    if !refused.item.as_ref().is_some_and(|item| address::is_left_by(item, &new.account.email)) {
        return Ok(outcome);
    }
    new.account.key = AccountKey::random(table.random())?;
    send(new.account.clone(), writes(new)?).await
}

fn writes(new: &Profile) -> Result<Vec<Write>, Fault> {
    let account = &new.account;
    let link = account.google_sub.iter().map(|sub| identity::insert(sub, &account.key));
    let mut writes = link.collect::<Result<Vec<_>, _>>()?;
    writes.push(Write::put(new.item()?).when(Guard::absent()));
    writes.extend(address::claim(&account.email, &account.key)?);
    Ok(writes)
}
