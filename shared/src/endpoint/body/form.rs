//! Forms, URL-encoded or multipart.

use std::borrow::Cow;

use http::header::CONTENT_TYPE;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::multipart::multipart;
use super::{Fields, ReadBody, Unreadable, is_media_type, require_plain};
use crate::Problem;
use crate::endpoint::request::{Request, header};

/// A form, read into the structure `T` by the names of its fields. A request without body and media type is an empty
/// form.
pub struct Form<T>(pub T);

impl<T: DeserializeOwned + Send> ReadBody for Form<T> {
    async fn read(request: &Request) -> Result<Self, Unreadable> {
        form_fields(request).await?.read().map(Self)
    }
}

/// Reads a checkbox as HTML sends it: `on` is checked; empty or absent is not checked.
///
/// # Errors
/// [`Problem::InvalidParameters`] for anything else.
pub fn checkbox(text: &str) -> Result<bool, Problem> {
    match text {
        "on" => Ok(true),
        "" => Ok(false),
        _ => Err(Problem::InvalidParameters),
    }
}

/// The fields of a form, URL-encoded or multipart.
///
/// # Errors
/// The body has another media type or a content coding, or is malformed.
pub async fn form_fields(request: &Request) -> Result<Fields, Unreadable> {
    require_plain(request)?;
    let body = request.body();
    match header(request, CONTENT_TYPE) {
        None if body.is_empty() => Ok(Fields::default()),
        Some(content_type) if is_media_type(request, "multipart/form-data") => {
            multipart(content_type, body.clone()).await
        }
        _ if is_media_type(request, "application/x-www-form-urlencoded") => url_encoded(body),
        _ => Err(Unreadable::NotThisType),
    }
}

/// Parses `application/x-www-form-urlencoded` as the URL Standard does, except that a body that is not UTF-8 is
/// refused, and that a value keeps its decoded bytes. The standard replaces invalid bytes by U+FFFD, which would make
/// different passwords equal.
fn url_encoded(body: &[u8]) -> Result<Fields, Unreadable> {
    let body = str::from_utf8(body).map_err(|_| Unreadable::NotThisType)?;
    let mut fields = Fields::default();
    for pair in body.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = percent_decode_str(&plus_as_space(name)).decode_utf8_lossy().into_owned();
        fields.push(name, decoded(value))?;
    }
    Ok(fields)
}

/// The bytes of a value.
fn decoded(value: &str) -> Vec<u8> {
    if value.contains('%') {
        percent_decode_str(&plus_as_space(value)).collect()
    } else {
        plus_as_space(value).into_owned().into()
    }
}

/// The text with a space in place of each `+`.
fn plus_as_space(text: &str) -> Cow<'_, str> {
    if text.contains('+') { text.replace('+', " ").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::body::fields::FIELDS_MAX;

    async fn read(content_type: Option<&str>, body: &str) -> Result<Fields, Unreadable> {
        let mut request = Request::new(body.to_owned().into());
        request.headers_mut().extend(content_type.map(|value| (CONTENT_TYPE, value.parse().unwrap())));
        form_fields(&request).await
    }

    const URL_ENCODED: Option<&str> = Some("application/x-www-form-urlencoded; charset=UTF-8");

    #[tokio::test]
    async fn a_url_encoded_form_is_decoded_once() {
        let mut fields = read(URL_ENCODED, "a=1+2%2B3&&b&c=%25&confirm%2Dpassword=%C3%B1=x").await.unwrap();
        assert_eq!(*fields.take("a").unwrap(), "1 2+3");
        assert_eq!(*fields.take("b").unwrap(), "");
        assert_eq!(*fields.take("c").unwrap(), "%");
        assert_eq!(*fields.take("confirm-password").unwrap(), "ñ=x");
    }

    #[tokio::test]
    async fn bytes_that_are_not_utf_8_are_refused_and_not_replaced() {
        assert!(read(URL_ENCODED, "password=%FF").await.unwrap().take("password").is_err());
    }

    #[tokio::test]
    async fn a_multipart_form_is_read_byte_for_byte() {
        let body = "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n A\u{0}\r\n \r\n--x--\r\n";
        let mut fields = read(Some("Multipart/Form-Data; boundary=x"), body).await.unwrap();
        assert_eq!(*fields.take("password").unwrap(), " A\u{0}\r\n ");
    }

    #[tokio::test]
    async fn broken_multipart_is_refused() {
        let part = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1";
        for (content_type, body) in [
            ("multipart/form-data", format!("{part}\r\n--x--")),
            ("multipart/form-data; boundary=", format!("{part}\r\n--x--")),
            ("multipart/form-data; boundary=y", format!("{part}\r\n--x--")),
            ("multipart/form-data; boundary=x", part.to_owned()),
            ("multipart/form-data; boundary=x", String::new()),
            ("multipart/form-data; boundary=x", "--x\r\n\r\n1\r\n--x--".to_owned()),
        ] {
            assert!(read(Some(content_type), &body).await.is_err(), "{content_type} {body:?}");
        }
    }

    #[tokio::test]
    async fn an_empty_request_is_an_empty_form_and_other_media_types_are_refused() {
        assert!(read(None, "").await.is_ok());
        assert!(read(None, "a=1").await.is_err());
        assert!(read(Some("application/json"), "{}").await.is_err());
        assert!(read(Some("text/plain"), "").await.is_err());
    }

    #[tokio::test]
    async fn more_than_a_thousand_fields_are_refused() {
        assert!(read(URL_ENCODED, &"a=1&".repeat(FIELDS_MAX)).await.is_ok());
        assert!(read(URL_ENCODED, &"a=1&".repeat(FIELDS_MAX + 1)).await.is_err());
    }
}
