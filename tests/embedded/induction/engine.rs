//! One small table in the engine of the local stack, single writes on it, and single conditions.

use std::collections::BTreeMap;

use dynoxide::Database;
use dynoxide::errors::DynoxideError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::writes::{Guard, members, target};

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
    attributes.filter_map(Value::as_object_mut).flat_map(|attribute| attribute.iter_mut()).for_each(|(kind, set)| {
        if let ("SS" | "NS", Some(set)) = (kind.as_str(), set.as_array_mut()) {
            set.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        }
    });
}

/// The key of an item or of a part of a transaction.
pub(super) fn key(item: &Value) -> (String, String) {
    let text = |name: &str| item[name]["S"].as_str().unwrap_or_default().to_owned();
    (text("pk"), text("sk"))
}

pub(super) struct Engine {
    table: Database,
    now: Rows,
    /// A table with one row, for conditions.
    probe: Database,
}

fn request<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn database() -> Database {
    let database = Database::memory().unwrap();
    let attribute = |name| json!({"AttributeName": name, "AttributeType": "S"});
    let created = database.create_table(request(json!({
        "TableName": "accounts",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "AttributeDefinitions": [attribute("pk"), attribute("sk")],
        "BillingMode": "PAY_PER_REQUEST",
    })));
    created.unwrap();
    database
}

fn put(database: &Database, item: &Value) {
    database.put_item(request(json!({"TableName": "accounts", "Item": item}))).unwrap();
}

fn delete(database: &Database, (pk, sk): &(String, String)) {
    let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
    database.delete_item(request(json!({"TableName": "accounts", "Key": key}))).unwrap();
}

/// Whether these parts, which are one step, are accepted.
fn is_accepted(database: &Database, parts: &[Value]) -> bool {
    match database.transact_write_items(request(json!({"TransactItems": parts}))) {
        Err(DynoxideError::TransactionCanceledException(..)) => false,
        done => done.is_ok() || panic!("{:?}: {parts:#?}", done.err()),
    }
}

impl Engine {
    pub(super) fn new() -> Self {
        Self { table: database(), now: Rows::new(), probe: database() }
    }

    /// The rows after these writes, which are one step; `None` if they are refused.
    pub(super) fn after(&mut self, state: &Rows, parts: &[Value]) -> Option<Rows> {
        self.become_(state);
        if !parts.is_empty() && !is_accepted(&self.table, parts) {
            return None;
        }
        let scanned = self.table.scan(request(json!({"TableName": "accounts"}))).unwrap();
        let scanned = serde_json::to_value(scanned).unwrap();
        self.now = rows(scanned["Items"].as_array().unwrap());
        Some(self.now.clone())
    }

    fn become_(&mut self, state: &Rows) {
        for (key, item) in state.iter().filter(|(key, item)| self.now.get(*key) != Some(*item)) {
            assert_eq!(*key, self::key(item));
            put(&self.table, item);
        }
        for key in self.now.keys().filter(|key| !state.contains_key(*key)) {
            delete(&self.table, key);
        }
        self.now.clone_from(state);
    }

    /// Whether one condition of a part holds for what a row has of the attributes that it names.
    pub(super) fn holds(&self, guard: &Guard, row: Option<&Map<String, Value>>) -> bool {
        let key = target(&guard.check);
        match row {
            None => delete(&self.probe, &key),
            Some(named) => {
                let mut item = named.clone();
                item.extend([("pk".to_owned(), json!({"S": key.0})), ("sk".to_owned(), json!({"S": key.1}))]);
                put(&self.probe, &item.into());
            }
        }
        is_accepted(&self.probe, std::slice::from_ref(&guard.check))
    }
}

/// What a row has of the attributes that a condition names; `None` without a row.
pub(super) fn named(guard: &Guard, state: &Rows) -> Option<Map<String, Value>> {
    let (_, members) = members(&guard.check);
    let row = state.get(&target(&guard.check))?;
    let names = members["ExpressionAttributeNames"].as_object().into_iter().flatten();
    let names = names.filter_map(|(_, name)| name.as_str());
    Some(names.filter_map(|name| Some((name.to_owned(), row.get(name)?.clone()))).collect())
}
