//! What has happened to an account, for its owner.

use std::cmp::Reverse;

use super::items::activity::{self, Activity, Happened};
use super::items::{address, last_ended_by, profile};
use super::table::{Item, Start, Table, broken, key, number, text};
use crate::account::AccountKey;
use crate::system::clock::Timestamp;
use crate::{Fault, Setup};

/// The maximum number of items of one page of an erasure: about 40 KB.
const PAGE_MAX: i32 = 256;

/// What has happened to the accounts, in the accounts table.
#[derive(Clone)]
pub struct Activities(Table);

impl Activities {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self(Table::accounts(setup))
    }

    /// Stores what has happened to the account with this id. It is idempotent.
    pub async fn add(&self, account_id: u64, happened: &Happened) -> Result<(), Fault> {
        self.0.write(happened.add_to(account_id)).await?.map_err(|_| broken())
    }

    /// At most `limit` items of the last 90 days, the latest first.
    pub async fn latest(&self, account_id: u64, limit: i32) -> Result<Vec<Activity>, Fault> {
        let page = self.0.latest(&activity::partition_key(account_id), limit).await?;
        let now = self.0.now().seconds();
        // A damaged row does not hide the others.
        let mut found: Vec<_> = page.iter().filter_map(|item| Activity::read(item).ok()).collect();
        // TTL deletes expired rows late.
        found.retain(|activity| now < activity.expires_at);
        found.sort_by_key(|activity| Reverse(activity.at));
        Ok(found)
    }

    /// Deletes what had happened to an account that was deleted at this time. An import may have created an account with the
    /// same id since.
    pub async fn erase_of(&self, account_id: u64, deleted_at: Timestamp) -> Result<(), Fault> {
        let (pk, last) = (activity::partition_key(account_id), last_ended_by(deleted_at));
        let mut start = Some(Start::First);
        while let Some(from) = start {
            let page = self.0.page(&pk, from, PAGE_MAX).await?;
            for delete in page.items.iter().filter_map(|item| activity::delete_until(item, last)) {
                // No guard is needed: a row that is gone is erased.
                self.0.write(delete).await?.ok();
            }
            start = page.last.map(Start::After);
        }
        Ok(())
    }

    /// The id of the account of the address with this key; `None` if it has no account.
    pub async fn account_at(&self, address: &str) -> Result<Option<u64>, Fault> {
        let id = |item: &Item| number(item, "id").ok_or_else(broken);
        let item = self.0.item(key(address, profile::PROFILE)).await?;
        if let Some(item) = item.filter(|item| text(item, "email").is_some_and(|email| is_key_of(address, email))) {
            return id(&item).map(Some);
        }
        let Some(pointer) = self.0.item(key(address, address::ADDRESS)).await? else { return Ok(None) };
        let named = self.0.item(profile::key_of(&address::account_of(pointer)?)).await?;
        // The account may have left the address since the pointer was read.
        let named = named.filter(|item| text(item, "email").is_some_and(|email| is_key_of(address, email)));
        named.as_ref().map(id).transpose()
    }
}

fn is_key_of(address: &str, email: &str) -> bool {
    crate::Email::parse(email).is_ok_and(|email| AccountKey::of(&email).as_str() == address)
}
