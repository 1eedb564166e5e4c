//! Pseudo-random numbers that are the same in each run, and random changes of a text.

use std::ops::Range;

/// A small generator (Marsaglia's xorshift).
pub(super) struct Dice(u64);

/// Pieces that are likely to confuse a parser.
const PIECES: [&[u8]; 24] = [
    b"&",
    b"=",
    b"%",
    b"%00",
    b"%FF",
    b"+",
    b"[]",
    b"[0]",
    b"\0",
    b"\xff\xfe",
    b"\r\n",
    b"--x",
    b"--x--\r\n",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b"1e999",
    b"\xf0\x9f\x98\x80",
    b";name=\"a\"; filename=\"b\"",
];

impl Dice {
    /// Dice with a different sequence for each path.
    pub(super) fn of(path: &str) -> Self {
        Self(path.bytes().fold(0x9E37_79B9_7F4A_7C15, |seed, byte| seed.rotate_left(5) ^ u64::from(byte)))
    }

    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// True with a probability of one in this number.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let (one, other) = (self.below(length + 1), self.below(length + 1));
        one.min(other)..one.max(other).min(one.min(other) + 12)
    }

    /// A text with up to four changes. Each removes, repeats or replaces a few bytes, sets one byte to a random value,
    /// or cuts off the rest of the text. The replacement is one of [`PIECES`].
    pub(super) fn changed(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            let range = self.range(bytes.len());
            match self.below(5) {
                0 => drop(bytes.drain(range)),
                1 => bytes.truncate(range.start),
                2 => {
                    let doubled = bytes[range.clone()].to_vec();
                    bytes.splice(range.end..range.end, doubled);
                }
                3 => drop(bytes.splice(range, self.one(&PIECES).iter().copied())),
                _ => {
                    if let Some(byte) = bytes.get_mut(range.start) {
                        *byte = u8::try_from(self.below(256)).unwrap();
                    }
                }
            }
        }
        bytes
    }

    /// The same, as text.
    pub(super) fn changed_text(&mut self, text: &str) -> String {
        String::from_utf8_lossy(&self.changed(text)).into_owned()
    }
}
