//! The body: a JSON document, split into its objects without parsing their members.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use shared::Problem;
use shared::endpoint::body::{ReadBody, Unreadable, json_bytes};
use shared::endpoint::request::{Request, header};
use shared::store::{ENTRY_BYTES_MAX, Objects};

/// The whitespace of JSON (RFC 8259, section 2).
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// The entries of one request.
pub struct Batch {
    /// The objects, in their order.
    pub objects: Objects,
    /// The digest of the idempotency key and the body, if the client sent a key. A retry has the same digest; another body
    /// with the same key has another one, and so cannot overwrite entries.
    pub request_digest: Option<[u8; 16]>,
}

impl Batch {
    fn parse(bytes: &Bytes, key: Option<&str>) -> Result<Self, Unreadable> {
        let text = str::from_utf8(bytes).map_err(|_| Unreadable::NotThisType)?;
        let mut ranges = Ranges { start: text.as_ptr().addr(), found: Vec::new(), refused: None };
        let mut document = serde_json::Deserializer::from_str(text);
        if text.trim_start_matches(BLANKS).starts_with('[') {
            document.deserialize_seq(&mut ranges).map_err(|_| Unreadable::NotThisType)?;
        } else {
            ranges.add(Deserialize::deserialize(&mut document).map_err(|_| Unreadable::NotThisType)?);
        }
        document.end().map_err(|_| Unreadable::NotThisType)?;
        let Ranges { found: ranges, refused, .. } = ranges;
        if let Some(problem) = refused {
            return Err(Unreadable::Refused(problem));
        }
        let request_digest = key.map(|key| digest(key, bytes));
        Ok(Self { objects: Objects::new(bytes.clone(), ranges), request_digest })
    }
}

/// The ranges of the objects in the text. Only ranges are kept, because there may be two million objects.
struct Ranges {
    /// The address of the text.
    start: usize,
    found: Vec<Range<u32>>,
    /// The reason to refuse the elements so far. A value that is not an object takes precedence over an object that is
    /// too large.
    refused: Option<Problem>,
}

impl Ranges {
    fn add(&mut self, value: &RawValue) {
        let text = value.get();
        let at = text.as_ptr().addr().saturating_sub(self.start);
        let range = u32::try_from(at).ok().zip(u32::try_from(at.saturating_add(text.len())).ok());
        match (range, &self.refused) {
            _ if !text.starts_with('{') => self.refused = Some(Problem::InvalidParameters),
            (_, Some(_)) => {}
            (Some((from, to)), None) if text.len() <= ENTRY_BYTES_MAX => self.found.push(from..to),
            _ => self.refused = Some(Problem::EntryTooLarge),
        }
    }
}

impl<'de> Visitor<'de> for &mut Ranges {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<&RawValue>()? {
            self.add(element);
        }
        Ok(())
    }
}

impl ReadBody for Batch {
    async fn read(request: &Request) -> Result<Self, Unreadable> {
        Self::parse(json_bytes(request)?, header(request, "idempotency-key").filter(|key| !key.is_empty()))
    }
}

fn digest(key: &str, body: &[u8]) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(Sha256::digest(key));
    hash.update(body);
    let mut short = [0; 16];
    short.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, key: Option<&str>) -> Result<Batch, Unreadable> {
        Batch::parse(&text.to_owned().into(), key)
    }

    fn entries(text: &str) -> Vec<String> {
        let batch = parse(text, None).unwrap_or_else(|_| unreachable!("{text}"));
        batch.objects.iter().map(str::to_owned).collect()
    }

    #[test]
    fn an_object_is_one_entry_and_each_object_of_an_array_is_one() {
        assert_eq!(entries(" {\"a\": 1} \n"), ["{\"a\": 1}"]);
        assert_eq!(entries("[ ]"), [""; 0]);
        assert_eq!(entries("[{}, {\"a\":[{}]}\n,{}]"), ["{}", "{\"a\":[{}]}", "{}"]);
    }

    #[test]
    fn the_bytes_of_an_entry_are_unchanged() {
        for object in [
            r#"{"n":123456789012345678901234567890.10,"z":-0,"e":1E+400}"#,
            r#"{"b":1,"a":2,"a":3,"__proto__":{}}"#,
            r#"{"lone":"\ud800","escaped":"\u00f1\/","raw":"ñ😀"}"#,
            "{ \"spaces\" :\t1 }",
        ] {
            assert_eq!(entries(object), [object]);
            assert_eq!(entries(&format!("[{object} , {object}]")), [object, object]);
        }
    }

    #[test]
    fn nesting_does_not_exhaust_the_stack() {
        for depth in [127, 128, 1000, 100_000] {
            let object = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
            assert_eq!(entries(&object), [object.as_str()]);
        }
    }

    #[test]
    fn invalid_json_and_values_that_are_not_objects_are_different_problems() {
        for text in
            ["", " ", "{", "[{}", "{}{}", "[{},]", "{\"a\":1,}", "{\"a\":NaN}", "\u{feff}{}", "{'a':1}", "[{}] x"]
        {
            assert!(matches!(parse(text, None), Err(Unreadable::NotThisType)), "{text:?}");
        }
        assert!(matches!(Batch::parse(&Bytes::from_static(b"\"\xff\""), None), Err(Unreadable::NotThisType)));
        for text in ["1", "null", "\"a\"", "[1]", "[{},null]", "[[{}]]"] {
            assert!(matches!(parse(text, None), Err(Unreadable::Refused(Problem::InvalidParameters))), "{text:?}");
        }
    }

    #[test]
    fn an_entry_that_is_too_large_refuses_the_request() {
        let object = |length: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8));
        assert_eq!(entries(&object(ENTRY_BYTES_MAX)).len(), 1);
        let text = format!("[{{}},{},1]", object(ENTRY_BYTES_MAX + 1));
        assert!(matches!(parse(&text, None), Err(Unreadable::Refused(Problem::InvalidParameters))));
        let text = format!("[{{}},{}]", object(ENTRY_BYTES_MAX + 1));
        assert!(matches!(parse(&text, None), Err(Unreadable::Refused(Problem::EntryTooLarge))));
    }

    #[test]
    fn the_same_key_with_another_body_is_another_request() {
        let of = |key, text: &str| parse(text, Some(key)).ok().and_then(|batch| batch.request_digest);
        assert_eq!(of("k", "{}"), of("k", "{}"));
        assert_ne!(of("k", "{}"), of("k", "{ }"));
        assert_ne!(of("k", "{}"), of("l", "{}"));
    }
}
