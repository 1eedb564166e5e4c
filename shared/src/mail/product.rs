//! The name of the product. Every email contains it, also in the sender's name.

use email_encoding::headers::quoted_string;
use email_encoding::headers::writer::EmailWriter;

use crate::Setup;

/// The maximum number of characters of a name. Mail apps on phones show fewer.
const MAX: usize = 60;
/// The characters of a name besides letters and digits. None of them can end a header or start HTML markup.
const SIGNS: &str = " &'.+-";

/// The name of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProductName(String);

impl ProductName {
    /// Reads `PRODUCT_NAME`.
    pub(super) fn new(setup: &Setup) -> Self {
        let settings = setup.settings();
        let name = settings.required("PRODUCT_NAME");
        Self(if is_valid(&name) {
            name
        } else {
            settings.fault(
                "PRODUCT_NAME",
                "must have at most 60 letters, digits, spaces and signs (& ' . + -), and no space at its ends",
            )
        })
    }

    /// The name.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The sender of an email from `address`, as a header contains it (RFC 5322): `Finanzas <no-reply@example.com>`. A
    /// name with special characters is quoted. A name that is not ASCII is written as encoded words (RFC 2047), because
    /// SES accepts only ASCII.
    pub(super) fn sender(&self, address: &str) -> String {
        let mut name = String::new();
        // Writing to a `String` cannot fail.
        let _ = quoted_string::encode(&self.0, &mut EmailWriter::new(&mut name, 0, 0, false));
        // The encoder folds long headers. SES requires one line.
        format!("{} <{address}>", name.replace("\r\n", ""))
    }
}

fn is_valid(name: &str) -> bool {
    let is_valid = |character: char| character.is_alphanumeric() || SIGNS.contains(character);
    (1..=MAX).contains(&name.chars().count()) && name.trim() == name && name.chars().all(is_valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(name: &str) -> String {
        ProductName(name.to_owned()).sender("no-reply@example.com")
    }

    #[test]
    fn the_sender_has_the_name_of_the_product_in_ascii() {
        assert_eq!(sender("Finanzas"), "Finanzas <no-reply@example.com>");
        assert_eq!(sender("Mis finanzas"), "\"Mis finanzas\" <no-reply@example.com>");
        assert_eq!(sender("Céntimo"), "=?utf-8?b?Q8OpbnRpbW8=?= <no-reply@example.com>");
        assert_eq!(sender("Uno \"dos\\\" <x@y.z>"), "=?utf-8?b?VW5vICJkb3NcIiA8eEB5Lno+?= <no-reply@example.com>");
        assert_eq!(sender("Uno \"dos\""), "\"Uno \\\"dos\\\"\" <no-reply@example.com>");
    }

    #[test]
    fn a_long_name_of_the_product_stays_on_one_line() {
        for name in ["ñ".repeat(MAX), "Mis finanzas ".repeat(4).trim().to_owned(), "Señas y cuñas ".repeat(4)] {
            let sender = sender(&name);
            assert!(sender.is_ascii() && !sender.contains(['\r', '\n']), "{sender}");
            assert!(sender.split(' ').all(|word| word.len() <= 75), "RFC 2047, section 2: {sender}");
        }
    }

    #[test]
    fn a_name_of_the_product_that_could_break_a_header_or_the_html_is_refused() {
        let read = |name: &str| {
            let setup = Setup::for_tests([("PRODUCT_NAME", name)]);
            let product = ProductName::new(&setup);
            setup.settings().check().map(|()| product.0)
        };
        for name in ["Finanzas", "Mis finanzas", "Céntimo a céntimo", "Ahorro & Cía.", "D'Or+ 24-7", "財布"] {
            assert_eq!(read(name), Ok(name.to_owned()));
        }
        let long = "a".repeat(MAX + 1);
        for name in
            ["", "<b>", "a\"b", "a\\b", "a\nb", "a\r\nBcc: eva@example.com", "a, b", "a@b", " a", "a ", "{x}", &long]
        {
            assert!(read(name).is_err(), "{name}");
        }
    }
}
