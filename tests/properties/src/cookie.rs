//! Cookies. An input is the text of a `Cookie` header.

use http::HeaderValue;
use shared::endpoint::cookies::values;

use crate::request::with_cookies;

/// The names of the session cookie with TLS and without.
const NAMES: [&str; 2] = ["__Host-session", "session"];

/// A cookie is found only by its exact name and with its exact value, whatever other text the header has. The name in
/// another case, after a Unicode space, after `$` or in quotes is the name of another cookie. A cookie that is sent
/// twice is found twice.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Ok(line) = str::from_utf8(input) else { return };
    if HeaderValue::from_str(line).is_err() {
        return;
    }
    for name in NAMES {
        let request = with_cookies(&[line]);
        let found = values(&request, name);
        let pieces: Vec<&str> = line.split(';').map(|piece| piece.trim_matches([' ', '\t'])).collect();
        let count = pieces.iter().filter(|piece| piece.starts_with(&format!("{name}="))).count();
        assert_eq!(found.len(), count, "{name} in {line:?}");
        for value in &found {
            assert!(pieces.contains(&format!("{name}={value}").as_str()), "{name}={value:?} in {line:?}");
        }
        let listed: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        assert_eq!(values(&with_cookies(&listed), name), found, "the cookies of {line:?}, in a list of cookies");
        let more = format!("{line};{name}=x");
        assert_eq!(values(&with_cookies(&[&more]), name).len(), count + 1, "{line:?}");
        for other in [name.to_uppercase(), format!("\u{2000}{name}"), format!("${name}"), format!("\"{name}\"")] {
            let with_other = format!("{line};{other}=x;{other}");
            assert_eq!(values(&with_cookies(&[&with_other]), name), found, "{other} is not {name}");
        }
    }
}
