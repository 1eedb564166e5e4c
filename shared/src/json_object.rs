//! A JSON object that is written member by member: a tree of values would cost more than all else of a call but its
//! requests.

use serde::Serialize;

/// The object so far.
pub(crate) struct JsonObject(Vec<u8>);

impl JsonObject {
    /// An object without members.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// An object of one member, a flag or a text.
    pub(crate) fn of(name: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        let mut object = Self::new();
        // Those are always written.
        let _ = object.add(name, value);
        object
    }

    /// Adds a member. The name is written as it is.
    ///
    /// # Errors
    /// The value cannot be written as JSON, which no text, number or list of them can cause. The object is then of no
    /// use.
    pub(crate) fn add(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        self.0.push(b'"');
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"\":");
        serde_json::to_writer(&mut self.0, value)
    }

    /// The object's text.
    pub(crate) fn into_text(mut self) -> String {
        self.0.extend_from_slice(if self.0.is_empty() { b"{}" } else { b"}" });
        // What was written is Unicode, for names are, and so is JSON.
        String::from_utf8(self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_reads_as_it_was_written() {
        let mut object = JsonObject::new();
        object.add("name", "A\"\n\u{1b}ñ").unwrap();
        object.add("id", &7).unwrap();
        object.add("list", &[Some(true), None]).unwrap();
        let text = object.into_text();
        assert_eq!(text, r#"{"name":"A\"\n\u001bñ","id":7,"list":[true,null]}"#);
        assert_eq!(JsonObject::new().into_text(), "{}");
    }
}
