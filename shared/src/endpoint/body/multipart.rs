//! `multipart/form-data` (RFC 7578).

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http::header::CONTENT_DISPOSITION;
use multer::{Field, Multipart, parse_boundary};

use super::{Fields, Unreadable};

/// Characters of a boundary (RFC 2046, 5.1.1). A longer one would be searched for at every part.
const BOUNDARY_MAX: usize = 70;

/// Bytes of a media type with its boundary: the type's name, the boundary, and some more that clients may say.
const CONTENT_TYPE_MAX: usize = 512;

/// The fields of a multipart body.
///
/// # Errors
/// It is broken, or has more fields than a form may have.
pub(super) async fn multipart(content_type: &str, body: Bytes) -> Result<Fields, Unreadable> {
    let broken = |_| Unreadable::NotThisType;
    // Reading a long one would take many times its size.
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

/// A part's name. The library looks for `name=` anywhere in the header, and finds it in the name of a file.
fn name(part: &Field<'_>) -> Option<String> {
    name_in(str::from_utf8(part.headers().get(CONTENT_DISPOSITION)?.as_bytes()).ok()?)
}

/// The one `name` of `form-data; name="…"`, among other parameters in any order.
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

/// What stands before the closing quote, and what after it. Browsers write a quote in it as `%22`, other clients
/// as `\"`; a backslash before anything else is one.
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
    fn the_name_of_a_field_is_read_wherever_it_stands() {
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
    fn a_field_without_one_name_is_none() {
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
    async fn a_boundary_longer_than_the_standard_has_it_is_refused() {
        for (length, read) in [(1, true), (BOUNDARY_MAX, true), (BOUNDARY_MAX + 1, false)] {
            let boundary = "x".repeat(length);
            let body = format!("--{boundary}\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--{boundary}--");
            let fields = multipart(&format!("multipart/form-data; boundary={boundary}"), body.into()).await;
            assert_eq!(fields.is_ok(), read, "{length}");
        }
    }
}
