//! Cursors of an export. An input is the text that a client presents.

use shared::store::Position;

/// A text is refused, or it is the only text of its cursor: a time in milliseconds, the UUID of a request, and an index
/// in that request.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let Some(position) = Position::parse(text) else { return };
    assert_eq!(position.to_string(), text);
    let ordinary = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte) || byte == b'-' || byte == b'#';
    assert!(text.bytes().all(ordinary) && text.len() < 100, "{text:?}");
    let (time, id) = text.split_once('-').unwrap();
    assert_eq!(time.parse::<u64>().unwrap().to_string(), time);
    let (request, index) = id.split_once('#').unwrap();
    assert_eq!(request.len(), 36, "{text:?}");
    assert!(index.parse::<u64>().is_ok(), "{text:?}");
}
