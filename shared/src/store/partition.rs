//! The items of one account, as one bounded query or a walk through all pages returns them.
//!
//! The items are parsed when they are asked for: a login with a wrong password parses none but the profile.

use crate::account::{Account, AccountKey};
use crate::store::items::address;
use crate::store::items::failures::{self, FAILURES, Failures};
use crate::store::items::passkey::{self, StoredPasskey};
use crate::store::items::profile::{self, PROFILE, Profile};
use crate::store::items::session::StoredSession;
use crate::store::table::{Item, Start, Table, text};
use crate::{Email, Fault};

/// The maximum number of items that a login reads: the profile, the 50 sessions, and about as many sessions of concurrent
/// logins. A login with a passkey also reads the passkeys. That many items have about 25 KB, which takes 7 read units.
/// An account with three sessions takes one.
const LOGIN_MAX: i32 = 100;
/// The maximum number of items of one page of a walk: about 60 KB.
pub(in crate::store) const PAGE_MAX: i32 = 256;

/// An account, and the items of its partition that were read.
pub struct Partition {
    /// The account's own item.
    pub profile: Profile,
    /// The other items, in the order of their sort keys.
    items: Vec<Item>,
    /// Whether the partition may have more items than were read.
    more: bool,
}

impl Partition {
    /// Reads the account of an address and its sessions, if there is one. An account whose address has changed costs
    /// one more read.
    pub(in crate::store) async fn of_address(table: &Table, email: &Email) -> Result<Option<Self>, Fault> {
        let page = table.page(AccountKey::of(email).as_str(), Start::At(PROFILE), LOGIN_MAX).await?;
        let pointer = page.items.iter().find(|item| address::is_here(item)).cloned();
        let has_left = page.items.iter().any(|item| address::is_left_by(item, email));
        let here = if has_left { None } else { Self::of(page.items, page.last.is_some())? };
        let (None, Some(pointer)) = (&here, pointer) else { return Ok(here) };
        let named = Box::pin(Self::of_login(table, &address::account_of(pointer)?)).await?;
        // The account may have left the address since the pointer was read.
        Ok(named.filter(|named| named.account().email == *email))
    }

    /// Reads the account with this key and its sessions, if there is one.
    pub(in crate::store) async fn of_login(table: &Table, key: &AccountKey) -> Result<Option<Self>, Fault> {
        Self::bounded(table, key, Start::At(PROFILE)).await
    }

    /// As [`Partition::of_login`], with its passkeys, which come before the profile in the order of sort keys.
    pub(in crate::store) async fn of_passkey_login(table: &Table, key: &AccountKey) -> Result<Option<Self>, Fault> {
        Self::bounded(table, key, Start::At(passkey::PREFIX)).await
    }

    async fn bounded(table: &Table, key: &AccountKey, start: Start) -> Result<Option<Self>, Fault> {
        let page = table.page(key.as_str(), start, LOGIN_MAX).await?;
        Self::of(page.items, page.last.is_some())
    }

    /// Reads everything in the partition of this key, page by page.
    pub(in crate::store) async fn whole(table: &Table, key: &AccountKey) -> Result<Option<Self>, Fault> {
        Self::of(all_items(table, key).await?, false)
    }

    fn of(mut items: Vec<Item>, more: bool) -> Result<Option<Self>, Fault> {
        let place = items.iter().position(|item| text(item, "sk") == Some(PROFILE));
        let Some(place) = place else { return Ok(None) };
        let profile = profile::read(items.remove(place))?;
        Ok(Some(Self { profile, items, more }))
    }

    /// The account.
    pub fn account(&self) -> &Account {
        &self.profile.account
    }

    /// The sessions, live or not, also those of an earlier account of the address.
    pub fn sessions(&self) -> impl Iterator<Item = StoredSession> {
        self.items.iter().filter_map(StoredSession::read)
    }

    /// The passkeys of the account. A row of an earlier account of the address is not the account's.
    pub(in crate::store) fn passkeys(&self) -> impl Iterator<Item = Result<StoredPasskey, Fault>> {
        let rows = self.items.iter().filter(|item| text(item, "sk").is_some_and(|sk| sk.starts_with(passkey::PREFIX)));
        rows.filter_map(|row| StoredPasskey::read(row.clone(), self.account()).transpose())
    }

    /// The passkey with this id, if the profile names it.
    pub(in crate::store) fn passkey(&self, id: &str) -> Result<Option<StoredPasskey>, Fault> {
        let sk = passkey::sort_key(id);
        let row = self.items.iter().find(|item| text(item, "sk") == Some(&sk));
        let row = row.filter(|_| self.account().passkeys.contains(id));
        Ok(row.map(|row| StoredPasskey::read(row.clone(), self.account())).transpose()?.flatten())
    }

    /// The failed logins of each bucket in the partition.
    fn failures(&self) -> impl Iterator<Item = Result<Failures, Fault>> {
        self.items.iter().filter(|item| failures::is_here(item)).map(|item| failures::read(item.clone()))
    }

    /// The failed logins of the account's address, which are under the key of the address.
    pub(in crate::store) async fn failures_of_address(
        &self,
        table: &Table,
    ) -> Result<Vec<Result<Failures, Fault>>, Fault> {
        let home = AccountKey::of(&self.account().email);
        if home == self.account().key {
            return Ok(self.failures().collect());
        }
        let page = table.page(home.as_str(), Start::At(FAILURES), PAGE_MAX).await?;
        Ok(page.items.into_iter().filter(failures::is_here).map(failures::read).collect())
    }

    /// Whether the partition may have more items than were read.
    pub(in crate::store) fn has_more(&self) -> bool {
        self.more
    }
}

/// All items in the partition of this key, page by page.
pub(in crate::store) async fn all_items(table: &Table, key: &AccountKey) -> Result<Vec<Item>, Fault> {
    let (mut items, mut start) = (Vec::new(), Some(Start::First));
    while let Some(from) = start {
        let page = table.page(key.as_str(), from, PAGE_MAX).await?;
        items.extend(page.items);
        start = page.last.map(Start::After);
    }
    Ok(items)
}
