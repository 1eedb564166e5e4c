//! Email addresses. All accepted spellings of an address have the same normal form: with two spellings, one person
//! would get two accounts, or two people would reach one. So quoted local parts, encoded words and international local
//! parts are refused, and an international domain is stored in ASCII, as some browsers send it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::invisible::is_invisible;
use crate::Problem;

/// The longest local part, in octets (RFC 5321, 4.5.3.1.1).
const LOCAL_PART_MAX: usize = 64;
/// The longest address, in octets (RFC 5321, 4.5.3.1.3, without the angle brackets).
const ADDRESS_MAX: usize = 254;

/// The start of a label that stands for an international one.
const INTERNATIONAL: &str = "xn--";

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
        // Copied addresses often have invisible characters around them.
        let text = text.trim_matches(is_invisible);
        if text.is_empty() {
            return Err(Problem::EmailMissing);
        }
        let ascii = with_ascii_domain(text).filter(|text| is_address(text)).ok_or(Problem::EmailInvalid)?;
        Ok(Self(ascii.to_ascii_lowercase()))
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

/// The address with its domain in ASCII; `None` if an international label of it is not valid (UTS 46).
fn with_ascii_domain(text: &str) -> Option<Cow<'_, str>> {
    let Some((local, domain)) = text.split_once('@') else { return Some(Cow::Borrowed(text)) };
    let starts =
        |label: &str| label.get(..INTERNATIONAL.len()).is_some_and(|start| start.eq_ignore_ascii_case(INTERNATIONAL));
    if domain.len() > ADDRESS_MAX || (domain.is_ascii() && !domain.split('.').any(starts)) {
        return Some(Cow::Borrowed(text));
    }
    let domain = idna::domain_to_ascii_strict(domain).ok()?;
    Some(Cow::Owned(format!("{local}@{domain}")))
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

/// Whether the text is a host name of two or more labels (RFC 1123: letters, digits, inner hyphens; 63 octets a label). The
/// last one is not a number, as in an IP address.
fn is_domain(domain: &str) -> bool {
    let top = domain.rsplit_once('.').map_or("", |(_, top)| top);
    top.bytes().any(|byte| !byte.is_ascii_digit())
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
    fn an_international_domain_is_the_same_address_in_letters_and_in_ascii() {
        for spelling in [
            "ana@xn--espaa-rta.es",
            "ana@españa.es",
            "Ana@ESPAÑA.es",
            "ana@XN--ESPAA-RTA.ES",
            "ana@espan\u{303}a.es",
            "ana@españa\u{3002}es",
        ] {
            assert_eq!(Email::parse(spelling).unwrap().as_str(), "ana@xn--espaa-rta.es", "{spelling}");
        }
        assert!(Email::parse(&format!("ana@{}.es", "ñ".repeat(20))).is_ok());
        assert!(Email::parse(&format!("ana@{}.es", "ñ".repeat(64))).is_err());
    }

    #[test]
    fn invisible_characters_around_an_address_are_no_part_of_it() {
        for around in ["\u{200b}", "\u{feff}", "\u{200e}", "\u{202a} \u{2060}", "\u{a0}", "\u{ad}"] {
            let spelling = format!("{around}ana@example.com{around}");
            assert_eq!(Email::parse(&spelling).unwrap().as_str(), "ana@example.com", "{spelling:?}");
        }
        assert!(Email::parse("a\u{200b}na@example.com").is_err());
        assert!(matches!(Email::parse("\u{200b}"), Err(Problem::EmailMissing)));
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
            "ana@10.0.0.1",
            "1@1.1",
            "ana@example.123",
            "aña@españa.es",
            "ana@exam\u{200b}ple",
            "ana@españa",
            "ana@\u{202e}.es",
            "ana@xn--a.es",
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
