//! The settings: environment variables that are read once at start. All faulty ones are reported together.

mod addresses;
mod front_end;
mod notices;

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

    /// The text of a setting; `None` when it is missing or empty.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        self.values.get(name).filter(|text| !text.is_empty()).cloned()
    }

    /// The text of a setting, which must not be missing or empty.
    #[must_use]
    pub fn required(&self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| self.fault(name, "is missing"))
    }

    /// A whole number within `range`; `default` when the setting is missing or empty. Another value is a fault.
    #[must_use]
    pub fn number(&self, name: &str, default: u64, range: RangeInclusive<u64>) -> u64 {
        let Some(text) = self.optional(name) else { return default };
        match text.parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                let wanted = format!("must be a whole number from {} to {}", range.start(), range.end());
                self.fault(name, &wanted);
                default
            }
        }
    }

    /// The meaning of one of these words; `default` when the setting is missing or empty. Another value is a fault.
    #[must_use]
    pub fn choice<T: Copy>(&self, name: &str, default: T, words: &[(&str, T)]) -> T {
        let Some(text) = self.optional(name) else { return default };
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
            return *meaning;
        }
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.fault(name, &format!("must be {}", words.join(" or ")));
        default
    }

    /// `true` or `false`; `default` when the setting is missing or empty. Another value is a fault.
    #[must_use]
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.choice(name, default, &[("true", true), ("false", false)])
    }

    /// Reports a faulty setting, and returns an empty text in its place. The message must not contain the value, which
    /// may be a secret.
    pub(crate) fn fault(&self, name: &str, wanted: &str) -> String {
        self.faults.borrow_mut().insert(format!("{name} {wanted}"));
        String::new()
    }
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
        let _ = settings.number("NUMBER", 5, 1..=9);
        let _ = settings.flag("FLAG", true);
        let _ = settings.url("ADDRESS");
        let error = settings.check().unwrap_err().to_string();
        for name in ["ABSENT is missing", "NUMBER must be", "FLAG must be", "ADDRESS must be"] {
            assert!(error.contains(name), "{error}");
        }
        assert!(!error.contains("s3cret"));
    }

    #[test]
    fn valid_settings_are_no_fault() {
        let settings = Settings::for_tests([("NUMBER", "9"), ("FLAG", "false"), ("ADDRESS", "http://localhost:5173")]);
        assert_eq!(settings.number("NUMBER", 5, 1..=9), 9);
        assert_eq!(settings.number("OTHER", 5, 1..=9), 5);
        assert!(!settings.flag("FLAG", true));
        assert_eq!(settings.url("ADDRESS"), "http://localhost:5173");
        assert_eq!(settings.check(), Ok(()));
    }
}
