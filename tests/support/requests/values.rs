//! The values that the bodies of requests contain.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use stand_ins::authenticator::Algorithm;

use super::{Request, paths};
use crate::{PASSWORD, Visitor};

/// A token in the right format.
pub(super) const EXAMPLE_TOKEN: &str = "t4mUxR1kPz0wYc7LhQe2Ng.3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A";
/// Header and claims of a credential.
const EXAMPLE_HEADER: &str = r#"{"alg":"RS256","kid":"example","typ":"JWT"}"#;
const EXAMPLE_CLAIMS: &str = concat!(
    r#"{"iss":"https://accounts.google.com","aud":"local-client","sub":"100000000000000000001","#,
    r#""email":"ana@example.com","email_verified":true,"name":"Ana Garc\u00eda","iat":1767225600,"exp":1767229200}"#,
);
/// Answers of a passkey in the right format, with invalid values.
const EXAMPLE_ATTESTATION: &str = concat!(
    r#"{"id":"AAAAAAAAAAAAAAAAAAAAAA","rawId":"AAAAAAAAAAAAAAAAAAAAAA","type":"public-key","clientExtensionResults":{},"#,
    r#""response":{"clientDataJSON":"e30","attestationObject":"oA"}}"#,
);
const EXAMPLE_ASSERTION: &str = concat!(
    r#"{"id":"AAAAAAAAAAAAAAAAAAAAAA","rawId":"AAAAAAAAAAAAAAAAAAAAAA","type":"public-key","clientExtensionResults":{},"#,
    r#""response":{"clientDataJSON":"e30","authenticatorData":"oA","signature":"oA","userHandle":"AAAAAAAAAAAAAAAAAAAAAA"}}"#,
);
/// The values that need no preparation, unless a test sets others.
const DEFAULTS: [(&str, &str); 4] =
    [("name", "Ana García"), ("new-name", "Nuevo"), ("password", PASSWORD), ("new-password", "Otra1234")];

/// The value that says that the account is linked to Google and has a passkey.
pub(super) const LINKED: &str = "linked";

/// Values by their names. In a body, each name is in braces.
#[derive(Debug, Clone, Default)]
pub struct Values(BTreeMap<&'static str, String>);

impl<const N: usize> From<[(&'static str, &str); N]> for Values {
    fn from(values: [(&'static str, &str); N]) -> Self {
        Self(values.into_iter().map(|(name, value)| (name, value.to_owned())).collect())
    }
}

impl Values {
    /// The values of sample events. The credential's signature is invalid.
    pub fn example() -> Self {
        let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let credential = format!("{}.{}.c2lnbmF0dXJl", encoded(EXAMPLE_HEADER), encoded(EXAMPLE_CLAIMS));
        Self::from([
            ("email", "ana@example.com"),
            ("name", "Ana García"),
            ("new-name", "Ana García"),
            ("password", "Secreto123"),
            ("new-password", "Secreto456"),
            ("token", EXAMPLE_TOKEN),
            ("verification", EXAMPLE_TOKEN),
            ("lock", EXAMPLE_TOKEN),
            ("change", EXAMPLE_TOKEN),
            ("new-email", "ana.nueva@example.com"),
            ("credential", &credential),
            ("attestation", EXAMPLE_ATTESTATION),
            ("assertion", EXAMPLE_ASSERTION),
            ("session", "AAAAAAAAAAAA"),
            ("passkey", "3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A"),
        ])
    }

    /// Sets a value.
    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.insert(name, value.into());
    }

    /// Removes a value.
    pub fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    /// A value; empty if it is not set.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The address, the passwords and what opens something. The ids of sessions and passkeys open nothing.
    pub fn personal(&self) -> impl Iterator<Item = String> {
        let is_public = |name: &str| name.ends_with("name") || matches!(name, "session" | "passkey");
        self.0.iter().filter(move |(name, _)| !is_public(name)).map(|(_, value)| value.clone())
    }

    /// The text with the values in place of their names.
    pub(super) fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// The value of a field. `None` if the field is optional and its value is not set.
    pub(super) fn field(&self, text: &str) -> Option<String> {
        match text.strip_prefix('{').and_then(|text| text.strip_suffix("?}")) {
            Some(name) => self.0.get(name).cloned(),
            None => Some(self.fill(text)),
        }
    }

    /// Adds the visitor's values that are not set. Tokens are requested, and credentials are signed, only if the body
    /// of the request needs them.
    pub(crate) async fn complete(&mut self, request: &Request, visitor: &mut Visitor) {
        for (name, value) in DEFAULTS.into_iter().chain([("email", &*visitor.email)]) {
            self.0.entry(name).or_insert_with(|| value.to_owned());
        }
        self.0.entry("new-email").or_insert_with(|| visitor.new_email());
        let is_missing = |values: &Self, name: &str| request.mentions(name) && !values.0.contains_key(name);
        if is_missing(self, "token") {
            self.set("token", visitor.reset_token().await);
        }
        if is_missing(self, "verification") {
            self.set("verification", visitor.verification_token().await);
        }
        if is_missing(self, "lock") {
            self.set("lock", visitor.lock_token().await);
        }
        if is_missing(self, "change") {
            let mut elsewhere = visitor.elsewhere();
            elsewhere.login(PASSWORD).await;
            self.set("change", elsewhere.change_token(&visitor.new_email()).await);
        }
        if is_missing(self, "credential") {
            self.set("credential", visitor.credential(json!({"sub": sub(visitor)})).await);
        }
        if is_missing(self, "attestation") {
            let mut authenticator = visitor.authenticator(Algorithm::Es256).await;
            let options = visitor.passkey_options().await;
            self.set("attestation", authenticator.create(&options).json().to_string());
        }
        if is_missing(self, "assertion") {
            // The passkey was created in another session.
            let mut elsewhere = visitor.elsewhere();
            elsewhere.login(PASSWORD).await;
            let mut authenticator = elsewhere.with_passkey().await;
            let options = visitor.passkey_login_options().await;
            let answer = authenticator.get(&options);
            self.set("assertion", authenticator.sign(&answer).to_string());
        }
        if is_missing(self, "session") {
            if visitor.other_sessions().await.is_empty() {
                visitor.elsewhere().login(PASSWORD).await;
            }
            self.set("session", visitor.other_sessions().await.remove(0));
        }
        if request.path == paths::UNLINK_GOOGLE && !self.0.contains_key(LINKED) {
            visitor.google(json!({"sub": sub(visitor)})).await;
            visitor.with_passkey().await;
        }
        if is_missing(self, "passkey") {
            visitor.with_passkey().await;
            self.set("passkey", visitor.first_passkey().await);
        }
    }
}

/// The subject of a visitor's identity, which stays the same when the address at the provider changes.
pub(super) fn sub(visitor: &Visitor) -> String {
    visitor.email.bytes().filter(u8::is_ascii_alphanumeric).map(char::from).collect()
}
