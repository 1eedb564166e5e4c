//! The text of a JSON string, read into no more memory than it takes.
//!
//! `serde_json` reads a string with escapes into a buffer that doubles as it grows, and copies it out of there: for a body
//! of megabytes, three times its size.

use std::borrow::Cow;

/// The text of a JSON string that is known to be well-formed, quotes and all; none if it is another value, or if its
/// escapes are no Unicode text.
pub(crate) fn read(json: &str) -> Option<Cow<'_, str>> {
    let written = json.strip_prefix('"')?.strip_suffix('"')?;
    let Some((first, mut rest)) = written.split_once('\\') else { return Some(written.into()) };
    let mut text = String::with_capacity(written.len());
    text.push_str(first);
    loop {
        let (character, after) = escaped(rest)?;
        text.push(character);
        let Some((plain, next)) = after.split_once('\\') else {
            text.push_str(after);
            return Some(text.into());
        };
        text.push_str(plain);
        rest = next;
    }
}

/// The character that an escape stands for, and what comes after it (RFC 8259, 7).
fn escaped(escape: &str) -> Option<(char, &str)> {
    let (kind, rest) = escape.split_at_checked(1)?;
    let character = match kind {
        "b" => '\u{8}',
        "f" => '\u{c}',
        "n" => '\n',
        "r" => '\r',
        "t" => '\t',
        "u" => return by_number(rest),
        _ => kind.chars().next()?,
    };
    Some((character, rest))
}

/// The character of one or, beyond the basic plane, two UTF-16 units; a half of a pair alone is none.
fn by_number(digits: &str) -> Option<(char, &str)> {
    let (first, rest) = unit(digits)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, rest));
    }
    let (second, rest) = unit(rest.strip_prefix("\\u")?)?;
    let character = char::decode_utf16([first, second]).next()?.ok()?;
    Some((character, rest))
}

fn unit(digits: &str) -> Option<(u16, &str)> {
    let (digits, rest) = digits.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_serde_reads_it() {
        for json in [
            r#""""#,
            r#""plain ñ😀""#,
            r#""\"\\\/\b\f\n\r\t""#,
            r#""ñ\u00f1\u0000ñ\uD83D\uDE00\\u0041""#,
            r#""\ud800""#,
            r#""\udc00\ud800""#,
            r#""\ud800\u0041""#,
            r#""\ud800x""#,
            r#""\ud800\n""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\uffff\ue000\ud7ff""#,
            "null",
            "12",
            "[\"a\"]",
        ] {
            assert_eq!(read(json).map(Cow::into_owned), serde_json::from_str::<String>(json).ok(), "{json}");
        }
    }

    #[test]
    fn a_text_without_escapes_is_not_copied_and_one_with_them_takes_no_more_than_it_was_written_in() {
        assert!(matches!(read(r#""plain""#), Some(Cow::Borrowed("plain"))));
        let json = format!("\"{}\"", "\\u0041xy".repeat(1000));
        let Some(Cow::Owned(text)) = read(&json) else { panic!("it was not read") };
        assert!(text.capacity() <= json.len(), "{}", text.capacity());
    }
}
