//! The answer of an authenticator, as a browser sends it: the JSON of `PublicKeyCredential.toJSON()`.
//!
//! Reading it verifies nothing. Only the members that decide are read: what browsers say about transports, attachment and
//! extensions are hints, and new browsers send new ones. A repeated member that is read is refused.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use webauthn_rp::response::auth::DiscoverableAuthentication;
use webauthn_rp::response::register::Registration;

use super::{attestation_object, name_of};

/// The transports that the library knows. `cable` is the former name of `hybrid`.
const TRANSPORTS: [(&str, &str); 7] = [
    ("ble", "ble"),
    ("cable", "hybrid"),
    ("hybrid", "hybrid"),
    ("internal", "internal"),
    ("nfc", "nfc"),
    ("smart-card", "smart-card"),
    ("usb", "usb"),
];

/// The answer to the options of a new passkey.
pub struct Attestation {
    pub(super) registration: Registration,
    /// How browsers reach the authenticator, as far as it is known.
    pub(super) transports: Vec<String>,
}

/// The answer to the options of a login.
pub struct Assertion(pub(super) DiscoverableAuthentication<16>);

/// The members of an answer that decide.
#[derive(Serialize, Deserialize)]
struct Credential<R> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, rename = "rawId", skip_serializing_if = "Option::is_none")]
    raw_id: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    response: R,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attested {
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    attestation_object: String,
    #[serde(default, skip_serializing)]
    transports: Value,
}

/// The library accepts `null` as the user handle, and panics when it verifies such an assertion.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asserted {
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    authenticator_data: String,
    signature: String,
    user_handle: String,
}

impl Attestation {
    /// Reads an answer; `None` if it cannot be one.
    #[must_use]
    pub fn read(credential: &RawValue) -> Option<Self> {
        let mut read: Credential<Attested> = serde_json::from_str(credential.get()).ok()?;
        let object = URL_SAFE_NO_PAD.decode(&read.response.attestation_object).ok()?;
        read.response.attestation_object = URL_SAFE_NO_PAD.encode(attestation_object::without_statement(&object)?);
        let registration = Registration::from_json_relaxed(&serde_json::to_vec(&read).ok()?).ok()?;
        Some(Self { registration, transports: transports(&read.response.transports) })
    }

    /// The name of the challenge that the answer is for; `None` if its client data cannot be read.
    #[must_use]
    pub fn challenge(&self) -> Option<String> {
        self.registration.challenge_relaxed().ok().map(name_of)
    }
}

impl Assertion {
    /// Reads an answer; `None` if it cannot be one.
    #[must_use]
    pub fn read(credential: &RawValue) -> Option<Self> {
        let read: Credential<Asserted> = serde_json::from_str(credential.get()).ok()?;
        if read.response.user_handle.is_empty() {
            return None;
        }
        DiscoverableAuthentication::from_json_relaxed(&serde_json::to_vec(&read).ok()?).ok().map(Self)
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

/// The known ones of the transports that a browser names, each once.
fn transports(named: &Value) -> Vec<String> {
    let named: Vec<&str> = named.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut known: Vec<_> =
        TRANSPORTS.iter().filter(|(name, _)| named.contains(name)).map(|(_, known)| (*known).to_owned()).collect();
    known.dedup();
    known
}
