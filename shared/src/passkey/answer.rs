//! The answer of an authenticator, as a browser sends it: the JSON of `PublicKeyCredential.toJSON()`.
//!
//! Reading it verifies nothing. Unknown members are ignored, and a repeated member is refused.

use serde::Deserialize;
use serde_json::value::RawValue;
use webauthn_rp::response::auth::DiscoverableAuthentication;
use webauthn_rp::response::register::Registration;

use super::name_of;

/// The answer to the options of a new passkey.
pub struct Attestation(pub(super) Registration);

/// The answer to the options of a login.
pub struct Assertion(pub(super) DiscoverableAuthentication<16>);

/// The member `response.userHandle`, which an assertion must have. The library accepts `null` there, and panics when it
/// verifies such an assertion.
#[derive(Deserialize)]
struct WithHandle {
    response: Handle,
}

#[derive(Deserialize)]
struct Handle {
    #[serde(rename = "userHandle")]
    user_handle: String,
}

impl Attestation {
    /// Reads an answer; `None` if it cannot be one.
    #[must_use]
    pub fn read(credential: &RawValue) -> Option<Self> {
        Registration::from_json_relaxed(credential.get().as_bytes()).ok().map(Self)
    }

    /// The name of the challenge that the answer is for; `None` if its client data cannot be read.
    #[must_use]
    pub fn challenge(&self) -> Option<String> {
        self.0.challenge_relaxed().ok().map(name_of)
    }
}

impl Assertion {
    /// Reads an answer; `None` if it cannot be one.
    #[must_use]
    pub fn read(credential: &RawValue) -> Option<Self> {
        let with_handle: WithHandle = serde_json::from_str(credential.get()).ok()?;
        if with_handle.response.user_handle.is_empty() {
            return None;
        }
        DiscoverableAuthentication::from_json_relaxed(credential.get().as_bytes()).ok().map(Self)
    }

    /// The name of the challenge that the answer is for; `None` if its client data cannot be read.
    #[must_use]
    pub fn challenge(&self) -> Option<String> {
        self.0.challenge_relaxed().ok().map(name_of)
    }

    /// The id of the credential that signed it, if it is valid.
    #[must_use]
    pub fn credential(&self) -> &[u8] {
        self.0.raw_id().into_inner()
    }
}
