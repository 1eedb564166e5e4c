//! `POST /app/auth/passkeyLoginOptions.php`: returns the options with which a browser logs in with a passkey. They
//! are the same for everybody, except for the challenge.

use shared::passkey::RelyingParty;
use shared::store::{PasskeyChallenges, Purpose};
use shared::{Call, Endpoint, NoBody, Problem, Public, Reply, Setup};

/// The endpoint.
pub struct PasskeyLoginOptions {
    challenges: PasskeyChallenges,
    relying_party: Option<RelyingParty>,
}

impl Endpoint for PasskeyLoginOptions {
    const NAME: &'static str = "passkey-login-options";
    type Caller = Public;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { challenges: PasskeyChallenges::new(setup), relying_party: RelyingParty::new(setup) }
    }

    async fn answer(&self, _: Call<Public, NoBody>) -> Result<Reply, Problem> {
        let relying_party = self.relying_party.as_ref().ok_or(Problem::InvalidParameters)?;
        let started = relying_party.start_login()?;
        self.challenges.issue(&started.challenge, &started.state, Purpose::Login).await?;
        Ok(Reply::plain_success().with("publicKey", &started.options)?)
    }
}
