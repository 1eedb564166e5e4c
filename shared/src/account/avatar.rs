//! The eleven predefined avatars.

use crate::problem::Problem;
use crate::settings::{FrontEnd, Settings};

/// The number of numbered avatars, `01` to `10`.
const NUMBERED: u8 = 10;

/// The avatar URLs of this deployment.
#[derive(Debug, Clone)]
pub struct Avatars {
    base: String,
}

impl Avatars {
    /// Reads `AVATAR_BASE_URL`; the default is the front end's URL.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let front_end = || FrontEnd::new(settings).address().to_owned();
        let base = settings.optional_url("AVATAR_BASE_URL").unwrap_or_else(front_end);
        Self { base }
    }

    /// The URL of a new account's avatar.
    #[must_use]
    pub fn default_address(&self) -> String {
        self.address("default")
    }

    /// Reads the field `avatar`. Returns `None` for an empty field, which means unchanged.
    ///
    /// # Errors
    /// [`Problem::InvalidParameters`] unless the text is one of the eleven URLs.
    pub fn parse(&self, text: String) -> Result<Option<String>, Problem> {
        if text.is_empty() {
            return Ok(None);
        }
        let known = text == self.default_address()
            || (1..=NUMBERED).any(|number| text == self.address(&format!("{number:02}")));
        if known { Ok(Some(text)) } else { Err(Problem::InvalidParameters) }
    }

    /// The URL of the avatar with this name, from `01` to `10`, or `default`.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<String> {
        let known = name == "default" || (1..=NUMBERED).any(|number| name == format!("{number:02}"));
        known.then(|| self.address(name))
    }

    fn address(&self, name: &str) -> String {
        format!("{}/assets/avatars/{name}.jpeg", self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_eleven_addresses_are_accepted() {
        let avatars = Avatars { base: "https://app.example".to_owned() };
        let names: Vec<String> = (1..=10).map(|n| format!("{n:02}")).chain(["default".to_owned()]).collect();
        for name in &names {
            let address = format!("https://app.example/assets/avatars/{name}.jpeg");
            assert_eq!(avatars.parse(address.clone()).unwrap(), Some(address));
        }
        for miss in [
            "https://app.example/assets/avatars/00.jpeg",
            "https://app.example/assets/avatars/11.jpeg",
            "https://app.example/assets/avatars/1.jpeg",
            "https://app.example/assets/avatars/01.jpg",
            "https://app.example/assets/avatars/01.jpeg?x",
            "https://app.example/assets/avatars/01.jpeg ",
            "http://app.example/assets/avatars/01.jpeg",
            "https://app.example.evil.example/assets/avatars/01.jpeg",
            "javascript:alert(1)",
            "01.jpeg",
        ] {
            assert!(avatars.parse(miss.to_owned()).is_err(), "{miss}");
        }
        assert_eq!(avatars.parse(String::new()).unwrap(), None);
    }
}
