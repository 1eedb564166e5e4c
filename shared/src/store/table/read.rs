//! Reads of a table. Those of items and partitions are consistent; an index may lag behind.

use aws_sdk_dynamodb::types::KeysAndAttributes;

use super::{Item, Key, Table, n, s};
use crate::Fault;
use crate::aws::fault;
use crate::problem::FaultKind;

/// The start of a page in its partition.
pub(in crate::store) enum Start {
    /// The first item.
    First,
    /// The item with this sort key, or the next one.
    At(&'static str),
    /// The item after the one with this key, the last of another page.
    After(Key),
}

/// Some items of a partition or of an index, in the order of their sort keys.
pub(in crate::store) struct Page {
    pub(in crate::store) items: Vec<Item>,
    /// The key of the last item, if there may be more.
    pub(in crate::store) last: Option<Key>,
}

/// An index: its name and its partition key.
pub(in crate::store) struct Index {
    pub(in crate::store) name: &'static str,
    pub(in crate::store) key: &'static str,
}

/// Makes a read ask only for what may be read.
macro_rules! projected {
    ($table:expr, $request:expr) => {{
        let (projection, names) = $table.projection();
        $request.set_projection_expression(projection).set_expression_attribute_names(names)
    }};
}
#[cfg(feature = "operator")]
pub(super) use projected;

impl Table {
    pub(in crate::store) async fn item(&self, key: Key) -> Result<Option<Item>, Fault> {
        let get = self.client.get_item().table_name(&self.name).set_key(Some(key)).consistent_read(true);
        let got = projected!(self, get).send().await;
        Ok(got.map_err(|error| self.explained(fault("table.GetItem", &error)))?.item)
    }

    /// Reads two items with one request. Each is `None` if it does not exist.
    pub(in crate::store) async fn pair(&self, keys: [Key; 2]) -> Result<[Option<Item>; 2], Fault> {
        let items = self.items(keys.into()).await?;
        items.try_into().map_err(|_| Fault::new("table.BatchGetItem", "incomplete"))
    }

    /// Reads at most 100 items with one request, in the order of their keys. Each is `None` if it does not exist.
    pub(in crate::store) async fn items(&self, wanted: Vec<Key>) -> Result<Vec<Option<Item>>, Fault> {
        const OPERATION: &str = "table.BatchGetItem";
        let mut missing = wanted.clone();
        let mut found = Vec::new();
        let mut retry = self.retry(&[FaultKind::Unprocessed]);
        loop {
            let keys = KeysAndAttributes::builder().set_keys(Some(missing)).consistent_read(true);
            let keys = projected!(self, keys).build().map_err(|_| Fault::new(OPERATION, "unbuildable"))?;
            let answer = self.client.batch_get_item().request_items(&self.name, keys).send().await;
            let mut answer = answer.map_err(|error| self.explained(fault(OPERATION, &error)))?;
            let items = answer.responses.as_mut().and_then(|tables| tables.remove(&self.name));
            found.extend(items.unwrap_or_default());
            let left = answer.unprocessed_keys.and_then(|mut tables| tables.remove(&self.name));
            missing = left.map(|left| left.keys).unwrap_or_default();
            if missing.is_empty() {
                break;
            }
            retry.after(Fault::unprocessed(OPERATION)).await?;
        }
        let is_at = |item: &Item, key: &Key| key.iter().all(|(name, value)| item.get(name) == Some(value));
        let items = wanted.iter().map(|key| {
            let index = found.iter().position(|item| is_at(item, key))?;
            Some(found.swap_remove(index))
        });
        Ok(items.collect())
    }

    /// Reads at most `limit` items of a partition.
    pub(in crate::store) async fn page(&self, pk: &str, start: Start, limit: i32) -> Result<Page, Fault> {
        let query = self.client.query().table_name(&self.name).consistent_read(true).limit(limit);
        let query = query.expression_attribute_values(":pk", s(pk));
        let query = match start {
            Start::First => query.key_condition_expression("pk = :pk"),
            Start::At(sk) => {
                query.key_condition_expression("pk = :pk AND sk >= :sk").expression_attribute_values(":sk", s(sk))
            }
            Start::After(last) => query.key_condition_expression("pk = :pk").set_exclusive_start_key(Some(last)),
        };
        let query = projected!(self, query).set_select(self.selected()).send().await;
        let answer = query.map_err(|error| self.explained(fault("table.Query", &error)))?;
        Ok(Page { items: answer.items.unwrap_or_default(), last: answer.last_evaluated_key })
    }

    /// The last `limit` items of a partition in the order of their sort keys, the last first.
    pub(in crate::store) async fn latest(&self, pk: &str, limit: i32) -> Result<Vec<Item>, Fault> {
        let query = self.client.query().table_name(&self.name).consistent_read(true).limit(limit);
        let query = query.key_condition_expression("pk = :pk").expression_attribute_values(":pk", s(pk));
        let query = projected!(self, query).set_select(self.selected()).scan_index_forward(false);
        let answer = query.send().await.map_err(|error| self.explained(fault("table.Query", &error)))?;
        Ok(answer.items.unwrap_or_default())
    }

    /// A page of the items of an index with this key. `most` is its sort key, and the highest value of those to read. An
    /// item has only the attributes of the index.
    pub(in crate::store) async fn indexed(
        &self,
        index: &Index,
        key: u64,
        most: Option<(&str, u64)>,
        start: Option<Key>,
        limit: Option<i32>,
    ) -> Result<Page, Fault> {
        let query = self.client.query().table_name(&self.name).index_name(index.name).set_limit(limit);
        let query = query.expression_attribute_names("#key", index.key).expression_attribute_values(":key", n(key));
        let query = match most {
            None => query.key_condition_expression("#key = :key"),
            Some((sort, last)) => query
                .key_condition_expression("#key = :key AND #sort <= :last")
                .expression_attribute_names("#sort", sort)
                .expression_attribute_values(":last", n(last)),
        };
        let answer = query.set_exclusive_start_key(start).send().await;
        let answer = answer.map_err(|error| self.explained(fault("table.Query", &error)))?;
        Ok(Page { items: answer.items.unwrap_or_default(), last: answer.last_evaluated_key })
    }
}
