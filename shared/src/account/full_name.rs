//! A user's full name.

use crate::Problem;

/// The longest name, in code points, after trimming.
const NAME_MAX: usize = 200;

/// A name of 1 to 200 code points, trimmed, without control characters.
#[derive(Clone, PartialEq, Eq)]
pub struct FullName(String);

impl FullName {
    /// Parses a name that a client sent.
    ///
    /// # Errors
    /// [`Problem::InvalidParameters`] when the name is empty, is too long or contains a control character.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let valid = (1..=NAME_MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if valid { Ok(Self(text.to_owned())) } else { Err(Problem::InvalidParameters) }
    }

    /// Makes a valid name from the one that the identity provider sent: removes control characters, and truncates it at
    /// 200 code points. Returns `fallback`, which must be a valid name, when nothing is left.
    #[must_use]
    pub fn nearest(text: &str, fallback: &str) -> Self {
        let kept: String = text.chars().filter(|c| !c.is_control()).collect();
        let kept: String = kept.trim().chars().take(NAME_MAX).collect();
        let kept = kept.trim_end();
        Self(if kept.is_empty() { fallback } else { kept }.to_owned())
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
    fn a_providers_name_is_made_valid() {
        assert_eq!(FullName::nearest(" A\u{0}na ", "x").as_str(), "Ana");
        assert_eq!(FullName::nearest("\u{1b}", "ana").as_str(), "ana");
        assert_eq!(FullName::nearest(&"a".repeat(300), "x").as_str().len(), 200);
    }
}
