//! Passwords that are guessed first: those of the list of common passwords, and those made of the owner's address or
//! name. Case and signs are ignored, and so are digits at the end, which people add to satisfy a rule.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::Password;
use crate::{Problem, Settings};

/// The first four bytes of the SHA-256 of each key, sorted. A key is the stem of a common password, or all its letters
/// and digits if the stem is shorter than [`STEM_MIN`]. `infra/common_passwords/list.py` writes the file.
static LIST: &[u8] = include_bytes!("common_passwords.bin");
/// Bytes of a hash in [`LIST`].
const PREFIX_BYTES: usize = 4;
/// The shortest stem that is refused with any digits and signs after it, in characters. A shorter one, such as the `x`
/// of `X71093846!`, is looked up with its digits.
const STEM_MIN: usize = 4;
/// The longest stem that is compared, in bytes. A name of 200 code points has at most 800.
const STEM_MAX: usize = 1024;

/// Whether new passwords are checked: `COMMON_PASSWORDS`.
#[derive(Clone, Copy)]
pub struct CommonPasswords {
    are_refused: bool,
}

/// The stems of an owner's address and name, and of their words.
#[derive(Clone, Default)]
pub struct PersonalWords(BTreeSet<String>);

impl CommonPasswords {
    /// Reads `COMMON_PASSWORDS`: `accept` or `refuse`.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self { are_refused: settings.choice("COMMON_PASSWORDS", [("accept", false), ("refuse", true)]) }
    }

    /// Checks a new password, unless common ones are accepted.
    ///
    /// # Errors
    /// [`Problem::PasswordCommon`] when the password is in the list or is made of one of the owner's words.
    pub(super) fn check(self, password: &Password, personal: &PersonalWords) -> Result<(), Problem> {
        let Some(stem) = self.stem(password) else { return Ok(()) };
        let is_common = personal.0.contains(stem.as_str()) || is_listed(&stem, password.as_str());
        if is_common { Err(Problem::PasswordCommon) } else { Ok(()) }
    }

    /// The password's stem. Returns `None` when common passwords are accepted, and for a password that has no letter or
    /// whose stem is too long to compare.
    pub(crate) fn stem(self, password: &Password) -> Option<Zeroizing<String>> {
        if self.are_refused { stem(password.as_str()).filter(|stem| !stem.is_empty()) } else { None }
    }

    /// The owner's stems. There are none when common passwords are accepted.
    pub(crate) fn stems(self, personal: &PersonalWords) -> impl Iterator<Item = &str> {
        personal.0.iter().filter(move |_| self.are_refused).map(String::as_str)
    }
}

impl PersonalWords {
    /// The stems of these texts, and of the words in them.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let words = |text: &'a str| text.split(|c: char| !c.is_alphanumeric()).chain([text]);
        let stems = texts.into_iter().flat_map(words).filter_map(stem);
        Self(stems.filter(|stem| !stem.is_empty()).map(|stem| stem.to_string()).collect())
    }
}

/// The stem of a text: its letters and digits in lower case, without the digits at the end. Returns `None` when it is
/// too long to compare.
fn stem(text: &str) -> Option<Zeroizing<String>> {
    let text = text.trim_end_matches(|c: char| !c.is_alphabetic());
    (text.len() <= STEM_MAX).then(|| letters_and_digits(text))
}

fn letters_and_digits(text: &str) -> Zeroizing<String> {
    let mut kept = Zeroizing::new(String::with_capacity(text.len() * 2));
    kept.extend(text.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()));
    kept
}

/// Whether the list has the stem or, if the stem is short, all letters and digits of the text.
fn is_listed(stem: &str, text: &str) -> bool {
    if stem.chars().count() >= STEM_MIN {
        return has(stem);
    }
    text.len() <= STEM_MAX && has(&letters_and_digits(text))
}

/// Whether the list has a key.
fn has(key: &str) -> bool {
    let (prefixes, _) = LIST.as_chunks::<PREFIX_BYTES>();
    let digest = Sha256::digest(key);
    digest.first_chunk().is_some_and(|prefix| prefixes.binary_search(prefix).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::random::{self, SystemRandom};

    fn check(setting: &str, password: &str, texts: &[&str]) -> Result<(), Problem> {
        let settings = Settings::for_tests([("COMMON_PASSWORDS", setting)]);
        let common = CommonPasswords::new(&settings);
        settings.check().unwrap();
        let password = Password::parse(Zeroizing::new(password.to_owned())).unwrap_or_else(|_| unreachable!());
        common.check(&password, &PersonalWords::of(texts.iter().copied()))
    }

    #[track_caller]
    fn assert_refuses(password: &str, texts: &[&str]) {
        assert!(matches!(check("refuse", password, texts), Err(Problem::PasswordCommon)), "{password}");
        assert!(check("accept", password, texts).is_ok(), "{password}");
    }

    #[test]
    fn a_listed_password_is_refused_with_any_case_digits_and_signs() {
        for password in
            ["Password1", "PASSWORD2026!", "qwertyUIOP99", "1q2w3e4R", "Contraseña1", "Pass-Word1!", "Dragon12345678"]
        {
            assert_refuses(password, &[]);
        }
        assert_refuses(&format!("Password1{}", "!1".repeat(100_000)), &[]);
    }

    #[test]
    fn a_short_stem_is_refused_only_with_listed_digits() {
        assert_refuses("A1234567!", &[]);
        assert_refuses("Abc12345", &[]);
        assert!(check("refuse", "A71093846", &[]).is_ok());
        assert!(check("refuse", "Abc71093846", &[]).is_ok());
    }

    #[test]
    fn a_password_made_of_the_owners_address_or_name_is_refused() {
        let owner = ["ana.garcia+99@correo.example.org", "ana.garcia+99", "correo.example.org", "Ana García Núñez"];
        for password in [
            "Ana.garcia+99@correo.example.org1",
            "ANAGARCIA99",
            "Correo.Example.Org1",
            "Correo2026",
            "Ana12345",
            "NÚÑEZ-2026",
            "AnaGarcíaNúñez1",
        ] {
            assert_refuses(password, &owner);
        }
        assert!(check("refuse", "Anabel-Garcia-71", &owner).is_ok());
        assert!(check("refuse", "1Correo-de-Ana", &owner).is_ok());
        assert!(check("refuse", "Xilofono-71-azul", &["1990", "", "@"]).is_ok());
    }

    #[test]
    fn a_value_other_than_accept_or_refuse_is_a_fault() {
        let settings = Settings::for_tests([("COMMON_PASSWORDS", "yes")]);
        let _ = CommonPasswords::new(&settings);
        assert_eq!(settings.check().unwrap_err().faults(), ["COMMON_PASSWORDS must be accept or refuse"]);
    }

    #[test]
    fn the_list_is_sorted_and_small_and_has_its_keys() {
        let (prefixes, rest) = LIST.as_chunks::<PREFIX_BYTES>();
        assert!(rest.is_empty() && prefixes.is_sorted());
        assert!((27_000..30_000).contains(&prefixes.len()), "{}", prefixes.len());
        for key in ["password", "qwertyuiop", "letmein", "abc12345", "contraseña", "finanzas"] {
            assert!(has(key), "{key}");
        }
    }

    #[test]
    fn hardly_any_random_password_is_refused() {
        let mut refused = 0;
        for _ in 0..20_000 {
            let bytes: [u8; 10] = random::bytes(&SystemRandom).unwrap();
            let text: String = bytes.iter().map(|byte| char::from(b'!' + byte % 94)).collect();
            refused += u32::from(check("refuse", &format!("{text}A1b"), &[]).is_err());
        }
        assert!(refused <= 2, "{refused} of 20,000; about one in 150,000 is expected");
    }
}
