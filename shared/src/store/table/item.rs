//! Items, keys and values.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

pub(in crate::store) type Item = HashMap<String, AttributeValue>;

/// The key of an item: the attributes of the table's primary key.
pub(in crate::store) type Key = Item;

/// The key of an item of the accounts table.
pub(in crate::store) fn key(pk: &str, sk: &str) -> Key {
    Key::from([("pk".to_owned(), s(pk)), ("sk".to_owned(), s(sk))])
}

pub(in crate::store) fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub(in crate::store) fn n(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// A text attribute of an item.
pub(in crate::store) fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name).and_then(|value| value.as_s().ok()).map(String::as_str)
}

/// A whole-number attribute of an item.
pub(in crate::store) fn number(item: &Item, name: &str) -> Option<u64> {
    item.get(name).and_then(|value| value.as_n().ok()?.parse().ok())
}
