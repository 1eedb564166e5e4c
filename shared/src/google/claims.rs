//! The claims of a credential, and their verification.

use serde::Deserialize;

use crate::store::Identity;
use crate::system::clock::Timestamp;
use crate::{Email, FullName};

/// Google's values of `iss`.
const ISSUERS: [&str; 2] = ["accounts.google.com", "https://accounts.google.com"];
/// The allowed difference between the provider's clock and ours: a minute, in seconds.
const LEEWAY: u64 = 60;
/// The longest `sub`, in characters (`OpenID` Connect Core 1.0, 2).
const SUB_MAX: usize = 255;

/// The claims, each with its only valid type. A claim of another type makes the credential invalid. (The library would
/// ignore an `iss` or `aud` of another type.)
#[derive(Deserialize)]
pub(super) struct Claims {
    iss: String,
    aud: String,
    sub: String,
    email: String,
    email_verified: bool,
    exp: u64,
    iat: u64,
    #[serde(default)]
    nbf: Option<u64>,
    #[serde(default)]
    name: Option<String>,
}

impl Claims {
    /// The identity in the claims; `None` when the claims are not valid.
    pub(super) fn identity(self, client_ids: &[String], now: Timestamp) -> Option<Identity> {
        let now = now.seconds();
        let is_valid = ISSUERS.contains(&self.iss.as_str())
            && client_ids.contains(&self.aud)
            && now < self.exp.saturating_add(LEEWAY)
            && self.iat <= now.saturating_add(LEEWAY)
            && self.nbf.is_none_or(|nbf| nbf <= now.saturating_add(LEEWAY))
            && (1..=SUB_MAX).contains(&self.sub.len())
            && self.sub.bytes().all(|byte| byte.is_ascii_graphic())
            && self.email_verified;
        if !is_valid {
            return None;
        }
        let email = Email::parse(&self.email).ok()?;
        let name = FullName::nearest(&self.name.unwrap_or_default(), email.local_part());
        Some(Identity { sub: self.sub, email, name })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn is_accepted(name: &str, value: Value) -> bool {
        let mut claims = json!({
            "iss": "https://accounts.google.com", "aud": "client", "sub": "110", "email": "ana@example.com",
            "email_verified": true, "exp": NOW + 3600, "iat": NOW, "name": "Ana",
        });
        if value == json!("absent") {
            claims.as_object_mut().unwrap().remove(name);
        } else {
            claims[name] = value;
        }
        let Ok(claims) = serde_json::from_value::<Claims>(claims) else { return false };
        claims.identity(&["client".to_owned(), "other".to_owned()], Timestamp::from_milliseconds(NOW * 1000)).is_some()
    }

    #[test]
    fn a_claim_within_its_limits_is_accepted() {
        for (name, value) in [
            ("iss", json!("accounts.google.com")),
            ("aud", json!("other")),
            ("exp", json!(NOW - 59)),
            ("iat", json!(NOW + 60)),
            ("nbf", json!(NOW + 60)),
            ("name", json!("absent")),
            ("hd", json!("example.com")),
        ] {
            assert!(is_accepted(name, value.clone()), "{name} {value}");
        }
    }

    #[test]
    fn a_claim_that_is_missing_wrong_or_of_another_type_is_refused() {
        for name in ["iss", "aud", "sub", "email", "email_verified", "exp", "iat"] {
            assert!(!is_accepted(name, json!("absent")), "{name}");
            assert!(!is_accepted(name, Value::Null), "{name}");
            assert!(!is_accepted(name, json!([])), "{name}");
        }
        for (name, value) in [
            ("iss", json!("https://accounts.google.com.evil.example")),
            ("iss", json!(["https://accounts.google.com"])),
            ("aud", json!(["client"])),
            ("aud", json!("Client")),
            ("exp", json!(NOW - 60)),
            ("exp", json!("2030-01-01")),
            ("exp", json!(-1)),
            ("iat", json!(NOW + 61)),
            ("nbf", json!(NOW + 61)),
            ("sub", json!("")),
            ("sub", json!("a b")),
            ("sub", json!("x".repeat(256))),
            ("email", json!("ana")),
            ("email_verified", json!("true")),
            ("email_verified", json!(false)),
            ("email_verified", json!(1)),
        ] {
            assert!(!is_accepted(name, value.clone()), "{name} {value}");
        }
    }
}
