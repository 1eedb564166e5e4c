//! Answers of authenticators to the options of a login. The first byte of an input is the type of the rest: client data
//! (`c`) or authenticator data (`d`), which the authenticator signs, or the JSON of an answer (`j`).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use shared::account::Account;
use shared::passkey::{Assertion, Attestation, RelyingParty, Started, new_user_handle};
use shared::store::{Backup, StoredPasskey};
use shared::system::random::SystemRandom;
use stand_ins::authenticator::{Algorithm, Asserting, Authenticator};
use webauthn_rp::AuthenticatedCredential;
use webauthn_rp::bin::Decode;
use webauthn_rp::request::auth::{AuthenticationVerificationOptions, DiscoverableAuthenticationServerState};
use webauthn_rp::request::register::UserHandle16;
use webauthn_rp::request::{AsciiDomain, RpId};
use webauthn_rp::response::auth::DiscoverableAuthentication16;
use webauthn_rp::response::register::{CompressedPubKey, DynamicState, StaticState};
use webauthn_rp::response::{self, AuthenticatorAttachment, CredentialId};

use crate::passkey::{CHALLENGE, HOST, ORIGIN, account, assert_client_data, challenge, relying_party, replaced};

/// The placeholders of the parts of a valid answer in its JSON, with their places there.
const PARTS: [(&str, &str); 5] = [
    ("<ID>", "/id"),
    ("<CLIENT-DATA>", "/response/clientDataJSON"),
    ("<DATA>", "/response/authenticatorData"),
    ("<SIGNATURE>", "/response/signature"),
    ("<USER>", "/response/userHandle"),
];
/// The flags of a user who is present and verified, without extensions and with them.
const FLAGS: [u8; 2] = [0x05, 0x85];
/// Bytes of the hash of the relying party, which is the start of authenticator data.
const HASH: usize = 32;
/// Bytes of authenticator data without extensions.
const LENGTH: usize = 37;
/// The counter that is stored.
const COUNTER: u32 = 1;

/// An accepted answer meets these requirements. The client data has the type of a login, the challenge and the origin,
/// and is not of an embedded page. The authenticator data has the hash of the relying party, the flags of a verified
/// user and a higher counter, which is stored. The JSON has each part of a valid answer in its place.
///
/// `serde_json` reads the client data and the JSON for this check. What it cannot read is not checked. Of all but the JSON,
/// `webauthn_rp` has to judge the same.
///
/// # Panics
/// Panics if the property does not hold.
pub fn holds(input: &[u8]) {
    let login = Login::start(Algorithm::EdDsa);
    let Some(credential) = login.answer(input) else { return };
    let verdict = login.verdict(&credential);
    if input.first() != Some(&b'j') {
        assert_eq!(verdict, login.verdict_of_library(&credential));
    }
    let Some((counter, backup)) = verdict else { return };
    assert_eq!(backup, Backup::NotEligible);
    match input.split_first() {
        Some((b'c', text)) => {
            assert_client_data(&login.client_data(text), "webauthn.get", &challenge(&login.started));
        }
        Some((b'd', data)) => data_holds(data, counter),
        Some((b'j', text)) => login.json_holds(text),
        _ => panic!("an input of no kind is accepted"),
    }
}

/// Whether an input is accepted.
#[must_use]
pub fn is_accepted(input: &[u8]) -> bool {
    let login = Login::start(Algorithm::EdDsa);
    login.answer(input).is_some_and(|credential| login.verdict(&credential).is_some())
}

fn data_holds(data: &[u8], counter: u32) {
    let flags = data[HASH];
    assert_eq!(&data[..HASH], digest(&SHA256, HOST.as_bytes()).as_ref());
    assert!(FLAGS.contains(&flags), "{flags:#x}");
    assert!((flags == FLAGS[0]) == (data.len() == LENGTH), "{data:?}");
    assert_eq!(data[HASH + 1..LENGTH], counter.to_be_bytes());
    assert!(counter > COUNTER);
}

/// What is told of an accepted answer: the counter, and whether the passkey is backed up.
pub type Verdict = Option<(u32, Backup)>;

/// A login with a passkey that was started.
pub struct Login {
    party: RelyingParty,
    /// The challenge, and what is stored with it.
    pub started: Started,
    /// The account of the passkey.
    pub account: Account,
    /// The passkey.
    pub passkey: StoredPasskey,
    /// Its authenticator.
    pub authenticator: Authenticator,
    /// A valid answer.
    pub sound: Asserting,
}

impl Login {
    /// Registers a passkey with a key of this kind, and starts a login.
    ///
    /// # Panics
    /// The registration is refused.
    #[must_use]
    pub fn start(algorithm: Algorithm) -> Self {
        let party = relying_party();
        let mut account = account();
        let mut authenticator = Authenticator::new(algorithm, ORIGIN);
        let options = party.start_registration(&account, &new_user_handle(&SystemRandom).unwrap(), &[], false).unwrap();
        let answer = authenticator.create(&public_key(&options)).json();
        let attestation = Attestation::read(&to_raw_value(&answer).unwrap()).unwrap();
        let new = party.verify_registration(&options.state, &attestation).unwrap();
        account.passkeys.insert(new.id());
        let passkey = StoredPasskey {
            id: new.id(),
            name: "Portátil".to_owned(),
            credential: new.credential,
            public_key: new.public_key,
            counter: new.counter,
            backup: new.backup,
            transports: new.transports,
            created_at: 0,
            last_used_at: None,
        };
        account.passkey_user = Some(new.user_handle);
        let started = party.start_login().unwrap();
        let sound = authenticator.get(&public_key(&started));
        Self { party, started, account, passkey, authenticator, sound }
    }

    /// The service's verdict.
    #[must_use]
    pub fn verdict(&self, credential: &RawValue) -> Verdict {
        let assertion = Assertion::read(credential)?;
        self.party.verify_login(&self.started.state, &assertion, &self.passkey, &self.account)
    }

    /// The verdict of `webauthn_rp`, which verifies the signature with other crates.
    ///
    /// # Panics
    /// The relying party has no domain.
    #[must_use]
    pub fn verdict_of_library(&self, credential: &RawValue) -> Verdict {
        let answer = DiscoverableAuthentication16::from_json_relaxed(credential.get().as_bytes()).ok()?;
        let state = DiscoverableAuthenticationServerState::decode(&self.started.state).ok()?;
        let handle: [u8; 16] = URL_SAFE_NO_PAD.decode(self.account.passkey_user.as_ref()?).ok()?.try_into().ok()?;
        let handle = UserHandle16::decode(handle).ok()?;
        let id = CredentialId::<&[u8]>::decode(&self.passkey.credential).ok()?;
        let key = StaticState::<CompressedPubKey<_, _, _, _>>::decode(&self.passkey.public_key).ok()?;
        let backup = match self.passkey.backup {
            Backup::NotEligible => response::Backup::NotEligible,
            Backup::Eligible => response::Backup::Eligible,
            Backup::Exists => response::Backup::Exists,
        };
        let authenticator_attachment = AuthenticatorAttachment::None;
        let sign_count = self.passkey.counter;
        let stored = DynamicState { user_verified: true, backup, sign_count, authenticator_attachment };
        let mut credential = AuthenticatedCredential::new(id, &handle, key, stored).ok()?;
        let options = AuthenticationVerificationOptions::<'_, '_, _, String> {
            allowed_origins: &[ORIGIN],
            error_on_unsolicited_extensions: false,
            ..Default::default()
        };
        let party = RpId::Domain(AsciiDomain::try_from(HOST.to_owned()).unwrap());
        state.verify(&party, &answer, &mut credential, &options).ok()?;
        let now = credential.dynamic_state();
        Some((now.sign_count, now.backup.into()))
    }

    /// The answer that an input stands for.
    fn answer(&self, input: &[u8]) -> Option<Box<RawValue>> {
        let (sound, client_data) = (&self.sound, self.sound.client_data.to_string());
        let signed = |data: &[u8], client_data: &[u8]| {
            to_raw_value(&self.authenticator.sign_bytes(sound, data, client_data)).ok()
        };
        match input.split_first()? {
            (b'c', text) => signed(&sound.data.bytes(), &self.client_data(text)),
            (b'd', data) => signed(data, client_data.as_bytes()),
            (b'j', text) => serde_json::from_slice(&self.json(text)).ok(),
            _ => None,
        }
    }

    fn client_data(&self, text: &[u8]) -> Vec<u8> {
        replaced(text, CHALLENGE.as_bytes(), challenge(&self.started).as_bytes())
    }

    fn json(&self, text: &[u8]) -> Vec<u8> {
        let sound = self.authenticator.sign(&self.sound);
        PARTS.iter().fold(text.to_vec(), |text, (part, place)| {
            replaced(&text, part.as_bytes(), sound.pointer(place).unwrap().as_str().unwrap().as_bytes())
        })
    }

    fn json_holds(&self, text: &[u8]) {
        let text = self.json(text);
        let Ok(read) = serde_json::from_slice::<Value>(&text) else { return };
        let sound = self.authenticator.sign(&self.sound);
        for (part, place) in PARTS {
            assert_eq!(read.pointer(place), sound.pointer(place), "{part} {read}");
        }
        // The library allows these two to be missing.
        assert!(read["type"].is_null() || read["type"] == "public-key", "{read}");
        assert!(read["rawId"].is_null() || read["rawId"] == sound["id"], "{read}");
    }
}

/// The options as the endpoints send them.
fn public_key(started: &Started) -> Value {
    let options: Value = serde_json::from_str(started.options.get()).unwrap();
    serde_json::json!({"publicKey": options})
}
