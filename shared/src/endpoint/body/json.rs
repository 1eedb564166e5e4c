//! JSON bodies.

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::{ReadBody, Unreadable, is_media_type, require_plain};
use crate::endpoint::body::object::Object;
use crate::endpoint::request::Request;

/// A JSON object, read into `T`. It must be UTF-8, also in unknown members, which are ignored. A
/// repeated member is refused.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Send> ReadBody for Json<T> {
    async fn read(request: &Request) -> Result<Self, Unreadable> {
        let text = str::from_utf8(json_bytes(request)?).map_err(|_| Unreadable::NotThisType)?;
        let Object(body) = serde_json::from_str(text).map_err(|_| Unreadable::NotThisType)?;
        Ok(Self(body))
    }
}

/// The bytes of a body with the media type `application/json`.
///
/// # Errors
/// The body has another media type or a content coding.
pub fn json_bytes(request: &Request) -> Result<&Bytes, Unreadable> {
    require_plain(request)?;
    if !is_media_type(request, "application/json") {
        return Err(Unreadable::NotThisType);
    }
    Ok(request.body())
}
