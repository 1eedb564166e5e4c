//! What an endpoint takes as its body.

mod checkbox;
mod fields;
mod form;
mod json;
mod multipart;
pub(crate) mod object;

pub use checkbox::checkbox;
pub use fields::Fields;
pub use form::{Form, form_fields};
pub use json::{Json, json_bytes};

use http::header::CONTENT_TYPE;

use crate::Problem;
use crate::endpoint::request::{Request, header};

/// A body that can be read from a request.
pub trait ReadBody: Sized + Send {
    /// Reads it.
    ///
    /// # Errors
    /// The body cannot be read as this type; the endpoint says what to answer.
    fn read(request: &Request) -> impl Future<Output = Result<Self, Unreadable>> + Send;
}

/// Why a body was not read.
#[derive(Debug)]
pub enum Unreadable {
    /// It is not what the endpoint takes: the endpoint's answer for that applies.
    NotThisType,
    /// It is of the right type and refused for what it holds.
    Refused(Problem),
}

/// No body: whatever is sent is not looked at.
pub struct NoBody;

impl ReadBody for NoBody {
    async fn read(_: &Request) -> Result<Self, Unreadable> {
        Ok(Self)
    }
}

/// Whether the request says that its body is of this media type; parameters do not count.
#[must_use]
pub fn is_media_type(request: &Request, expected: &str) -> bool {
    header(request, CONTENT_TYPE).is_some_and(|value| media_type(value).eq_ignore_ascii_case(expected))
}

fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}
