//! Finding accounts by id, and reading whole tables.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, Select};

use super::Operator;
use crate::Fault;
use crate::account::AccountKey;
use crate::aws::fault;
use crate::store::account::profile::PROFILE;
use crate::store::table::{Item, Table, n};

/// The index of profiles by id (`template.yaml`).
const PROFILES: &str = "profiles";

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
    ///
    /// # Errors
    /// The table failed, or an entry of the index is broken.
    pub async fn owners(&self, id: u64) -> Result<Vec<AccountKey>, Fault> {
        let query = self.table.client.query().table_name(&self.table.name).index_name(PROFILES);
        let query = query.key_condition_expression("profile_id = :id").expression_attribute_values(":id", n(id));
        let answer = query.send().await.map_err(|error| fault("table.Query", &error))?;
        let keys = answer.items.unwrap_or_default().into_iter().map(|item| {
            let key = item.get("pk").and_then(|pk| AccountKey::parse(pk.as_s().ok()?));
            key.ok_or_else(|| Fault::new("table.row", "broken"))
        });
        keys.collect()
    }

    /// Whether the index of ids has any account.
    ///
    /// # Errors
    /// The table failed.
    pub async fn has_accounts(&self) -> Result<bool, Fault> {
        let scan = self.table.client.scan().table_name(&self.table.name).index_name(PROFILES).limit(1);
        let answer = scan.send().await.map_err(|error| fault("table.Scan", &error))?;
        Ok(answer.items.is_some_and(|items| !items.is_empty()))
    }

    fn of(&self, rows: Rows) -> &Table {
        match rows {
            Rows::Accounts => &self.table,
            Rows::Entries => &self.entries,
        }
    }

    /// A page of a segment of a table.
    ///
    /// # Errors
    /// The table failed.
    pub async fn scan(&self, rows: Rows, segment: i32, segments: i32, start: Option<Item>) -> Result<Scanned, Fault> {
        let table = self.of(rows);
        let scan = table.client.scan().table_name(&table.name).segment(segment).total_segments(segments);
        let scan = scan.set_exclusive_start_key(start).return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = scan.send().await.map_err(|error| fault("table.Scan", &error))?;
        let units = answer.consumed_capacity.and_then(|capacity| capacity.capacity_units).unwrap_or_default();
        Ok(Scanned { items: answer.items.unwrap_or_default(), next: answer.last_evaluated_key, units })
    }

    /// Counts the items of a page of a table, without sending them to the client.
    ///
    /// # Errors
    /// The table failed.
    pub async fn count(&self, rows: Rows, start: Option<Item>) -> Result<Counted, Fault> {
        let table = self.of(rows);
        let scan = table.client.scan().table_name(&table.name).select(Select::Count);
        let scan = scan.set_exclusive_start_key(start).return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = scan.send().await.map_err(|error| fault("table.Scan", &error))?;
        let units = answer.consumed_capacity.and_then(|capacity| capacity.capacity_units).unwrap_or_default();
        let items = u64::try_from(answer.count).unwrap_or_default();
        Ok(Counted { items, next: answer.last_evaluated_key, units })
    }
}

/// Whether an item is the profile of an account.
#[must_use]
pub fn is_profile(item: &Item) -> bool {
    text(item, "sk") == Some(PROFILE)
}

/// A text attribute of an item.
#[must_use]
pub fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name).and_then(|value: &AttributeValue| value.as_s().ok()).map(String::as_str)
}
