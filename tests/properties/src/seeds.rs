//! The inputs from which the searches start: a file in `seeds/` for each target, with one seed on each line. A line is the
//! seed's name, a space and the seed. `\\`, `\n`, `\r`, `\t` and `\xNN` (a byte in hexadecimal) mean what they mean in
//! Rust, and everything else is literal. So `printf %b` reads it too.

use std::path::Path;

/// The names and the inputs of a target's seeds.
///
/// # Panics
/// The file is missing, or has an unknown escape.
#[must_use]
pub fn of(target: &str) -> Vec<(String, Vec<u8>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target).with_extension("txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let seeds = text.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
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
