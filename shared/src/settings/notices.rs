//! `NOTICES`: the changes that the owners of accounts are notified of.

use super::Settings;

/// The value of `NOTICES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticesSetting {
    /// None, except a link to Google that removed the password or the passkeys.
    Off,
    /// Changes of the account: a new password, a new or removed passkey, a link to Google, the deletion. This is the
    /// default.
    Changes,
    /// Also the first login of a browser, except the account's first known one. Browsers get a
    /// known-browser cookie for this.
    On,
}

impl NoticesSetting {
    /// Reads `NOTICES`.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let words = [("on", Self::On), ("changes", Self::Changes), ("off", Self::Off)];
        settings.choice("NOTICES", Self::Changes, &words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_changes_and_an_unknown_value_is_a_fault() {
        for (value, read) in [("", NoticesSetting::Changes), ("on", NoticesSetting::On), ("off", NoticesSetting::Off)] {
            let settings = Settings::for_tests([("NOTICES", value)]);
            assert_eq!((NoticesSetting::new(&settings), settings.check()), (read, Ok(())));
        }
        let settings = Settings::for_tests([("NOTICES", "all")]);
        assert_eq!(NoticesSetting::new(&settings), NoticesSetting::Changes);
        assert!(settings.check().unwrap_err().to_string().contains("NOTICES"));
    }
}
