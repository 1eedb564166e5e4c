//! What the operator's tool reads: accounts by their ids and keys, everything of an account, and whole tables.

use std::collections::HashMap;

use super::Operator;
use crate::account::AccountKey;
use crate::store::addresses;
use crate::store::items::entry::{self, StoredEntry};
use crate::store::items::failures::Failures;
use crate::store::items::profile::{self, Profile};
use crate::store::items::{Row, RowKey, address, identity};
use crate::store::partition::Partition;
use crate::store::table::{self, Index, Item, Place, Scan, Scanned, broken, key, text};
use crate::{Email, Fault};

/// The index of profiles by id (`template.yaml`).
const PROFILES: Index = Index { name: "profiles", key: "profile_id" };
/// The maximum number of keys in one `BatchGetItem` (DynamoDB's limit).
const BATCH: usize = 100;

impl Operator {
    /// The keys of all accounts with this id. More than one means damage. The index may lag behind the table.
    pub async fn owners(&self, id: u64) -> Result<Vec<AccountKey>, Fault> {
        let page = self.table.indexed(&PROFILES, id, None, None, None).await?;
        let key = |item: &Item| text(item, "pk").and_then(AccountKey::parse).ok_or_else(broken);
        page.items.iter().map(key).collect()
    }

    /// Whether the index of ids has any account.
    pub async fn has_accounts(&self) -> Result<bool, Fault> {
        let scan = Scan { index: Some(PROFILES.name), limit: Some(1), ..Scan::default() };
        Ok(self.table.scan(scan, |items, _| !items.is_empty()).await?.found)
    }

    /// Everything in the partition of an account. Returns `None` if there is no account.
    pub async fn partition(&self, key: &AccountKey) -> Result<Option<Partition>, Fault> {
        Partition::whole(&self.table, key).await
    }

    /// The key of the account of an address, or the one that an account with this address would have.
    pub async fn key_of(&self, email: &Email) -> Result<AccountKey, Fault> {
        let home = AccountKey::of(email);
        // The account may be broken.
        let item = self.table.item(profile::key_of(&home)).await?;
        if item.is_some_and(|item| !address::is_left_by(&item, email)) {
            return Ok(home);
        }
        self.table.item(address::key_of(email)).await?.map_or(Ok(home), address::account_of)
    }

    /// Whether an address has an account.
    pub async fn has_account(&self, email: &Email) -> Result<bool, Fault> {
        Ok(addresses::account_of(&self.table, email).await?.is_some())
    }

    /// The failed logins of the address of an account.
    pub async fn failures(&self, partition: &Partition) -> Result<Vec<Result<Failures, Fault>>, Fault> {
        partition.failures_of_address(&self.table).await
    }

    /// The accounts with these keys, and the keys of the accounts that these identities are linked to, in the same
    /// order. At most 100 together.
    pub async fn accounts(
        &self,
        keys: &[AccountKey],
        subs: &[&str],
    ) -> Result<(Vec<Option<Profile>>, Vec<Option<AccountKey>>), Fault> {
        let links = subs.iter().map(|sub| identity::key_of(sub));
        let mut found = self.table.items(keys.iter().map(profile::key_of).chain(links).collect()).await?;
        let linked = found.split_off(keys.len());
        let profiles = found.into_iter().map(|item| item.map(profile::read).transpose());
        let linked = linked.into_iter().map(|item| item.map(identity::account_of).transpose());
        Ok((profiles.collect::<Result<_, _>>()?, linked.collect::<Result<_, _>>()?))
    }

    /// The existing rows with these keys, by key. `keys` may contain a key more than once.
    pub async fn rows(&self, mut keys: Vec<RowKey>) -> Result<HashMap<RowKey, Row>, Fault> {
        keys.sort_unstable();
        keys.dedup();
        let mut rows = HashMap::new();
        for some in keys.chunks(BATCH) {
            let found = self.table.items(some.iter().map(|(pk, sk)| key(pk, sk)).collect()).await?;
            rows.extend(some.iter().cloned().zip(found).filter_map(|(key, item)| Some((key, Row::of(item?)))));
        }
        Ok(rows)
    }

    /// A page of a segment of the accounts table.
    pub async fn scan(&self, segment: (i32, i32), start: Option<Place>) -> Result<Scanned<Vec<Row>>, Fault> {
        let scan = Scan { segment: Some(segment), start, ..Scan::default() };
        self.table.scan(scan, |items, _| items.into_iter().map(Row::of).collect()).await
    }

    /// A page of a segment of the table of entries. The error is the id of an entry that cannot be read.
    pub async fn scan_entries(
        &self,
        segment: (i32, i32),
        start: Option<Place>,
    ) -> Result<Scanned<Vec<Result<StoredEntry, String>>>, Fault> {
        let scan = Scan { segment: Some(segment), start, ..Scan::default() };
        let read = |item: Item| {
            let id = entry::id(&item).unwrap_or_default().to_owned();
            table::read(item).map_err(|_| id)
        };
        self.entries.scan(scan, |items, _| items.into_iter().map(read).collect()).await
    }

    /// Counts the entries of a page of their table, without sending them to the client.
    pub async fn count_entries(&self, start: Option<Place>) -> Result<Scanned<u64>, Fault> {
        self.entries.scan(Scan { start, counts: true, ..Scan::default() }, |_, count| count).await
    }
}
