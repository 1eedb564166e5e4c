//! Reads of single rows of the accounts table.

use std::collections::HashMap;

use super::Operator;
use crate::Fault;
use crate::store::items::RowKey;
use crate::store::table::{Item, key};

/// The maximum number of keys in one `BatchGetItem` (DynamoDB's limit).
const BATCH: usize = 100;

impl Operator {
    /// The existing rows with these keys, by key. `keys` may contain a key more than once.
    pub async fn rows(&self, mut keys: Vec<RowKey>) -> Result<HashMap<RowKey, Item>, Fault> {
        keys.sort_unstable();
        keys.dedup();
        let mut rows = HashMap::new();
        for some in keys.chunks(BATCH) {
            let found = self.table.items(some.iter().map(|(pk, sk)| key(pk, sk)).collect()).await?;
            rows.extend(some.iter().cloned().zip(found).filter_map(|(key, item)| Some((key, item?))));
        }
        Ok(rows)
    }
}
