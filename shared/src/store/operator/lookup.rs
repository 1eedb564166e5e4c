//! Finding accounts by id, and reading whole tables.

use super::Operator;
use crate::Fault;
use crate::account::AccountKey;
use crate::store::items::profile::PROFILE;
use crate::store::table::{Index, Item, Scan, Table, broken, text};

/// The index of profiles by id (`template.yaml`).
const PROFILES: Index = Index { name: "profiles", key: "profile_id", sort: None };

/// A table of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Accounts, sessions, identities.
    Accounts,
    /// Received entries.
    Entries,
}

/// A page of a table, read by a scan.
pub struct Scanned {
    /// The items of the page.
    pub items: Vec<Item>,
    /// Where the next page starts; `None` at the end of the segment.
    pub next: Option<Item>,
    /// The read units that the page took.
    pub units: f64,
}

/// A page of a table whose items were only counted.
pub struct Counted {
    /// The number of items.
    pub items: u64,
    /// Where the next page starts; `None` at the end of the table.
    pub next: Option<Item>,
    /// The read units that the page took.
    pub units: f64,
}

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
        Ok(!self.table.scan(scan).await?.items.is_empty())
    }

    fn of(&self, rows: Rows) -> &Table {
        match rows {
            Rows::Accounts => &self.table,
            Rows::Entries => &self.entries,
        }
    }

    /// A page of a segment of a table.
    pub async fn scan(&self, rows: Rows, segment: i32, segments: i32, start: Option<Item>) -> Result<Scanned, Fault> {
        let page = self.of(rows).scan(Scan { segment: Some((segment, segments)), start, ..Scan::default() }).await?;
        Ok(Scanned { items: page.items, next: page.last, units: page.units })
    }

    /// Counts the items of a page of a table, without sending them to the client.
    pub async fn count(&self, rows: Rows, start: Option<Item>) -> Result<Counted, Fault> {
        let page = self.of(rows).scan(Scan { start, counts: true, ..Scan::default() }).await?;
        Ok(Counted { items: page.count, next: page.last, units: page.units })
    }
}

/// Whether an item is the profile of an account.
pub fn is_profile(item: &Item) -> bool {
    text(item, "sk") == Some(PROFILE)
}
