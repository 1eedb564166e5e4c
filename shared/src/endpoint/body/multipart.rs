//! `multipart/form-data` (RFC 7578).

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http::header::CONTENT_DISPOSITION;
use multer::{Field, Multipart, parse_boundary};

use super::{Fields, Unreadable};

/// The longest boundary, in characters (RFC 2046, 5.1.1). Searching for a longer one would be slow.
const BOUNDARY_MAX: usize = 70;

/// The longest `Content-Type`, in bytes: the media type, the boundary, and space for other parameters.
const CONTENT_TYPE_MAX: usize = 512;

/// The fields of a multipart body.
///
/// # Errors
/// The `Content-Type` or its boundary is malformed or too long, the body is malformed, or it has more than
/// [`FIELDS_MAX`](super::fields::FIELDS_MAX) fields.
pub(super) async fn multipart(content_type: &str, body: Bytes) -> Result<Fields, Unreadable> {
    let broken = |_| Unreadable::NotThisType;
    // Parsing a long header would take many times its size in memory.
    if content_type.len() > CONTENT_TYPE_MAX {
        return Err(Unreadable::NotThisType);
    }
    let boundary = parse_boundary(content_type).map_err(broken)?;
    if boundary.is_empty() || boundary.len() > BOUNDARY_MAX {
        return Err(Unreadable::NotThisType);
    }
    let body = Ok::<_, Infallible>(body);
    let mut parts = Multipart::new(stream::iter([body]), boundary);
    let mut fields = Fields::default();
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = name(&part).ok_or(Unreadable::NotThisType)?;
        fields.push(name, part.bytes().await.map_err(broken)?.to_vec())?;
    }
    Ok(fields)
}

/// The name of a part. The library's own parser searches for `name=` in the whole header, and would find it inside the
/// name of a file.
fn name(part: &Field<'_>) -> Option<String> {
    name_in(str::from_utf8(part.headers().get(CONTENT_DISPOSITION)?.as_bytes()).ok()?)
}

/// The parameter `name` of `form-data; name="…"`, among other parameters in any order. `None` unless it occurs exactly
/// once.
fn name_in(disposition: &str) -> Option<String> {
    let (kind, mut rest) = disposition.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("form-data") {
        return None;
    }
    let mut name = None;
    while !rest.trim().is_empty() {
        let (parameter, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let (value, after) = if let Some(quoted) = value.strip_prefix('"') {
            unquoted(quoted)?
        } else {
            let (value, after) = value.split_at(value.find(';').unwrap_or(value.len()));
            (value.trim_end().to_owned(), after)
        };
        if parameter.trim().eq_ignore_ascii_case("name") && name.replace(value).is_some() {
            return None;
        }
        let after = after.trim_start();
        rest = after.strip_prefix(';').or(after.is_empty().then_some(""))?;
    }
    name
}

/// The text before the closing quote, and the text after it. Browsers encode a quote in the text as `%22`, other
/// clients as `\"`. A backslash before any other character is a plain backslash.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        rest = after;
        let Some(before) = before.strip_suffix('\\') else {
            value.push_str(before);
            return Some((value, rest));
        };
        value.push_str(before);
        value.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_field_is_found_among_other_parameters() {
        for disposition in [
            "form-data; name=\"a\"",
            "Form-Data;name=a",
            "form-data; Name = \"a\" ; filename=\"b\";",
            "form-data; filename=\"; name=b\"; name=\"a\"",
            "form-data; filename=\" name=b \\\"; name=c\"; name=a ",
            "form-data; filename*=UTF-8''b; filename=name=b; name=\"a\"",
        ] {
            assert_eq!(name_in(disposition).as_deref(), Some("a"), "{disposition}");
        }
        assert_eq!(name_in("form-data; name=\"a\\\"b\\c;d\"").as_deref(), Some("a\"b\\c;d"));
    }

    #[test]
    fn a_field_without_exactly_one_name_is_refused() {
        for disposition in [
            "",
            "form-data",
            "form-data; filename=\"name=a\"",
            "form-data; filename=\"; name=\"",
            "attachment; name=\"a\"",
            "form-data; name=\"a\"; name=\"b\"",
            "form-data; name=\"a\"; NAME=\"a\"",
            "form-data; name=\"a",
            "form-data; name=\"a\"b",
            "form-data; name",
        ] {
            assert_eq!(name_in(disposition), None, "{disposition}");
        }
    }

    #[tokio::test]
    async fn a_boundary_longer_than_the_standard_allows_is_refused() {
        for (length, read) in [(1, true), (BOUNDARY_MAX, true), (BOUNDARY_MAX + 1, false)] {
            let boundary = "x".repeat(length);
            let body = format!("--{boundary}\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--{boundary}--");
            let fields = multipart(&format!("multipart/form-data; boundary={boundary}"), body.into()).await;
            assert_eq!(fields.is_ok(), read, "{length}");
        }
    }
}
