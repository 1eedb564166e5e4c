//! The values of a visitor that the bodies of calls contain.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use stand_ins::authenticator::Algorithm;

use super::{Body, Endpoint};
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

/// A visitor's values for a body.
pub struct Own {
    email: String,
    password: String,
    token: String,
    verification: String,
    credential: String,
    attestation: String,
    assertion: String,
    passkey: String,
}

impl Own {
    /// The values of sample events. The credential's signature is invalid.
    #[must_use]
    pub fn example() -> Self {
        Self {
            email: "ana@example.com".to_owned(),
            password: "Secreto123".to_owned(),
            token: EXAMPLE_TOKEN.to_owned(),
            verification: EXAMPLE_TOKEN.to_owned(),
            credential: format!("{}.{}.c2lnbmF0dXJl", encoded(EXAMPLE_HEADER), encoded(EXAMPLE_CLAIMS)),
            attestation: EXAMPLE_ATTESTATION.to_owned(),
            assertion: EXAMPLE_ASSERTION.to_owned(),
            passkey: "3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A".to_owned(),
        }
    }

    /// The values that are not empty.
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        let links = [&self.token, &self.verification];
        let others = [&self.email, &self.password, &self.credential, &self.attestation, &self.assertion, &self.passkey];
        links.into_iter().chain(others).filter(|value| !value.is_empty()).cloned().collect()
    }

    /// The text with this visitor's values.
    pub(super) fn fill<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains('{') {
            return text.into();
        }
        let text = text.replace("{email}", &self.email).replace("{password}", &self.password);
        let text = text.replace("{token}", &self.token).replace("{verification}", &self.verification);
        let text = text.replace("{credential}", &self.credential).replace("{passkey}", &self.passkey);
        text.replace("{attestation}", &self.attestation).replace("{assertion}", &self.assertion).into()
    }
}

impl Endpoint {
    fn mentions(&self, own: &str) -> bool {
        match &self.body {
            Body::Nothing => false,
            Body::Form(fields) | Body::ProviderPage(fields) => fields.iter().any(|(_, value)| value.contains(own)),
            Body::Json(text) => text.contains(own),
        }
    }

    /// The visitor's values for the call. Tokens are requested, and credentials are signed, only if the body needs
    /// them.
    pub async fn own(&self, visitor: &mut Visitor) -> Own {
        let attestation = if self.mentions("{attestation}") { attestation(visitor).await } else { String::new() };
        let assertion = if self.mentions("{assertion}") { assertion(visitor).await } else { String::new() };
        let passkey = if self.mentions("{passkey}") { passkey(visitor).await } else { String::new() };
        Own {
            attestation,
            assertion,
            passkey,
            token: if self.mentions("{token}") { visitor.reset_token().await } else { String::new() },
            verification: if self.mentions("{verification}") {
                visitor.verification_token().await
            } else {
                String::new()
            },
            credential: if self.mentions("{credential}") { visitor.credential(json!({})).await } else { String::new() },
            email: visitor.email.clone(),
            password: PASSWORD.to_owned(),
        }
    }
}

/// An answer to the options of a new passkey.
async fn attestation(visitor: &mut Visitor) -> String {
    let mut authenticator = visitor.authenticator(Algorithm::Es256).await;
    let options = visitor.passkey_options().await;
    authenticator.create(&options).json().to_string()
}

/// An answer to the options of a login, with a passkey that was created in another session.
async fn assertion(visitor: &mut Visitor) -> String {
    let mut elsewhere = visitor.elsewhere();
    elsewhere.login(PASSWORD).await;
    let mut authenticator = elsewhere.with_passkey().await;
    let options = visitor.passkey_login_options().await;
    let answer = authenticator.get(&options);
    authenticator.sign(&answer).to_string()
}

/// The id of a new passkey.
async fn passkey(visitor: &mut Visitor) -> String {
    visitor.with_passkey().await;
    visitor.first_passkey().await
}

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}
