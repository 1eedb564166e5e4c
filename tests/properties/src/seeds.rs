//! The inputs from which the searches start: `seeds.txt` has one on each line. A line is the target, the seed's name and
//! the seed, with a space between them. `\\`, `\n`, `\r`, `\t` and `\xNN` (a byte in hexadecimal) mean what they mean in
//! Rust, and everything else is literal. So `printf %b` reads it too.

/// The lines, each as its target and the rest.
pub fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../seeds.txt").lines().map(|line| line.split_once(' ').unwrap_or((line, "")))
}

/// The names and the inputs of a target's seeds.
///
/// # Panics
/// A seed has an unknown escape.
#[must_use]
pub fn of(target: &str) -> Vec<(String, Vec<u8>)> {
    let seeds = lines().filter(|(other, _)| *other == target);
    let seeds = seeds.map(|(_, seed)| seed.split_once(' ').unwrap_or((seed, "")));
    seeds.map(|(name, seed)| (name.to_owned(), bytes(seed))).collect()
}

/// The seed with this name.
///
/// # Panics
/// The target has no such seed.
#[must_use]
pub fn named(target: &str, name: &str) -> Vec<u8> {
    let seed = of(target).into_iter().find(|(other, _)| other == name);
    seed.unwrap_or_else(|| panic!("{target} has no seed {name}")).1
}

fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let escape = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match (byte, escape) {
            (b'\\', Some(b'n')) => b'\n',
            (b'\\', Some(b'r')) => b'\r',
            (b'\\', Some(b't')) => b'\t',
            (b'\\', Some(b'\\')) => b'\\',
            (b'\\', Some(b'x')) => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap()
            }
            (b'\\', _) => panic!("unknown escape in {text}"),
            (byte, _) => byte,
        });
    }
    bytes
}
