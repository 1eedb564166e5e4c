//! The eleven predefined avatars. An account has the name of its avatar; the URL is made for each answer, so that the avatars
//! can move to another host.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::settings::{FrontEnd, Settings};

/// The names of the avatars.
const NAMES: [&str; 11] = ["default", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10"];

/// The avatar of an account, as its row has it: its name, or in older rows its URL on any host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Avatar(String);

impl Default for Avatar {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl Avatar {
    /// The avatar with this name: `default`, or `01` to `10`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        NAMES.contains(&name).then(|| Self(name.to_owned()))
    }

    /// The avatar at this URL, whatever its host.
    #[must_use]
    pub fn at(url: &str) -> Option<Self> {
        Self::named(url.rsplit_once("/assets/avatars/")?.1.strip_suffix(".jpeg")?)
    }

    /// The text in the row.
    #[must_use]
    pub fn stored(&self) -> &str {
        &self.0
    }
}

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

    /// Reads the field `avatar`. Returns `None` for an empty field, which means unchanged.
    ///
    /// # Errors
    /// [`Problem::InvalidParameters`] unless the text is one of the eleven URLs.
    pub fn parse(&self, text: &str) -> Result<Option<Avatar>, Problem> {
        if text.is_empty() {
            return Ok(None);
        }
        let avatar = Avatar::at(text).filter(|avatar| self.url(avatar) == text);
        avatar.map(Some).ok_or(Problem::InvalidParameters)
    }

    /// The URL of an avatar.
    #[must_use]
    pub fn url(&self, Avatar(stored): &Avatar) -> String {
        let avatar = Avatar::named(stored).or_else(|| Avatar::at(stored)).unwrap_or_default();
        format!("{}/assets/avatars/{}.jpeg", self.base, avatar.0)
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
            assert_eq!(avatars.parse(&address).unwrap(), Avatar::named(name), "{name}");
            assert_eq!(avatars.url(&Avatar::named(name).unwrap()), address);
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
            "01",
            "https://other.example/assets/avatars/01.jpeg",
        ] {
            assert!(avatars.parse(miss).is_err(), "{miss}");
        }
        assert_eq!(avatars.parse("").unwrap(), None);
    }

    #[test]
    fn the_url_of_an_avatar_has_the_host_of_today_whatever_the_row_has() {
        let avatars = Avatars { base: "https://app.example".to_owned() };
        let rows = [("03", "03"), ("https://old.example/x/assets/avatars/03.jpeg", "03"), ("a picture", "default")];
        for (stored, name) in rows {
            let url = avatars.url(&Avatar(stored.to_owned()));
            assert_eq!(url, format!("https://app.example/assets/avatars/{name}.jpeg"), "{stored}");
        }
    }
}
