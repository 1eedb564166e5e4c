//! Addresses, tokens and cursors.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use properties::{email, position, token};
use proptest::prelude::*;
use shared::Email;

proptest! {
    #[test]
    fn any_text_is_refused_as_an_address_or_has_one_spelling(text in "\\PC*") {
        email::holds(text.as_bytes());
    }

    #[test]
    fn an_ordinary_address_is_accepted(
        local in "[a-zA-Z0-9!#$%&'*+/=^_`{|}~-]{1,20}(\\.[a-zA-Z0-9]{1,10}){0,3}",
        domain in "([a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?\\.){1,3}[a-zA-Z]{2,10}",
    ) {
        // Most labels that begin so are no Punycode, and such a domain cannot exist.
        prop_assume!(!domain.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--")));
        let address = format!("{local}@{domain}");
        prop_assert!(Email::parse(&address).is_ok(), "{address}");
        email::holds(address.as_bytes());
    }

    #[test]
    fn every_token_has_one_text(key in "[A-Za-z0-9_-]{22}", secret in any::<[u8; 37]>(), last in "[A-Za-z0-9_-]") {
        for secret in [&secret[..32], &secret[..]] {
            let text = format!("{key}.{}", URL_SAFE_NO_PAD.encode(secret));
            prop_assert!(shared::Token::parse(&text).is_some());
            token::holds(text.as_bytes());
            token::holds(format!("{}{last}", &text[..text.len() - 1]).as_bytes());
        }
    }

    #[test]
    fn every_cursor_that_is_written_can_be_read(time in any::<u64>(), request in any::<u128>(), index in any::<u32>()) {
        let hex = format!("{request:032x}");
        let groups = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        let text = format!("{time}-{groups}#{index:07}");
        prop_assert!(shared::store::Position::parse(&text).is_some(), "{text}");
        position::holds(text.as_bytes());
    }
}
