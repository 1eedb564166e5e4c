//! Session cookies and reset tokens. An input is what a client presents.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::Token;

/// Characters of an account's key.
const KEY: usize = 22;
/// Characters of 256 bits, and those that the last of them can be, for it has two bits to spare.
const SECRET: usize = 43;
const LAST: &str = "AEIMQUYcgkosw048";

/// A token has one text: it is read exactly if it is key, dot and secret in base64url, and then it reveals that text
/// and no other. Its hash, which the table holds, does not give it away.
///
/// # Panics
/// It does not hold.
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
        (key.len(), secret.len()) == (KEY, SECRET)
            && digits(key)
            && digits(secret)
            && secret.ends_with(|last| LAST.contains(last))
    })
}
