//! What a call to the table is billed, by DynamoDB's rules: read off the call itself, and off the items as they were
//! before and after it.
//!
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html> and
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Item};
use serde_json::Value;

/// Bytes of a read unit, consistent.
const READ: usize = 4096;
/// Bytes of a write unit.
const WRITE: usize = 1024;

/// Partition and sort key, `*` for a whole partition; of the entries, their id and nothing.
pub(super) type Key = (String, String);

/// Bytes of each item.
pub(super) type Sizes = BTreeMap<Key, usize>;

/// What one key is used for by one call.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub(super) key: Key,
    pub(super) reads: f64,
    pub(super) writes: f64,
}

/// A call to the table.
pub(super) struct Call {
    pub(super) operation: String,
    /// How many of them a request makes: less than one for what is made once for several.
    pub(super) share: f64,
    pub(super) uses: Vec<Use>,
}

/// Bytes of a value. Of a number all digits are counted, though zeros at its ends are free.
fn value_bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => digits.len().div_ceil(2) + 1,
        AttributeValue::Bool(_) | AttributeValue::Null(_) => 1,
        AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + value_bytes(value)).sum::<usize>(),
        other => panic!("say in units.rs how large {other:?} is"),
    }
}

/// Bytes of an item: names and values.
pub(super) fn bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

/// Units of so many bytes; an item that is not there costs as much as the smallest.
fn units(bytes: usize, unit: usize) -> u32 {
    u32::try_from(bytes.div_ceil(unit).max(1)).unwrap()
}

/// Units to write so many bytes.
pub(super) fn write_units(bytes: usize) -> u32 {
    units(bytes, WRITE)
}

/// Units to read so many bytes.
pub(super) fn read_units(bytes: usize) -> u32 {
    units(bytes, READ)
}

/// All items of both tables.
pub(super) async fn sizes(stack: &Embedded) -> Sizes {
    let mut sizes = Sizes::new();
    for table in ["accounts", "entries"] {
        for item in stack.items(table).await {
            let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
            let key = if table == "entries" { (text("id"), String::new()) } else { (text("pk"), text("sk")) };
            sizes.insert(key, bytes(&item));
        }
    }
    sizes
}

/// The key in an item or key of a request.
fn key(item: &Value) -> Key {
    let text = |name: &str| item[name]["S"].as_str().map(str::to_owned);
    let pk = text("pk").or_else(|| text("id"));
    (pk.unwrap_or_else(|| panic!("{item} has no key")), text("sk").unwrap_or_default())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(serde_json::Map::values)
}

/// What a call costs that found these items and left those.
pub(super) fn call(operation: &str, asked: &Value, before: &Sizes, after: &Sizes) -> Call {
    let of = |sizes: &Sizes, key: &Key| sizes.get(key).copied().unwrap_or_default();
    let read = |keys: &Value| Use { reads: f64::from(read_units(of(before, &key(keys)))), writes: 0.0, key: key(keys) };
    // A refused write is billed too; a write is billed by the larger of what it finds and what it leaves.
    let write = |item: &Value, times: f64| {
        let key = key(item);
        let larger = of(before, &key).max(of(after, &key));
        Use { reads: 0.0, writes: times * f64::from(write_units(larger)), key }
    };
    let consistent =
        |asked: &Value| assert_eq!(asked["ConsistentRead"], true, "units.rs reckons with consistent reads");
    let mut share = 1.0;
    let uses = match operation {
        "GetItem" => {
            consistent(asked);
            vec![read(&asked["Key"])]
        }
        "BatchGetItem" => members(&asked["RequestItems"])
            .flat_map(|table| {
                consistent(table);
                list(&table["Keys"]).map(read)
            })
            .collect(),
        "Query" => {
            consistent(asked);
            let pk = asked["ExpressionAttributeValues"][":pk"]["S"].as_str().unwrap();
            let from = asked["ExpressionAttributeValues"][":sk"]["S"].as_str().unwrap_or_default();
            let found = before.iter().filter(|((of, sk), _)| of == pk && sk.as_str() >= from);
            let limit = asked["Limit"].as_u64().map_or(usize::MAX, |limit| usize::try_from(limit).unwrap());
            let all: usize = found.take(limit).map(|(_, bytes)| bytes).sum();
            vec![Use { key: (pk.to_owned(), "*".to_owned()), reads: f64::from(read_units(all)), writes: 0.0 }]
        }
        "PutItem" => vec![write(&asked["Item"], 1.0)],
        "UpdateItem" | "DeleteItem" => {
            if asked["UpdateExpression"] == "ADD #total :by" {
                let leased = asked["ExpressionAttributeValues"][":by"]["N"].as_str().unwrap();
                share = 1.0 / leased.parse::<f64>().unwrap();
            }
            vec![write(&asked["Key"], 1.0)]
        }
        "TransactWriteItems" => list(&asked["TransactItems"])
            .flat_map(members)
            .map(|part| write(if part["Item"].is_object() { &part["Item"] } else { &part["Key"] }, 2.0))
            .collect(),
        "BatchWriteItem" => members(&asked["RequestItems"])
            .flat_map(list)
            .map(|request| write(&request["PutRequest"]["Item"], 1.0))
            .collect(),
        other => panic!("say in units.rs what {other} costs"),
    };
    Call { operation: operation.to_owned(), share, uses }
}
