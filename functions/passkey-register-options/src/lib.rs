//! `POST /app/auth/passkeyRegisterOptions.php`: returns the options with which a browser creates a passkey.

use std::sync::Arc;

use shared::passkey::RelyingParty;
use shared::store::{PasskeyChallenges, Passkeys, Purpose};
use shared::system::random::Random;
use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Proved};

/// The endpoint.
pub struct PasskeyRegisterOptions {
    challenges: PasskeyChallenges,
    passkeys: Passkeys,
    random: Arc<dyn Random>,
    relying_party: Option<RelyingParty>,
}

impl Endpoint for PasskeyRegisterOptions {
    const NAME: &'static str = "passkey-register-options";
    type Caller = Proved;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self {
            challenges: PasskeyChallenges::new(setup),
            passkeys: Passkeys::new(setup),
            random: setup.random(),
            relying_party: RelyingParty::new(setup),
        }
    }

    async fn answer(&self, call: Call<Proved, NoBody>) -> Result<Reply, Problem> {
        let relying_party = self.relying_party.as_ref().ok_or(Problem::InvalidParameters)?;
        let session = call.caller.session;
        let account = &session.account;
        // Most accounts have no passkeys, and need no call.
        let existing = if account.passkeys.is_empty() { Vec::new() } else { self.passkeys.list(account).await? };
        let started = relying_party.start_registration(account, &existing, self.random.as_ref())?;
        self.challenges.issue(&started.challenge, &started.state, Purpose::Registration(account, &session.token)).await?;
        Ok(Reply::plain_success().with("publicKey", &started.options)?)
    }
}
