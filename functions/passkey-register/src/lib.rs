//! `POST /app/auth/passkeyRegister.php`: stores a passkey that the caller's browser has created.

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::log::audit::Event;
use shared::passkey::{Attestation, RelyingParty};
use shared::store::{Created, PasskeyChallenges, Passkeys, Purpose};
use shared::{BrowserName, Call, Endpoint, FullName, Json, Problem, Proved, Reply, Setup, success};

/// The endpoint.
pub struct PasskeyRegister {
    challenges: PasskeyChallenges,
    passkeys: Passkeys,
    relying_party: Option<RelyingParty>,
}

/// The body.
#[derive(Deserialize)]
pub struct RegisterDocument {
    credential: Box<RawValue>,
    /// Without it the passkey is named after the browser.
    name: Option<String>,
}

impl Endpoint for PasskeyRegister {
    const NAME: &'static str = "passkey-register";
    type Caller = Proved;
    type Body = Json<RegisterDocument>;

    fn new(setup: &Setup) -> Self {
        Self {
            challenges: PasskeyChallenges::new(setup),
            passkeys: Passkeys::new(setup),
            relying_party: RelyingParty::new(setup),
        }
    }

    async fn answer(&self, call: Call<Proved, Json<RegisterDocument>>) -> Result<Reply, Problem> {
        let (audit, id) = (call.audit.clone(), call.caller.session.account.id);
        let created = self.create(call).await;
        if let Err(Problem::TooManyPasskeys | Problem::PasskeyRefused) = &created {
            audit.record(Event::PasskeyCreationFailed, id);
        }
        created
    }
}

impl PasskeyRegister {
    async fn create(&self, call: Call<Proved, Json<RegisterDocument>>) -> Result<Reply, Problem> {
        let relying_party = self.relying_party.as_ref().ok_or(Problem::InvalidParameters)?;
        let (Json(document), session) = (call.body, call.caller.session);
        let user_agent = call.client.user_agent.as_deref();
        let browser = BrowserName::of(user_agent);
        // The name of a passkey follows the same rules as the name of a user.
        let name = FullName::parse(document.name.as_deref().unwrap_or(browser.as_str()))?;
        let attestation = Attestation::read(&document.credential).ok_or(Problem::PasskeyRefused)?;
        let challenge = attestation.challenge().ok_or(Problem::PasskeyRefused)?;
        let state = self.challenges.state(&challenge, Purpose::Registration(&session.account, &session.token)).await?;
        let state = state.ok_or(Problem::PasskeyRefused)?;
        let new = relying_party.verify_registration(&state, &attestation).ok_or(Problem::PasskeyRefused)?;
        match self.passkeys.create(&session, &challenge, &new, &name, user_agent).await? {
            Created::Stored => {
                call.audit.of_passkey(new.id()).record(Event::PasskeyCreated, session.account.id);
                Ok(Reply::success(success::PASSKEY_CREATED))
            }
            Created::TooMany => Err(Problem::TooManyPasskeys),
            Created::Refused => Err(Problem::PasskeyRefused),
            Created::NoSession => Err(Problem::NoSession),
        }
    }
}
