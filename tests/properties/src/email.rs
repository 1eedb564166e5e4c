//! Email addresses. An input is the value of the field.

use shared::{AccountKey, Email, Problem};

/// Characters that would allow a second spelling of an address, or end it early in the header of a mail.
const FORBIDDEN: &str = "()<>[]:;\\,\" \t\r\n\0\u{7f}";

/// An accepted address is ASCII in lower case, has at most 254 octets, and has one `@` with a dot after it. Its local part
/// equals the input's except for surrounding spaces and case, and so does its domain unless it is international. All such
/// spellings belong to the same account. Only an empty or blank input is `missing`.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let email = match Email::parse(text) {
        Ok(email) => email,
        Err(problem) => {
            assert!(!matches!(problem, Problem::EmailMissing) || text.chars().all(|c| !c.is_ascii_graphic()));
            assert!(!text.trim().is_empty() || matches!(problem, Problem::EmailMissing));
            return;
        }
    };
    let address = email.as_str();
    let input = text.trim().to_ascii_lowercase();
    if input.is_ascii() && !input.contains("xn--") {
        assert_eq!(address, input);
    }
    let local_of = |text: &str| text.rsplit_once('@').map(|(local, _)| local.to_owned());
    let local_of_input = local_of(&input).unwrap();
    assert!(local_of_input.ends_with(&local_of(address).unwrap()), "{address:?} {input:?}");
    assert!(local_of_input.chars().filter(char::is_ascii).eq(local_of(address).unwrap().chars()), "{address:?}");
    assert!(address.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()), "{address:?}");
    assert!(!address.contains(|c| FORBIDDEN.contains(c)), "{address:?}");
    assert!(address.len() <= 254, "{address:?}");
    let (local, domain) = address.split_once('@').unwrap();
    assert!(local.split_once("=?").is_none_or(|(_, rest)| !rest.contains("?=")), "an encoded word in {address:?}");
    assert!((1..=64).contains(&local.len()) && local == email.local_part(), "{address:?}");
    assert!(domain.contains('.') && !domain.contains('@'), "{address:?}");
    assert!(domain.split('.').all(|label| (1..=63).contains(&label.len())), "{address:?}");
    for spelling in [address.to_owned(), address.to_uppercase(), format!(" \t{text}\r\n")] {
        let again = Email::parse(&spelling).unwrap();
        assert!(again == email, "{spelling:?}");
        assert_eq!(AccountKey::of(&again), AccountKey::of(&email));
    }
}
