//! The tokens in session cookies and in mailed links. An input is the text that a client presents.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::Token;

/// The length of an account's key in characters.
const KEY: usize = 22;
/// The length of each kind of secret in characters, and the characters with which it may end. The last character has
/// unused bits, which must be zero: two if the secret has 256 bits, and four if it has a time of 40 bits before these.
const SECRETS: [(usize, &str); 2] = [(43, "AEIMQUYcgkosw048"), (50, "AQgw")];

/// A token is read exactly when it consists of a key, a dot and a secret in base64url. It has only one text, and this
/// text does not contain the hash that the table stores.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let Some(token) = Token::parse(text) else {
        assert!(!is_token(text), "{text:?}");
        return;
    };
    assert!(is_token(text), "{text:?}");
    assert_eq!(token.reveal().as_str(), text);
    assert_eq!(token.account().as_str(), &text[..KEY]);
    let hash = token.hash();
    assert!(!text.contains(&hash));
    let secret = URL_SAFE_NO_PAD.decode(&text[KEY + 1..]).unwrap();
    let mut other = secret.clone();
    other[0] ^= 1;
    let other = Token::parse(&format!("{}.{}", &text[..KEY], URL_SAFE_NO_PAD.encode(&other))).unwrap();
    assert_ne!(other.hash(), hash);
}

fn is_token(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    text.split_once('.').is_some_and(|(key, secret)| {
        let is_whole =
            |(length, last): (usize, &str)| secret.len() == length && secret.ends_with(|end| last.contains(end));
        key.len() == KEY && digits(key) && digits(secret) && SECRETS.into_iter().any(is_whole)
    })
}
