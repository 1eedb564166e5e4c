//! The attestation object of a new passkey (WebAuthn, 6.5.4): CBOR with the authenticator data and a statement.
//!
//! The service asks for no attestation, so no statement decides anything: some authenticators send one that nobody asked for.
//! The same holds for the outputs of extensions. Both are removed before the library reads the object. Nothing signs an
//! object without a statement.

/// The bytes of the authenticator data before the flags, and before the length of the credential's id.
const FLAGS: usize = 32;
const ID_LENGTH: usize = 53;
/// The flags of a credential and of extensions.
const CREDENTIAL: u8 = 0x40;
const EXTENSIONS: u8 = 0x80;

/// The object with the same authenticator data, but without a statement and without extensions. `None` if it is not an
/// attestation object.
pub(super) fn without_statement(object: &[u8]) -> Option<Vec<u8>> {
    let (mut rest, mut data) = (object, None);
    let (5, 3) = head(&mut rest)? else { return None };
    let mut names = Vec::new();
    for _ in 0..3 {
        let name = string(&mut rest, 3)?;
        if names.contains(&name) {
            return None;
        }
        match name {
            b"fmt" => drop(string(&mut rest, 3)?),
            b"attStmt" => skip(&mut rest)?,
            b"authData" => data = Some(string(&mut rest, 2)?),
            _ => return None,
        }
        names.push(name);
    }
    let data = without_extensions(data.filter(|_| rest.is_empty())?);
    let length = u32::try_from(data.len()).ok()?;
    let length = match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short @ ..24), _) => vec![0x40 | short],
        (Ok(short), _) => vec![0x58, short],
        (_, Ok(long)) => [&[0x59][..], &long.to_be_bytes()].concat(),
        _ => [&[0x5a][..], &length.to_be_bytes()].concat(),
    };
    Some([&b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData"[..], &length, &data].concat())
}

/// The authenticator data without extensions; as they are if they cannot be read, so that the library refuses them.
fn without_extensions(data: &[u8]) -> Vec<u8> {
    let key_end = || {
        let flags = *data.get(FLAGS)?;
        let [high, low] = *data.get(ID_LENGTH..)?.first_chunk()?;
        let before = ID_LENGTH + 2 + usize::from(u16::from_be_bytes([high, low]));
        let mut rest = data.get(before..)?;
        skip(&mut rest)?;
        let key_end = data.len() - rest.len();
        let (5, _) = head(&mut &*rest)? else { return None };
        skip(&mut rest)?;
        (flags & CREDENTIAL != 0 && flags & EXTENSIONS != 0 && rest.is_empty()).then_some(key_end)
    };
    let mut kept = data.to_vec();
    if let Some(end) = key_end() {
        kept.truncate(end);
        kept.iter_mut().skip(FLAGS).take(1).for_each(|flags| *flags &= !EXTENSIONS);
    }
    kept
}

/// Skips one item of CBOR, however deep.
fn skip(rest: &mut &[u8]) -> Option<()> {
    let mut items: u64 = 1;
    while let Some(left) = items.checked_sub(1) {
        let (major, value) = head(rest)?;
        items = left;
        match major {
            2 | 3 => drop(take(rest, value)?),
            4 => items = items.checked_add(value)?,
            5 => items = items.checked_add(value.checked_mul(2)?)?,
            6 => items = items.checked_add(1)?,
            _ => {}
        }
    }
    Some(())
}

/// The bytes of a string of this major type.
fn string<'a>(rest: &mut &'a [u8], major: u8) -> Option<&'a [u8]> {
    let (found, length) = head(rest)?;
    if found == major { take(rest, length) } else { None }
}

/// The major type of the next item, and its value. Items of unknown length are not allowed here (CTAP 2.1, 8).
fn head(rest: &mut &[u8]) -> Option<(u8, u64)> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    let value = match first & 0x1f {
        short @ 0..24 => u64::from(short),
        size @ 24..28 => take(rest, 1 << (size - 24))?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        _ => return None,
    };
    Some((first >> 5, value))
}

fn take<'a>(rest: &mut &'a [u8], length: u64) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Authenticator data with these flags, and with this after an empty credential's id.
    fn data(flags: u8, rest: &[u8]) -> Vec<u8> {
        [&[7; FLAGS][..], &[flags], &[0; 20], &[0, 0], rest].concat()
    }

    /// An object with these parts.
    fn object(format: &[u8], statement: &[u8], data: &[u8]) -> Vec<u8> {
        let length = u8::try_from(data.len()).unwrap();
        [b"\xa3\x63fmt", format, b"\x67attStmt", statement, b"\x68authData\x58", &[length], data].concat()
    }

    #[test]
    fn the_statement_and_the_extensions_are_removed_and_the_rest_stays() {
        let key = b"\xa1\x01\x02";
        let plain = object(b"\x64none", b"\xa0", &data(0x45, key));
        for (format, statement) in [
            (&b"\x64none"[..], &b"\xa0"[..]),
            (b"\x63tpm", b"\xa1\x63x5c\x82\x41\x01\x42\x02\x03"),
            (b"\x66packed", b"\xa2\x63alg\x26\x63sig\x58\x01\xff"),
            (b"\x64odd!", b"\xc1\x1b\0\0\0\0\0\0\0\x01"),
        ] {
            for extended in [data(0x45, key), data(0xc5, b"\xa1\x01\x02\xa1\x63foo\xf5")] {
                assert_eq!(without_statement(&object(format, statement, &extended)).as_ref(), Some(&plain));
            }
        }
    }

    #[test]
    fn what_is_not_an_attestation_object_is_refused_and_unreadable_data_stay_as_they_are() {
        let sound = object(b"\x64none", b"\xa0", &data(0x45, b"\xa0"));
        for length in 0..sound.len() {
            assert_eq!(without_statement(&sound[..length]), None, "{length}");
        }
        let more = [&sound[..], &[0]].concat();
        let twice = b"\xa3\x63fmt\x64none\x63fmt\x64none\x68authData\x41\x00";
        let deep = object(b"\x64none", &vec![0x81; 100_000], &[]);
        let endless = object(b"\x64none", b"\xbf\xff", &[]);
        let large = object(b"\x64none", b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", &[]);
        for object in [&more[..], twice, &deep, &endless, &large, b"", b"\xa0"] {
            assert_eq!(without_statement(object), None);
        }
        for odd in [data(0xc5, b"\xa0\xa1\x01"), data(0xc5, b"\xa0"), data(0x45, b"\xa0\xa0"), vec![0; 40]] {
            assert_eq!(without_extensions(&odd), odd);
        }
    }
}
