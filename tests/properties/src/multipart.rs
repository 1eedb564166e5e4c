//! Multipart forms. An input is the media type, a line feed, and a body.

use crate::form::{self, Pairs};

/// The media type of the bodies from [`written`].
pub(crate) const CONTENT_TYPE: &str = "multipart/form-data; boundary=----x1";
const DELIMITER: &str = "------x1";

/// A body that is read contains `--`. Each value that is found under a word of the body occurs in the body byte for
/// byte.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Some(line) = input.iter().position(|byte| *byte == b'\n') else { return };
    let (content_type, body) = (String::from_utf8_lossy(&input[..line]), &input[line + 1..]);
    if !content_type.to_ascii_lowercase().starts_with("multipart/form-data") {
        return;
    }
    let Ok(mut fields) = form::read(&content_type, body) else { return };
    let text = String::from_utf8_lossy(body);
    assert!(text.contains("--"), "a form without a delimiter");
    let words = text.split(|c: char| "\"=;\r\n".contains(c)).filter(|word| !word.is_empty());
    for name in words.take(64) {
        let Ok(value) = fields.take(name) else { continue };
        assert!(text.contains(value.as_str()), "{name:?} is {:?}, which nobody sent", value.as_str());
    }
}

/// One part of a form, as a browser sends it.
pub struct Part<'a> {
    /// The field's name.
    pub name: &'a str,
    /// The name of the file, if the part is one.
    pub file_name: Option<&'a str>,
    /// The field's value.
    pub value: &'a [u8],
}

impl<'a> Part<'a> {
    pub(crate) fn of(name: &'a str, value: &'a [u8]) -> Self {
        Self { name, file_name: None, value }
    }
}

/// The parts that a client sends are the parts that are read, whatever the names of the files are.
///
/// # Panics
/// Panics if the property does not hold.
pub fn written_is_read(parts: &[Part<'_>]) {
    let pairs: Pairs = parts.iter().map(|part| (part.name.to_owned(), part.value.to_vec())).collect();
    form::agrees(form::read(CONTENT_TYPE, &written(parts)), &pairs);
}

/// Whether a form with this boundary and without escapes can contain this field.
#[must_use]
pub fn is_writable(name: &str, value: &[u8]) -> bool {
    let delimiter = DELIMITER.as_bytes();
    !name.contains(|c: char| c.is_control() || c == '"' || c == '\\')
        && !value.windows(delimiter.len()).any(|window| window == delimiter)
}

pub(crate) fn written(parts: &[Part<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for part in parts {
        let file_name = part.file_name.map(|name| format!("filename=\"{name}\"; ")).unwrap_or_default();
        let disposition = format!("{file_name}name=\"{}\"", part.name);
        body.extend(format!("{DELIMITER}\r\nContent-Disposition: form-data; {disposition}\r\n").into_bytes());
        if part.file_name.is_some() {
            body.extend(b"Content-Type: application/octet-stream\r\n");
        }
        body.extend(b"\r\n");
        body.extend(part.value);
        body.extend(b"\r\n");
    }
    body.extend(format!("{DELIMITER}--\r\n").into_bytes());
    body
}
