//! Email addresses. All accepted spellings of an address have the same normal form: with two spellings, one person
//! would get two accounts, or two people would reach one. So quoted local parts, encoded words and international
//! addresses are refused.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Problem;

/// The longest local part, in octets (RFC 5321, 4.5.3.1.1).
const LOCAL_PART_MAX: usize = 64;
/// The longest address, in octets (RFC 5321, 4.5.3.1.3, without the angle brackets).
const ADDRESS_MAX: usize = 254;

/// A valid address in its normal form: trimmed, ASCII, lower case.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

impl Email {
    /// Parses an address that a client sent.
    ///
    /// # Errors
    /// [`Problem::EmailMissing`] when the text is empty after trimming, otherwise [`Problem::EmailInvalid`].
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Problem::EmailMissing);
        }
        if is_address(text) { Ok(Self(text.to_ascii_lowercase())) } else { Err(Problem::EmailInvalid) }
    }

    /// The address, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `@`.
    #[must_use]
    pub fn local_part(&self) -> &str {
        self.0.split_once('@').map_or("", |(local, _)| local)
    }

    /// The part after the `@`.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}

/// The address is masked, because `Debug` output may reach a log.
impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(***)")
    }
}

fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    text.len() <= ADDRESS_MAX
        && (1..=LOCAL_PART_MAX).contains(&local.len())
        && local.split('.').all(is_atom)
        && !has_encoded_word(local)
        && is_domain(domain)
}

/// Whether the text is an atom (RFC 5322, 3.2.3). Quoted local parts are refused, so that an address has one spelling.
fn is_atom(text: &str) -> bool {
    const SPECIALS: &[u8] = b"()<>[]:;@\\,\"";
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && !SPECIALS.contains(&byte))
}

/// Whether the text contains an encoded word. RFC 2047, 5, forbids encoded words in addresses. A mail system that
/// decodes one anyway would deliver to another address than the stored one.
fn has_encoded_word(text: &str) -> bool {
    text.split_once("=?").is_some_and(|(_, rest)| rest.contains("?="))
}

/// Whether the text is a host name of two or more labels (RFC 1123: letters, digits, inner hyphens; 63 octets a label).
fn is_domain(domain: &str) -> bool {
    domain.contains('.')
        && domain.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_spelling_of_an_address_is_the_same_address() {
        for spelling in ["ana@example.com", " ANA@Example.COM\t", "Ana@example.com\n"] {
            assert_eq!(Email::parse(spelling).unwrap().as_str(), "ana@example.com");
        }
    }

    #[test]
    fn an_empty_address_is_missing_and_not_invalid() {
        for empty in ["", "  ", "\n\t"] {
            assert!(matches!(Email::parse(empty), Err(Problem::EmailMissing)), "{empty:?}");
        }
    }

    #[test]
    fn an_invalid_address_is_refused() {
        let long_local = format!("{}@example.com", "a".repeat(65));
        let long = format!("a@{}com", "b.".repeat(125));
        for text in [
            "ana",
            "@example.com",
            "ana@",
            "ana@example",
            "a@b@example.com",
            "a na@example.com",
            "\"ana\"@example.com",
            "ana,eva@example.com",
            "ana@exa mple.com",
            "añа@example.com",
            "ana@example..com",
            "ana@-example.com",
            ".ana@example.com",
            "an\0a@example.com",
            "ana@example.com\r\nBcc: eva@example.com",
            "<ana@example.com>",
            &long_local,
            &long,
        ] {
            assert!(matches!(Email::parse(text), Err(Problem::EmailInvalid)), "{text:?}");
        }
    }

    #[test]
    fn an_address_with_an_encoded_word_is_refused() {
        for local in [
            "=?utf-8?q?eva=40bank.example=3e?=",
            "=?x?q?=41?=ana",
            "ana=?iso-8859-1?b?ZXZhQGJhbmsuZXhhbXBsZQ?=",
            "=?utf-7?q?&AEA-?=",
        ] {
            assert!(Email::parse(&format!("{local}@example.com")).is_err(), "{local}");
        }
        assert!(Email::parse("what=?really@example.com").is_ok());
    }

    #[test]
    fn the_longest_address_is_accepted_and_one_more_octet_is_not() {
        let domain = format!("{0}.{0}.{1}", "d".repeat(63), "d".repeat(61));
        let longest = format!("{}@{domain}", "l".repeat(64));
        assert_eq!(longest.len(), ADDRESS_MAX);
        assert!(Email::parse(&longest).is_ok());
        assert!(Email::parse(&format!("{longest}d")).is_err());
    }

    #[test]
    fn ordinary_and_tagged_addresses_are_accepted() {
        for text in ["a@b.co", "ana.garcia+cuenta@mail.example.org", "o'brien!#$%&*/=?^{|}~-@x-y.es"] {
            assert!(Email::parse(text).is_ok(), "{text:?}");
        }
    }
}
