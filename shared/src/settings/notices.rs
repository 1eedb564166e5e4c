//! `NOTICES`: the changes that the owners of accounts are notified of.

use super::Settings;

/// The value of `NOTICES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticesSetting {
    /// None, except a link to Google that removed the password or the passkeys.
    Off,
    /// Changes of the account: a new password, a new or removed passkey, a link to Google, the deletion.
    Changes,
    /// Also the first login of a browser, except the account's first known one. Browsers get a
    /// known-browser cookie for this.
    On,
}

impl NoticesSetting {
    /// Reads `NOTICES`.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        settings.choice("NOTICES", [("on", Self::On), ("changes", Self::Changes), ("off", Self::Off)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_a_fault() {
        use NoticesSetting::{Changes, Off, On};
        for (value, read) in [("changes", Changes), ("on", On), ("off", Off)] {
            let settings = Settings::for_tests([("NOTICES", value)]);
            assert_eq!((NoticesSetting::new(&settings), settings.check()), (read, Ok(())));
        }
        let settings = Settings::for_tests([("NOTICES", "all")]);
        let _ = NoticesSetting::new(&settings);
        assert!(settings.check().unwrap_err().to_string().contains("NOTICES"));
    }
}
