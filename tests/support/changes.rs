//! Almost valid inputs: a seed with pieces inserted, removed or repeated, a byte replaced, or the end cut off.

use proptest::prelude::*;

/// Pieces of text that are likely to confuse a parser.
const PIECES: &[&str] = &[
    "&", "=", "%", "%00", "%FF", "%c3%28", "+", "[]", "[0]", "\0", "\r\n", "--", "--x", ";", ",", ".", "\"", "\\",
    "\\u0000", "\\ud800", "{", "}", "[", "]", ":", "null", "true", "-0", "1e999", "\u{feff}", "\u{2000}", "😀", "@",
    " ", "\t", "$",
];
/// The same, in the header of a part of a multipart form.
const PARAMETERS: &[&str] = &["name=\"a\"", "; filename=\"b\"", "\r\n\r\n", "--x--\r\n"];

#[derive(Debug, Clone)]
enum Change {
    Insert(usize, &'static str),
    Replace(usize, u8),
    Remove(usize, usize),
    Double(usize, usize),
    Truncate(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<usize>;
    prop_oneof![
        (index(), prop::sample::select([PIECES, PARAMETERS].concat()))
            .prop_map(|(at, piece)| Change::Insert(at, piece)),
        (index(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (index(), 1..12_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (index(), 1..40_usize).prop_map(|(at, length)| Change::Double(at, length)),
        index().prop_map(Change::Truncate),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let range = |at: usize, length: usize, end: usize| at % (end + 1)..(at % (end + 1) + length).min(end);
    match *change {
        Change::Insert(at, piece) => drop(bytes.splice(range(at, 0, bytes.len()), piece.bytes())),
        Change::Replace(at, byte) => {
            let range = range(at, 1, bytes.len());
            bytes.splice(range, [byte]);
        }
        Change::Remove(at, length) => drop(bytes.drain(range(at, length, bytes.len()))),
        Change::Double(at, length) => {
            let range = range(at, length, bytes.len());
            let copy = bytes[range.clone()].to_vec();
            bytes.splice(range.end..range.end, copy);
        }
        Change::Truncate(at) => bytes.truncate(at % (bytes.len() + 1)),
    }
}

/// One of these texts, with at most four changes.
pub fn of<T: AsRef<[u8]>>(seeds: impl IntoIterator<Item = T>) -> impl Strategy<Value = Vec<u8>> {
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|seed| seed.as_ref().to_vec()).collect();
    (prop::sample::select(seeds), prop::collection::vec(change(), 0..5)).prop_map(|(mut bytes, changes)| {
        for change in &changes {
            apply(&mut bytes, change);
        }
        bytes
    })
}
