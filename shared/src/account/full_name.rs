//! A user's full name.

use super::invisible::is_invisible;
use crate::Problem;

/// The longest name, in code points, after trimming.
const NAME_MAX: usize = 200;

/// A name of 1 to 200 code points, trimmed, without control characters. Something in it is visible.
#[derive(Clone, PartialEq, Eq)]
pub struct FullName(String);

impl FullName {
    /// Parses a name that a client sent.
    ///
    /// # Errors
    /// [`Problem::InvalidParameters`] when nothing in the name is visible, when it is too long, or when it contains a control
    /// character.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let is_long = text.chars().count() > NAME_MAX;
        let valid = !is_long && !text.chars().all(is_invisible) && !text.chars().any(char::is_control);
        if valid { Ok(Self(text.to_owned())) } else { Err(Problem::InvalidParameters) }
    }

    /// Makes a valid name from the one that the identity provider sent: removes control characters, and truncates it at
    /// 200 code points. Returns `fallback`, which must be a valid name, when nothing visible is left.
    #[must_use]
    pub fn nearest(text: &str, fallback: &str) -> Self {
        let kept: String = text.chars().filter(|c| !c.is_control()).collect();
        let kept: String = kept.trim().chars().take(NAME_MAX).collect();
        let kept = kept.trim_end();
        Self(if kept.chars().all(is_invisible) { fallback } else { kept }.to_owned())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_counted_in_code_points() {
        assert_eq!(FullName::parse("  Ana García ").unwrap().as_str(), "Ana García");
        assert!(FullName::parse(&"ñ".repeat(200)).is_ok());
        assert!(FullName::parse(&"ñ".repeat(201)).is_err());
        assert!(FullName::parse(" \t").is_err());
        assert!(FullName::parse("Ana\u{7}").is_err());
    }

    #[test]
    fn a_name_without_anything_visible_is_refused_and_one_with_joined_emoji_is_valid() {
        for blank in
            ["\u{200b}", "\u{2800}", "\u{3164}", "\u{200d}\u{fe0f}", "\u{a0}\u{2060} \u{e0041}", "\u{115f}\u{ad}"]
        {
            assert!(FullName::parse(blank).is_err(), "{blank:?}");
            assert_eq!(FullName::nearest(blank, "ana").as_str(), "ana", "{blank:?}");
        }
        for name in ["👨\u{200d}👩\u{200d}👧", "❤\u{fe0f}", "ن\u{200c}ا", "김", "_"] {
            assert_eq!(FullName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn a_providers_name_is_made_valid() {
        assert_eq!(FullName::nearest(" A\u{0}na ", "x").as_str(), "Ana");
        assert_eq!(FullName::nearest("\u{1b}", "ana").as_str(), "ana");
        assert_eq!(FullName::nearest(&"a".repeat(300), "x").as_str().len(), 200);
    }
}
