//! Normalises a request's path before routing, like an HTTP API. `docs/gateway.md` has the sources.

use percent_encoding::percent_decode_str;

/// The path has an invalid escape, or decodes to bytes that are not UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The path of an event: decoded, truncated at a decoded `?`, decoded again, with each run of slashes as one slash.
pub(crate) fn read(sent: &str) -> Result<String, Malformed> {
    let once = decode(sent)?;
    let twice = decode(once.split_once('?').map_or(once.as_str(), |(path, _)| path))?;
    let mut path = String::with_capacity(twice.len());
    for character in twice.chars() {
        if character != '/' || !path.ends_with('/') {
            path.push(character);
        }
    }
    Ok(path)
}

/// Decodes each escape. A `+` is not decoded, because it means a space only in forms.
fn decode(text: &str) -> Result<String, Malformed> {
    let is_escape = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    if !text.split('%').skip(1).all(is_escape) {
        return Err(Malformed);
    }
    percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of a real HTTP API, from the captures that `docs/gateway.md` names.
    #[test]
    fn paths_are_normalised_as_in_captures_of_a_real_api() {
        for (sent, expected) in [
            ("/capture/plain", Ok("/capture/plain")),
            ("/capture/space%20value", Ok("/capture/space value")),
            ("/capture/question%3Fvalue", Ok("/capture/question")),
            ("/capture/percent%25done", Err(Malformed)),
            ("/capture/hash%23value", Ok("/capture/hash#value")),
            ("/capture/slash%2Fvalue", Ok("/capture/slash/value")),
            ("/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C", Ok("/capture/unicode-λ-世界")),
            ("/capture/literal%252Fvalue", Ok("/capture/literal/value")),
            ("/capture/literal%253Fvalue", Ok("/capture/literal?value")),
            ("/capture/literal%2525value", Ok("/capture/literal%value")),
        ] {
            assert_eq!(read(sent), expected.map(str::to_owned), "{sent}");
        }
    }

    #[test]
    fn a_run_of_slashes_encoded_or_not_is_one_slash() {
        for sent in ["/proxy/https://example.com", "/proxy/https:%2F%2Fexample.com", "//proxy///https:////example.com"]
        {
            assert_eq!(read(sent).as_deref(), Ok("/proxy/https:/example.com"), "{sent}");
        }
    }

    #[test]
    fn an_invalid_escape_or_one_that_is_not_utf8_is_malformed() {
        for sent in ["/%", "/%4", "/%zz", "/%+1", "/a%ffb", "/%C3", "/%25ff"] {
            assert_eq!(read(sent), Err(Malformed), "{sent}");
        }
    }

    #[test]
    fn a_plus_a_trailing_slash_and_dots_are_unchanged() {
        for path in ["/a+b", "/a/", "/a/../b", "/"] {
            assert_eq!(read(path).as_deref(), Ok(path));
        }
    }
}
