//! The bodies of requests, and how they are read.
//!
//! The size of a request bounds its work: time grows at most in proportion to it, and memory stays below ten times it.
//! So fields, boundaries and media types have maximum sizes; the gateway bounds the body. Parsers are strict, because
//! lenient ones treat different inputs as equal: if bytes that are not UTF-8 were replaced, different passwords would
//! be one.

mod fields;
mod form;
mod json;
mod multipart;
pub(crate) mod object;

pub use fields::Fields;
pub use form::{Form, checkbox, form_fields};
pub use json::{Json, json_bytes};

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};

use crate::Problem;
use crate::endpoint::request::{Request, header};

/// A type that can be read from a request's body.
pub trait ReadBody: Sized + Send {
    /// Reads the body.
    ///
    /// # Errors
    /// The body cannot be read as this type. The endpoint decides the answer.
    fn read(request: &Request) -> impl Future<Output = Result<Self, Unreadable>> + Send;
}

/// The reason why a body was not read.
#[derive(Debug)]
pub enum Unreadable {
    /// The body is not of the endpoint's type; the answer is [`Endpoint::UNREADABLE`](crate::Endpoint::UNREADABLE).
    NotThisType,
    /// The body is of the endpoint's type, and its content is refused.
    Refused(Problem),
}

/// No body: the endpoint ignores the request's body.
pub struct NoBody;

impl ReadBody for NoBody {
    async fn read(_: &Request) -> Result<Self, Unreadable> {
        Ok(Self)
    }
}

/// Whether the request's `Content-Type` is this media type; parameters are ignored.
#[must_use]
pub fn is_media_type(request: &Request, expected: &str) -> bool {
    header(request, CONTENT_TYPE).is_some_and(|value| media_type(value).eq_ignore_ascii_case(expected))
}

/// Checks that the body is not compressed. Neither the gateway nor the service inflates it, so its size bounds the work.
///
/// # Errors
/// The body has a content coding.
fn require_plain(request: &Request) -> Result<(), Unreadable> {
    let mut codings = request.headers().get_all(CONTENT_ENCODING).iter();
    let is_plain = codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity"));
    is_plain.then_some(()).ok_or(Unreadable::NotThisType)
}

fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}
