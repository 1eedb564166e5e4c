//! URL-encoded forms. An input is a body.

use std::collections::BTreeSet;
use std::fmt::Write;

use futures_util::FutureExt;
use shared::endpoint::body::{Fields, Unreadable, form_fields};

use crate::{multipart, request};

const URL_ENCODED: &str = "application/x-www-form-urlencoded";
/// The greatest number of fields in a form.
const FIELDS_MAX: usize = 1000;
/// The greatest number of names that are looked up in a form. A lookup reads the whole form.
const NAMES_MAX: usize = 32;

/// Name and value of each field, in order.
pub type Pairs = Vec<(String, Vec<u8>)>;

/// A form is read exactly when it is UTF-8 and has at most 1,000 fields. It is decoded once. A field is refused if it
/// is given twice with different values, is in array notation, or is not UTF-8 when it is decoded. The same fields,
/// written again in either encoding, are the same form.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let read = read(URL_ENCODED, input);
    let pairs = str::from_utf8(input).map(decoded).unwrap_or_default();
    if str::from_utf8(input).is_err() || pairs.len() > FIELDS_MAX {
        assert!(read.is_err());
        return;
    }
    agrees(read, &pairs);
    written_is_read(&pairs);
}

/// The fields that a client sends are the fields that are read, in either encoding.
///
/// # Panics
/// Panics if the property does not hold.
pub fn written_is_read(pairs: &Pairs) {
    agrees(read(URL_ENCODED, url_encoded(pairs).as_bytes()), pairs);
    if pairs.iter().all(|(name, value)| multipart::is_writable(name, value)) {
        let parts: Vec<_> = pairs.iter().map(|(name, value)| multipart::Part::of(name, value)).collect();
        agrees(read(multipart::CONTENT_TYPE, &multipart::written(&parts)), pairs);
    }
}

/// Reads a form. This never waits.
pub(crate) fn read(content_type: &str, body: &[u8]) -> Result<Fields, Unreadable> {
    form_fields(&request::post(content_type, body)).now_or_never().unwrap()
}

/// Asserts that a form was read and has these fields.
pub(crate) fn agrees(read: Result<Fields, Unreadable>, pairs: &Pairs) {
    let mut fields = read.unwrap();
    let names: BTreeSet<&str> = pairs.iter().map(|(name, _)| name.as_str()).take(NAMES_MAX).collect();
    // `name[]` makes the field `name` invalid, so `name` is checked too.
    let stems =
        names.iter().filter_map(|name| name.split_once('[')).map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    for name in names.iter().copied().chain(stems).chain(["no such field"]) {
        let taken = fields.take(name).ok().map(|value| value.to_string());
        assert_eq!(taken, expected(name, pairs), "{name:?} of {pairs:?}");
    }
}

fn expected(name: &str, pairs: &Pairs) -> Option<String> {
    let array = format!("{name}[");
    if pairs.iter().any(|(found, _)| found.starts_with(&array)) {
        return None;
    }
    let values: BTreeSet<&[u8]> = pairs.iter().filter(|pair| pair.0 == name).map(|pair| pair.1.as_slice()).collect();
    match values.len() {
        0 => Some(String::new()),
        1 => values.into_iter().next().and_then(|value| String::from_utf8(value.to_vec()).ok()),
        _ => None,
    }
}

/// The parser of the URL Standard.
fn decoded(text: &str) -> Pairs {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (String::from_utf8_lossy(&bytes(name)).into_owned(), bytes(value))).collect()
}

fn bytes(text: &str) -> Vec<u8> {
    let text = text.as_bytes();
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        match (byte, digits) {
            (b'%', Some(digits)) => {
                bytes.push(u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap());
                at += 2;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
        at += 1;
    }
    bytes
}

fn url_encoded(pairs: &Pairs) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        for byte in name.bytes() {
            let _ = write!(text, "%{byte:02X}");
        }
        text.push('=');
        for &byte in value {
            match byte {
                b' ' => text.push('+'),
                _ if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
                _ => drop(write!(text, "%{byte:02x}")),
            }
        }
        text.push('&');
    }
    text
}
