//! One small table in the engine of the local stack, and single writes on it.

use std::collections::BTreeMap;

use dynoxide::Database;
use dynoxide::errors::DynoxideError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The rows of a state, by partition and sort key, as the API writes them.
pub(super) type Rows = BTreeMap<(String, String), Value>;

pub(super) fn rows(items: &[Value]) -> Rows {
    let mut rows: Rows = items.iter().map(|item| (key(item), item.clone())).collect();
    sort_sets(&mut rows);
    rows
}

/// Puts the members of sets in order, so that equal rows are equal.
pub(super) fn sort_sets(rows: &mut Rows) {
    let attributes = rows.values_mut().filter_map(Value::as_object_mut).flat_map(|item| item.values_mut());
    attributes
        .filter_map(|attribute| attribute.get_mut("SS")?.as_array_mut())
        .for_each(|set| set.sort_by(|one, other| one.as_str().cmp(&other.as_str())));
}

/// The key of an item or of a part of a transaction.
pub(super) fn key(item: &Value) -> (String, String) {
    let text = |name: &str| item[name]["S"].as_str().unwrap_or_default().to_owned();
    (text("pk"), text("sk"))
}

pub(super) struct Engine {
    database: Database,
    now: Rows,
}

fn request<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

impl Engine {
    pub(super) fn new() -> Self {
        let database = Database::memory().unwrap();
        let attribute = |name| json!({"AttributeName": name, "AttributeType": "S"});
        database
            .create_table(request(json!({
                "TableName": "accounts",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                "AttributeDefinitions": [attribute("pk"), attribute("sk")],
                "BillingMode": "PAY_PER_REQUEST",
            })))
            .unwrap();
        Self { database, now: Rows::new() }
    }

    /// The rows after these writes, which are one step; `None` if a condition refuses them.
    pub(super) fn after(&mut self, state: &Rows, parts: &[Value]) -> Option<Rows> {
        self.become_(state);
        let done = self.database.transact_write_items(request(json!({"TransactItems": parts})));
        match done {
            Err(DynoxideError::TransactionCanceledException(..)) => return None,
            other => drop(other.unwrap()),
        }
        let scanned = self.database.scan(request(json!({"TableName": "accounts"}))).unwrap();
        let scanned = serde_json::to_value(scanned).unwrap();
        self.now = rows(scanned["Items"].as_array().unwrap());
        Some(self.now.clone())
    }

    fn become_(&mut self, state: &Rows) {
        for (key, item) in state.iter().filter(|(key, item)| self.now.get(*key) != Some(*item)) {
            assert_eq!(*key, self::key(item));
            self.database.put_item(request(json!({"TableName": "accounts", "Item": item}))).unwrap();
        }
        for (pk, sk) in self.now.keys().filter(|key| !state.contains_key(*key)) {
            let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
            self.database.delete_item(request(json!({"TableName": "accounts", "Key": key}))).unwrap();
        }
        self.now.clone_from(state);
    }
}
