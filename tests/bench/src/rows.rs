//! The items of the account that all scenarios use.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};
use shared::system::random::SystemRandom;
use shared::{AccountKey, Email, Token};
use stand_ins::Signer;

use crate::Outcome;

/// The account's address.
pub const EMAIL: &str = "ana@example.com";
/// Its owner's name.
pub const NAME: &str = "Ana García";
/// Its password.
pub const PASSWORD: &str = "Secreto123";
/// The subject of its identity at the provider.
pub const SUB: &str = "100000000000000000001";
/// The client id whose credentials are accepted.
pub(crate) const CLIENT: &str = "local-client";
/// The secret of its session.
const SECRET: [u8; 32] = [7; 32];
/// The salt of its password.
const SALT: [u8; 16] = [7; 16];

/// The cost of the stored password's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// The cost that the service uses.
    Full,
    /// The lowest cost that Argon2 allows, so that a measurement shows the rest of a call.
    Light,
}

impl Hash {
    /// The memory in KiB and the number of passes.
    #[must_use]
    pub fn cost(self) -> (u32, u32) {
        match self {
            Self::Full => (19_456, 2),
            Self::Light => (8, 1),
        }
    }
}

/// The account and its session.
pub struct Rows {
    /// The session's token, as the cookie holds it.
    pub token: String,
    /// The account's item.
    pub profile: Value,
    /// The session's item.
    pub session: Value,
}

impl Rows {
    /// The items of an account with a session that was used just now.
    ///
    /// # Errors
    /// The password cannot be hashed.
    pub fn new(hash: Hash) -> Outcome<Self> {
        let email = Email::parse(EMAIL).map_err(|_| "the address is invalid")?;
        let key = AccountKey::of(&email).as_str().to_owned();
        let text = format!("{key}.{}", URL_SAFE_NO_PAD.encode(SECRET));
        let token = Token::parse(&text).ok_or("the token is invalid")?;
        let now = SystemClock.now().seconds();
        let profile = json!({
            "pk": {"S": key}, "sk": {"S": "profile"}, "id": {"N": "7"}, "email": {"S": EMAIL},
            "name": {"S": NAME},
            "url_image": {"S": "default"},
            "accept_news": {"N": "1"}, "password": {"S": phc(hash)?}, "google_sub": {"S": SUB},
            "email_verified": {"BOOL": true}, "generation": {"N": "3"}, "created_at": {"N": now.to_string()},
            "nonce": {"S": "AAAAAAAAAAAAAAAAAAAAAA"},
        });
        let session = json!({
            "pk": {"S": key}, "sk": {"S": format!("session#{}", token.hash())}, "id": {"N": "7"},
            "generation": {"N": "3"}, "created_at": {"N": now.to_string()}, "last_seen": {"N": now.to_string()},
            "expires_at": {"N": (now + 7200).to_string()}, "nonce": {"S": "AAAAAAAAAAAAAAAAAAAAAA"},
        });
        Ok(Self { token: text, profile, session })
    }
}

/// The password's hash as a PHC string, the format that the table stores.
fn phc(hash: Hash) -> Outcome<String> {
    let (memory, passes) = hash.cost();
    let params = Params::new(memory, passes, 1, None).map_err(|error| error.to_string())?;
    let mut bytes = [0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(PASSWORD.as_bytes(), &SALT, &mut bytes)
        .map_err(|error| error.to_string())?;
    let [salt, hash] = [SALT.as_slice(), bytes.as_slice()].map(|bytes| STANDARD_NO_PAD.encode(bytes));
    Ok(format!("$argon2id$v=19$m={memory},t={passes},p=1${salt}${hash}"))
}

/// The account's item while a change of its address waits for the link whose token has this hash.
#[must_use]
pub fn with_change(profile: &Value, hash: &str) -> Value {
    let until = (SystemClock.now().seconds() + 3600).to_string();
    let mut changing = profile.as_object().cloned().unwrap_or_default();
    changing.extend([
        ("change_hash".to_owned(), json!({"S": hash})),
        ("change_expires_at".to_owned(), json!({"N": until})),
        ("change_email".to_owned(), json!({"S": "ana.nueva@example.com"})),
        ("change_generation".to_owned(), json!({"N": "3"})),
        ("change_session".to_owned(), json!({"S": "session#of-the-request"})),
    ]);
    Value::Object(changing)
}

/// The token of a notice to the owner of an account, which has a token `of`.
pub(crate) fn lock_token(of: &Token) -> Outcome<String> {
    let lock = Token::mint_until(of.account(), SystemClock.now().plus_seconds(3600), &SystemRandom);
    Ok(lock.map_err(|_| "no random bytes")?.reveal().to_string())
}

/// A credential of the account's owner. It is valid for an hour.
pub(crate) fn credential(signer: &Signer) -> Outcome<String> {
    let now = SystemClock.now().seconds();
    let claims = json!({
        "iss": "https://accounts.google.com", "aud": CLIENT, "sub": SUB, "email": EMAIL, "email_verified": true,
        "name": NAME, "iat": now, "exp": now + 3600,
    });
    Ok(signer.credential(&claims)?)
}
