//! `POST /app/auth/passkeyRegisterOptions.php`: returns the options with which a browser creates a passkey.

use std::sync::Arc;

use serde::Deserialize;
use shared::passkey::{RelyingParty, new_user_handle};
use shared::store::{PasskeyChallenges, Passkeys, Purpose};
use shared::system::random::Random;
use shared::{Call, Endpoint, Form, Problem, Proved, Reply, Setup, checkbox};

/// The endpoint.
pub struct PasskeyRegisterOptions {
    challenges: PasskeyChallenges,
    passkeys: Passkeys,
    random: Arc<dyn Random>,
    relying_party: Option<RelyingParty>,
}

/// The form.
#[derive(Deserialize)]
pub struct OptionsForm {
    silent: String,
}

impl Endpoint for PasskeyRegisterOptions {
    const NAME: &'static str = "passkey-register-options";
    type Caller = Proved;
    type Body = Form<OptionsForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            challenges: PasskeyChallenges::new(setup),
            passkeys: Passkeys::new(setup),
            random: setup.random(),
            relying_party: RelyingParty::new(setup),
        }
    }

    async fn answer(&self, call: Call<Proved, Form<OptionsForm>>) -> Result<Reply, Problem> {
        let relying_party = self.relying_party.as_ref().ok_or(Problem::InvalidParameters)?;
        let is_silent = checkbox(&call.body.0.silent)?;
        let session = call.caller.session;
        let account = &session.account;
        // Most accounts have no passkeys, and need no call.
        let existing = if account.passkeys.is_empty() { Vec::new() } else { self.passkeys.list(account).await? };
        let handle = self.passkeys.user_handle(account, new_user_handle(self.random.as_ref())?).await?;
        let handle = handle.ok_or(Problem::NoSession)?;
        let started = relying_party.start_registration(account, &handle, &existing, is_silent)?;
        self.challenges
            .issue(&started.challenge, &started.state, Purpose::Registration(account, &session.token))
            .await?;
        // A page of another origin would leave a passkey on the device that the service refuses.
        Ok(Reply::plain_success().with("publicKey", &started.options)?.with("origins", &relying_party.origins())?)
    }
}
