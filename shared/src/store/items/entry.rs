//! The item of an entry, in the table of entries: the text that was received. An entry of an account has its id.

use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, WriteRequest};
use serde::Deserialize;
use uuid::Uuid;

use crate::Fault;
use crate::store::table::{Index, Item, Key, broken, n, number, s, text};

/// The largest item in bytes, with attribute names and values (DynamoDB's limit, 400 KB).
const ITEM_MAX: usize = 400 * 1024;
/// The bytes of an item besides the entry: the names of the six attributes, id, request, index, time and account.
const OVERHEAD: usize = 160;
/// The largest entry, in bytes.
pub const ENTRY_BYTES_MAX: usize = ITEM_MAX - OVERHEAD;
/// The index of entries by account (`template.yaml`). Only entries of an account have its key.
pub(in crate::store) const OF_ACCOUNTS: Index = Index { name: "accounts", key: "account" };

/// A stored entry.
#[derive(Deserialize)]
pub struct StoredEntry {
    /// Its id.
    pub id: String,
    /// When it was first received, in milliseconds since 1970.
    pub received_at: u64,
    /// The text that was received.
    pub body: String,
    /// The id of the request that it was received in.
    pub request: String,
    /// Its index in the request, from 0.
    pub index: u64,
    /// The id of the account that it belongs to.
    pub account: Option<u64>,
}

/// The item of an entry: its request, its index there, its text, the time of receipt in milliseconds since 1970, and
/// the id of its account.
pub(in crate::store) fn item(request: Uuid, index: usize, body: &str, at: u64, account: Option<u64>) -> Item {
    let mut item = key_of(&id_of(request, index));
    item.extend([
        ("body".to_owned(), s(body)),
        ("received_at".to_owned(), n(at)),
        ("request".to_owned(), s(&request.to_string())),
        ("index".to_owned(), n(u64::try_from(index).unwrap_or(u64::MAX))),
    ]);
    item.extend(account.map(|id| ("account".to_owned(), n(id))));
    item
}

/// The id of an entry.
pub(in crate::store) fn id_of(request: Uuid, index: impl std::fmt::Display) -> String {
    format!("{request}#{index:07}")
}

/// The key of the entry with this id.
pub(in crate::store) fn key_of(id: &str) -> Key {
    Key::from([("id".to_owned(), s(id))])
}

/// The id of the entry in an item, or in an item of the index.
pub(in crate::store) fn id(item: &Item) -> Option<&str> {
    text(item, "id")
}

/// When the entry in an item was first received.
pub(in crate::store) fn received_at(item: &Item) -> Result<u64, Fault> {
    number(item, "received_at").ok_or_else(broken)
}

/// The id of the entry that a batch puts or deletes.
pub(in crate::store) fn id_in(write: &WriteRequest) -> Option<&str> {
    let put = write.put_request().map(PutRequest::item);
    id(put.or_else(|| write.delete_request().map(DeleteRequest::key))?)
}

/// Puts an entry in a batch, which cannot have guards.
pub(in crate::store) fn put(item: Item) -> Option<WriteRequest> {
    let put = PutRequest::builder().set_item(Some(item)).build().ok()?;
    Some(WriteRequest::builder().put_request(put).build())
}

/// Deletes an entry in a batch. No guard is needed, because the id of an account's entry is never that of another entry.
pub(in crate::store) fn delete(id: &str) -> Option<WriteRequest> {
    let delete = DeleteRequest::builder().set_key(Some(key_of(id))).build().ok()?;
    Some(WriteRequest::builder().delete_request(delete).build())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ID_MAX;

    #[test]
    fn the_largest_entry_fits_into_an_item() {
        let entry = "x".repeat(ENTRY_BYTES_MAX);
        let item = item(Uuid::nil(), 9_999_999, &entry, u64::MAX, Some(ID_MAX));
        let len = |text: Option<&String>| text.map_or(0, String::len);
        let bytes: usize = item.iter().map(|(name, value)| name.len() + len(value.as_s().or(value.as_n()).ok())).sum();
        assert!(bytes <= ITEM_MAX, "{bytes}");
    }
}
