//! The verification of an answer to the options of a login (WebAuthn, Level 3, 7.2).

use std::time::SystemTime;

use sha2::{Digest, Sha256};
use webauthn_rp::bin::Decode;
use webauthn_rp::request::TimedCeremony;
use webauthn_rp::request::auth::DiscoverableAuthenticationServerState;
use webauthn_rp::response::CollectedClientData;
use webauthn_rp::response::auth::{AuthenticatorData, HmacSecret};
use webauthn_rp::response::register::StaticState;

use super::signature::{self, StoredKey};
use super::{Assertion, RelyingParty, user_handle};
use crate::Account;
use crate::store::{Backup, StoredPasskey};

impl RelyingParty {
    /// The counter of an assertion, and whether its passkey is backed up now; `None` if the assertion is not valid for
    /// this passkey of this account. `state` was stored with the challenge.
    ///
    /// The library parses each part. It refuses client data of another type, authenticator data without a user who is
    /// present, reserved flags, and a backup of what cannot be backed up.
    #[must_use]
    pub fn verify_login(
        &self,
        state: &[u8],
        assertion: &Assertion,
        passkey: &StoredPasskey,
        account: &Account,
    ) -> Option<(u32, Backup)> {
        let state = DiscoverableAuthenticationServerState::decode(state).ok()?;
        let owner = user_handle(account.passkey_user.as_deref()?)?;
        let stored = StaticState::<StoredKey>::decode(&passkey.public_key).ok()?;
        let response = assertion.0.response();
        let (client_data, data) = (response.client_data_json(), response.authenticator_data());
        let client = CollectedClientData::from_client_data_json_relaxed::<false>(client_data).ok()?;
        let authenticator = AuthenticatorData::try_from(data).ok()?;
        let (counter, backup) = (authenticator.sign_count(), authenticator.flags().backup.into());

        let is_in_time = is_in_time(&state);
        let is_of_passkey = *response.user_handle() == owner && assertion.credential() == passkey.credential;
        let is_answer = client.challenge == state.sent_challenge();
        let is_from_origin = self.origins.iter().any(|origin| client.origin == *origin);
        let is_embedded = client.cross_origin || client.top_origin.is_some();
        let is_for_party = authenticator.rp_id_hash() == Sha256::digest(self.id.as_ref()).as_slice();
        let is_verified = authenticator.flags().user_verified;
        let has_same_eligibility = (backup == Backup::NotEligible) == (passkey.backup == Backup::NotEligible);
        // A passkey that cannot have a secret for the extension `prf` does not answer with one.
        let has_own_extensions = matches!(authenticator.extensions().hmac_secret, HmacSecret::None)
            || stored.extensions.hmac_secret == Some(true);
        let is_later = passkey.counter == 0 || counter > passkey.counter;
        let is_valid = is_in_time
            && is_of_passkey
            && is_answer
            && is_from_origin
            && !is_embedded
            && is_for_party
            && is_verified
            && has_same_eligibility
            && has_own_extensions
            && is_later;
        let message = [data, Sha256::digest(client_data).as_slice()].concat();
        let is_signed = || signature::is_valid(&stored.credential_public_key, &message, response.signature());
        (is_valid && is_signed()).then_some((counter, backup))
    }
}

#[expect(clippy::disallowed_methods, reason = "the library has set the end by the system's clock")]
fn is_in_time(state: &impl TimedCeremony) -> bool {
    SystemTime::now() <= state.expiration()
}
