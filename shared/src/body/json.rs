//! JSON bodies.

use serde::de::DeserializeOwned;

use super::{ReadBody, Unreadable, is_media_type};
use crate::event::Request;

/// A JSON object read into `T`; unknown members are ignored, a member given twice is refused.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Send> ReadBody for Json<T> {
    async fn read(request: &Request) -> Result<Self, Unreadable> {
        let bytes = json_bytes(request)?;
        // A list of a structure's members, in order, would do for serde.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(Unreadable::NotThisType);
        }
        serde_json::from_slice(bytes).map(Self).map_err(|_| Unreadable::NotThisType)
    }
}

/// The bytes of a body that says it is JSON.
///
/// # Errors
/// It says something else, or cannot be decoded.
pub fn json_bytes(request: &Request) -> Result<&[u8], Unreadable> {
    if !is_media_type(request, "application/json") {
        return Err(Unreadable::NotThisType);
    }
    request.body().map_err(|_| Unreadable::NotThisType)
}
