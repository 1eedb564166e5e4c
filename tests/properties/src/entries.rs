//! The body of receive-data. An input is that body.

use futures_util::FutureExt;
use receive_data::ReceiveData;
use serde_json::Value;
use shared::endpoint::body::{ReadBody, Unreadable};
use shared::{Endpoint, Problem};

use crate::json::is_json;
use crate::request;

/// The parsed body of the endpoint.
type Batch = <ReceiveData as Endpoint>::Body;

/// The size of the largest entry in bytes: DynamoDB's largest item without the attributes' names and the other values.
const ENTRY_BYTES_MAX: usize = 400 * 1024 - 160;

/// A body is accepted exactly when it is valid JSON and an object or an array of objects, at any depth. Its entries are
/// these objects, verbatim and in order. Only brackets, commas and white space of the body are not part of an entry.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let read = Batch::read(&request::post("application/json", input)).now_or_never().unwrap();
    let text = str::from_utf8(input).ok().filter(|text| is_json(text));
    match (read, text) {
        (Ok(batch), Some(text)) => pieces(&batch.objects.iter().collect::<Vec<_>>(), text),
        (Err(Unreadable::NotThisType), None) => refused_by_others(input),
        (Err(Unreadable::Refused(Problem::InvalidParameters)), Some(text)) => no_objects(text),
        (Err(Unreadable::Refused(Problem::EntryTooLarge)), Some(text)) => assert!(text.len() > ENTRY_BYTES_MAX),
        (read, text) => panic!("read: {}, JSON: {}", read.is_ok(), text.is_some()),
    }
}

/// The objects of a list are the entries of the request.
///
/// # Panics
/// Panics if the property does not hold.
pub fn written_is_read(objects: &[String]) {
    let body = format!("[{}]", objects.join(" ,\n"));
    let batch = Batch::read(&request::post("application/json", body.as_bytes())).now_or_never().unwrap();
    assert!(batch.is_ok_and(|batch| batch.objects.iter().eq(objects.iter().map(String::as_str))), "{body}");
}

fn pieces(entries: &[&str], text: &str) {
    let mut left_over = String::new();
    let mut rest = text;
    for entry in entries {
        assert!(entry.starts_with('{') && is_json(entry) && entry.len() <= ENTRY_BYTES_MAX, "{entry:?}");
        let (before, after) = rest.split_once(entry).unwrap();
        left_over.push_str(before);
        rest = after;
    }
    left_over.push_str(rest);
    left_over.retain(|c| !" \t\r\n".contains(c));
    let array = format!("[{}]", ",".repeat(entries.len().saturating_sub(1)));
    assert!(left_over == array || (left_over.is_empty() && entries.len() == 1), "{left_over:?} of {text:?}");
}

/// A body that is refused as invalid JSON is refused by `serde_json` too.
fn refused_by_others(input: &[u8]) {
    assert!(serde_json::from_slice::<Value>(input).is_err(), "{:?}", String::from_utf8_lossy(input));
}

fn no_objects(text: &str) {
    match serde_json::from_str(text) {
        Ok(Value::Array(elements)) => assert!(!elements.iter().all(Value::is_object), "{text:?}"),
        Ok(value) => assert!(!value.is_object(), "{text:?}"),
        // `serde_json` refuses deep nesting, large numbers and lone surrogates.
        Err(_) => assert!(!text.trim_start().starts_with('{'), "{text:?}"),
    }
}
