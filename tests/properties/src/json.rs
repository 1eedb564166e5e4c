//! A second implementation of a JSON parser, written only from RFC 8259. The service's parser is compared with it.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Whether a text is one JSON document by the grammar of RFC 8259, at any depth.
pub(crate) fn is_json(text: &str) -> bool {
    Scanner { text: text.as_bytes(), at: 0 }.document().is_some()
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn document(&mut self) -> Option<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.blanks();
            match self.next()? {
                b'{' => {
                    self.blanks();
                    if !self.skip(b'}') {
                        self.member_name()?;
                        open.push(b'}');
                        continue;
                    }
                }
                b'[' => {
                    self.blanks();
                    if !self.skip(b']') {
                        open.push(b']');
                        continue;
                    }
                }
                b'"' => self.string()?,
                b't' => self.word(b"rue")?,
                b'f' => self.word(b"alse")?,
                b'n' => self.word(b"ull")?,
                first => self.number(first)?,
            }
            if self.closed(&mut open)? {
                return Some(());
            }
        }
    }

    /// Reads what follows a value. Returns whether the document is complete. If it is not, another value follows.
    fn closed(&mut self, open: &mut Vec<u8>) -> Option<bool> {
        loop {
            self.blanks();
            let Some(&end) = open.last() else { return (self.at == self.text.len()).then_some(true) };
            if self.skip(end) {
                open.pop();
            } else if self.skip(b',') {
                if end == b'}' {
                    self.blanks();
                    self.member_name()?;
                }
                return Some(false);
            } else {
                return None;
            }
        }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(|byte| b" \t\n\r".contains(byte)) {
            self.at += 1;
        }
    }

    fn word(&mut self, rest: &[u8]) -> Option<()> {
        rest.iter().all(|byte| self.skip(*byte)).then_some(())
    }

    fn member_name(&mut self) -> Option<()> {
        if self.next()? != b'"' {
            return None;
        }
        self.string()?;
        self.blanks();
        self.skip(b':').then_some(())
    }

    fn string(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'u' => (0..4).all(|_| self.next().is_some_and(|b| b.is_ascii_hexdigit())).then_some(())?,
                    escaped => b"\"\\/bfnrt".contains(&escaped).then_some(())?,
                },
                byte => (byte >= 0x20).then_some(())?,
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    fn number(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.next()? } else { first };
        match first {
            b'0' => {}
            b'1'..=b'9' => drop(self.digits()),
            _ => return None,
        }
        if self.skip(b'.') {
            self.digits()?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _ = self.skip(b'+') || self.skip(b'-');
            self.digits()?;
        }
        Some(())
    }
}

/// The members of an object in order, including repeated ones. `None` if the value is not an object, or if a name has a
/// lone surrogate.
pub(crate) fn members(value: &RawValue) -> Option<Vec<(String, Box<RawValue>)>> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, Box<RawValue>)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    serde_json::Deserializer::from_str(value.get()).deserialize_map(Members).ok()
}
