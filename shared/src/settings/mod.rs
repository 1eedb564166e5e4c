//! The settings: environment variables that are read once at start. All faulty ones are reported together.

mod addresses;
mod front_end;
mod notices;

pub(crate) use addresses::{domain_of, is_origin, origin_of};
pub use front_end::FrontEnd;
pub use notices::NoticesSetting;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;

/// The settings by name. Each part of the service reads its own settings. Faulty ones are collected, and
/// [`Settings::check`] reports all of them.
pub struct Settings {
    values: HashMap<String, String>,
    faults: RefCell<BTreeSet<String>>,
}

/// The fault of a setting that has no value.
const MISSING: &str = "is missing";

/// The faulty settings, one on each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError(Vec<String>);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the settings are not usable; set these environment variables:")?;
        self.0.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for SettingsError {}

impl SettingsError {
    /// The faults. Each names the variable and says what is wrong or which values are valid. The current value is not
    /// included.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.0
    }
}

impl Settings {
    /// The settings with these values.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { values: values.into_iter().collect(), faults: RefCell::default() }
    }

    /// The settings in the process's environment. A variable that is not Unicode counts as missing.
    #[must_use]
    pub fn of_environment() -> Self {
        let unicode = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self::new(std::env::vars_os().filter_map(unicode))
    }

    /// Checks that all settings that were read so far are present and valid.
    ///
    /// # Errors
    /// The list of all faults so far.
    pub fn check(&self) -> Result<(), SettingsError> {
        let faults: Vec<String> = self.faults.borrow().iter().cloned().collect();
        if faults.is_empty() { Ok(()) } else { Err(SettingsError(faults)) }
    }

    /// The text of a variable that the template does not set: `COOKIE_SECURE` or one of AWS's. `None` when it is missing
    /// or empty. All other variables must be there, because their defaults are in the template.
    pub(crate) fn outside_template(&self, name: &str) -> Option<String> {
        debug_assert!(name == "COOKIE_SECURE" || name.starts_with("AWS_"), "the default of {name} is in template.yaml");
        self.values.get(name).filter(|text| !text.is_empty()).cloned()
    }

    /// The text of a setting, which must not be missing; `None` when it is empty.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        let text = self.values.get(name);
        if text.is_none() {
            self.fault(name, MISSING);
        }
        text.filter(|text| !text.is_empty()).cloned()
    }

    /// The text of a setting, which must not be missing or empty.
    #[must_use]
    pub fn required(&self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| self.fault(name, MISSING))
    }

    /// A whole number within `range`. Another value is a fault, and the lowest number is returned in its place.
    #[must_use]
    pub fn number(&self, name: &str, range: RangeInclusive<u64>) -> u64 {
        let text = self.required(name);
        match text.parse() {
            Ok(number) if range.contains(&number) => return number,
            _ if text.is_empty() => {}
            _ => drop(self.fault(name, &format!("must be a whole number from {} to {}", range.start(), range.end()))),
        }
        *range.start()
    }

    /// The meaning of one of these words. Another word is a fault, and the first meaning is returned in its place.
    #[must_use]
    pub fn choice<T: Copy, const N: usize>(&self, name: &str, words: [(&str, T); N]) -> T {
        const { assert!(N > 0) };
        let text = self.required(name);
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, meaning)) => return *meaning,
            None if text.is_empty() => {}
            None => drop(self.fault(name, &format!("must be {}", words.map(|(word, _)| word).join(" or ")))),
        }
        words[0].1
    }

    /// `true` or `false`. Another word is a fault.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.choice(name, [("true", true), ("false", false)])
    }

    /// At most two SHA-256 digests in hexadecimal, separated by a comma; none if it is empty.
    pub(crate) fn digests(&self, name: &str) -> Vec<[u8; 32]> {
        let text = self.optional(name).unwrap_or_default();
        let digests: Option<Vec<_>> = text.split(',').filter(|_| !text.is_empty()).map(digest).collect();
        digests.filter(|digests| digests.len() <= 2).unwrap_or_else(|| {
            self.fault(name, "must be at most two SHA-256 digests in hexadecimal, separated by a comma");
            Vec::new()
        })
    }

    /// Reports a faulty setting, and returns an empty text in its place. The message must not contain the value, which
    /// may be a secret.
    pub(crate) fn fault(&self, name: &str, wanted: &str) -> String {
        self.faults.borrow_mut().insert(format!("{name} {wanted}"));
        String::new()
    }
}

/// A SHA-256 digest in hexadecimal.
fn digest(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c.to_digit(16)?).ok()).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| (byte << 4) | digit)).collect();
    (text.len() == 64).then(|| bytes.try_into().ok()).flatten()
}

#[cfg(test)]
impl Settings {
    /// Settings for unit tests.
    pub(crate) fn for_tests<const N: usize>(values: [(&str, &str); N]) -> Self {
        Self::new(values.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_are_reported_together_and_without_the_values() {
        let settings =
            Settings::for_tests([("NUMBER", "s3cret"), ("FLAG", "yes"), ("ADDRESS", "http://s3cret.example")]);
        let _ = settings.required("ABSENT");
        let _ = settings.number("NUMBER", 1..=9);
        let _ = settings.flag("FLAG");
        let _ = settings.url("ADDRESS");
        let error = settings.check().unwrap_err().to_string();
        for name in ["ABSENT is missing", "NUMBER must be", "FLAG must be", "ADDRESS must be"] {
            assert!(error.contains(name), "{error}");
        }
        assert!(!error.contains("s3cret"));
    }

    #[test]
    fn valid_settings_are_no_fault() {
        let settings = Settings::for_tests([
            ("NUMBER", "9"),
            ("FLAG", "false"),
            ("ADDRESS", "http://localhost:5173"),
            ("NOTHING", ""),
        ]);
        assert_eq!(settings.number("NUMBER", 1..=9), 9);
        assert!(!settings.flag("FLAG"));
        assert_eq!(settings.url("ADDRESS"), "http://localhost:5173");
        assert_eq!((settings.optional("NOTHING"), settings.optional_url("NOTHING")), (None, None));
        assert_eq!(settings.outside_template("AWS_CA_BUNDLE"), None);
        assert_eq!(settings.check(), Ok(()));
    }

    #[test]
    fn a_variable_that_is_missing_is_a_fault_however_it_is_read() {
        let readings: [fn(&Settings, &str); 7] = [
            |settings, name| drop(settings.optional(name)),
            |settings, name| drop(settings.required(name)),
            |settings, name| drop(settings.optional_url(name)),
            |settings, name| drop(settings.url(name)),
            |settings, name| _ = settings.number(name, 0..=9),
            |settings, name| _ = settings.flag(name),
            |settings, name| _ = settings.choice(name, [("off", 0), ("on", 1)]),
        ];
        for read in readings {
            let settings = Settings::for_tests([]);
            read(&settings, "ABSENT");
            assert_eq!(settings.check().unwrap_err().faults(), ["ABSENT is missing"]);
        }
    }

    #[test]
    #[should_panic(expected = "the default of NOTICES is in template.yaml")]
    fn a_variable_of_the_template_cannot_have_a_default_in_the_code() {
        let _ = Settings::for_tests([]).outside_template("NOTICES");
    }
}
