//! Passkeys (WebAuthn, Level 3): their challenges, and the verification of their answers.
//!
//! The library `webauthn_rp` makes the options, parses all answers, and verifies those of registrations. It keeps no
//! state: what it needs to verify an answer is stored with the challenge, and the key and the counter with the passkey.
//! The library uses the system's clock and random numbers. The service also checks with its own clock that a challenge
//! is less than five minutes old.

mod answer;
mod attestation_object;
mod login;
mod relying_party;
mod signature;

pub use answer::{Assertion, Attestation};
pub use relying_party::RelyingParty;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::DiscoverableCredentialRequestOptions;
use webauthn_rp::request::register::{
    CoseAlgorithmIdentifier, CoseAlgorithmIdentifiers, CredProtect, Nickname, PublicKeyCredentialCreationOptions,
    PublicKeyCredentialUserEntity, RegistrationServerState, RegistrationVerificationOptions, UserHandle16, Username,
};
use webauthn_rp::request::{
    CredentialMediationRequirement, PublicKeyCredentialDescriptor, TimedCeremony, UserVerificationRequirement,
};
use webauthn_rp::response;
use webauthn_rp::response::register::UncompressedPubKey;
use webauthn_rp::response::{CredentialId, SentChallenge};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::store::{Backup, NewPasskey, StoredPasskey};
use crate::system::random::{self, Random};
use crate::{Account, Fault};

/// The longest modulus of an RSA key: 4,096 bits, in bytes. A longer one only makes each verification slower.
const RSA_BYTES_MAX: usize = 512;
/// The operation in faults.
const OPERATION: &str = "passkey.options";

/// A challenge that has to be stored before its options are sent.
pub struct Started {
    /// The member `publicKey` of the answer, as browsers parse it.
    pub options: Box<RawValue>,
    /// The challenge in hexadecimal. It names the challenge's item in the table.
    pub challenge: String,
    /// What the library needs to verify an answer.
    pub state: Vec<u8>,
}

impl RelyingParty {
    /// The options of a new passkey of an account with this user handle ([`new_user_handle`]). A silent creation asks nobody,
    /// so the answer to its options, and to no others, may come without a user who is present and verified.
    ///
    /// # Errors
    /// The user handle is broken, or the options cannot be written.
    pub fn start_registration(
        &self,
        account: &Account,
        handle: &str,
        existing: &[StoredPasskey],
        is_silent: bool,
    ) -> Result<Started, Fault> {
        let handle = user_handle(handle).ok_or_else(|| Fault::new("table.row", "broken"))?;
        let user = PublicKeyCredentialUserEntity {
            name: Username::try_from(account.email.as_str()).map_err(|_| unusable())?,
            id: &handle,
            // A name that RFC 8266 does not allow is left out. Browsers then show only the address.
            display_name: Nickname::try_from(account.name.as_str()).ok(),
        };
        let excluded = existing.iter().filter_map(descriptor).collect();
        let mut options = PublicKeyCredentialCreationOptions::passkey(&self.id, user, excluded);
        options.pub_key_cred_params = CoseAlgorithmIdentifiers::ALL.remove(CoseAlgorithmIdentifier::Es384);
        // Requiring the extension would exclude authenticators without it, such as most platform authenticators.
        options.extensions.cred_protect = CredProtect::None;
        if is_silent {
            options.mediation = CredentialMediationRequirement::Conditional;
            // With "required", a browser that cannot verify anybody without a question refuses (WebAuthn, 5.1.3).
            options.authenticator_selection.user_verification = UserVerificationRequirement::Preferred;
        }
        let (server, client) = options.start_ceremony().map_err(|_| unusable())?;
        let state = server.encode().map_err(|_| unusable())?;
        started(&client, server.sent_challenge(), state)
    }

    /// The options of a login. Only the challenge differs between callers.
    ///
    /// # Errors
    /// The options cannot be written.
    pub fn start_login(&self) -> Result<Started, Fault> {
        let options = DiscoverableCredentialRequestOptions::passkey(&self.id);
        let (server, client) = options.start_ceremony().map_err(|_| unusable())?;
        let state = server.encode().map_err(|_| unusable())?;
        started(&client, server.sent_challenge(), state)
    }

    /// The passkey of a registration; `None` if the answer is not valid. `state` was stored with the challenge.
    #[must_use]
    pub fn verify_registration(&self, state: &[u8], attestation: &Attestation) -> Option<NewPasskey> {
        let state = RegistrationServerState::<16>::decode(state).ok()?;
        let options = RegistrationVerificationOptions::<'_, '_, String, String> {
            allowed_origins: &self.origins,
            // Some authenticators answer extensions that were not requested. No extension changes what is stored.
            error_on_unsolicited_extensions: false,
            ..Default::default()
        };
        let registered = state.verify(&self.id, &attestation.registration, &options).ok()?;
        let (id, _, handle, key, dynamic, _) = registered.into_parts();
        if matches!(&key.credential_public_key, UncompressedPubKey::Rsa(key) if key.n().len() > RSA_BYTES_MAX) {
            return None;
        }
        Some(NewPasskey {
            credential: id.as_ref().to_vec(),
            public_key: key.encode().ok()?,
            user_handle: URL_SAFE_NO_PAD.encode(handle.as_ref()),
            counter: dynamic.sign_count,
            backup: dynamic.backup.into(),
            transports: attestation.transports.clone(),
        })
    }
}

/// A new user handle, under which authenticators keep an account: 128 random bits.
///
/// # Errors
/// The random number generator failed.
pub fn new_user_handle(random: &dyn Random) -> Result<String, Fault> {
    Ok(URL_SAFE_NO_PAD.encode(random::bytes::<16>(random)?))
}

fn started(client: &impl Serialize, challenge: SentChallenge, state: Vec<u8>) -> Result<Started, Fault> {
    let options = to_raw_value(client).map_err(|_| unusable())?;
    Ok(Started { options, challenge: name_of(challenge), state })
}

/// The name of a challenge: its 128 bits in hexadecimal.
fn name_of(challenge: SentChallenge) -> String {
    format!("{:032x}", challenge.0)
}

fn user_handle(text: &str) -> Option<UserHandle16> {
    let bytes: [u8; 16] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    UserHandle16::decode(bytes).ok()
}

fn descriptor(passkey: &StoredPasskey) -> Option<PublicKeyCredentialDescriptor<Vec<u8>>> {
    let transports = serde_json::to_value(&passkey.transports).ok()?;
    Some(PublicKeyCredentialDescriptor {
        id: CredentialId::<Vec<u8>>::decode(passkey.credential.clone()).ok()?,
        transports: serde_json::from_value(transports).ok()?,
    })
}

fn unusable() -> Fault {
    Fault::new(OPERATION, "unusable")
}

impl From<response::Backup> for Backup {
    fn from(backup: response::Backup) -> Self {
        match backup {
            response::Backup::NotEligible => Self::NotEligible,
            response::Backup::Eligible => Self::Eligible,
            response::Backup::Exists => Self::Exists,
        }
    }
}
