//! `POST /app/auth/passkeyLogin.php`: opens a session for the signature of a passkey.

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::account::avatar::Avatars;
use shared::log::audit::{Event, LoginFailure, Method};
use shared::passkey::{Assertion, RelyingParty};
use shared::store::{Answered, Passkeys, again};
use shared::{Call, Endpoint, Fault, Json, Problem, Public, Reply, Setup, success};

/// The maximum number of attempts if other calls change the account or the passkey at the same time.
const ROUNDS: usize = 4;

/// The endpoint.
pub struct PasskeyLogin {
    avatars: Avatars,
    passkeys: Passkeys,
    relying_party: Option<RelyingParty>,
}

/// The body.
#[derive(Deserialize)]
pub struct LoginDocument {
    credential: Box<RawValue>,
}

/// A refusal, its reason, and the account and the passkey's id, if they are known. The client gets only the first.
type Failure = (Problem, LoginFailure, Option<(u64, String)>);

impl Endpoint for PasskeyLogin {
    const NAME: &'static str = "passkey-login";
    type Caller = Public;
    type Body = Json<LoginDocument>;

    fn new(setup: &Setup) -> Self {
        Self {
            avatars: Avatars::new(setup.settings()),
            passkeys: Passkeys::new(setup),
            relying_party: RelyingParty::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Json<LoginDocument>>) -> Result<Reply, Problem> {
        let relying_party = self.relying_party.as_ref().ok_or(Problem::InvalidParameters)?;
        let Json(document) = &call.body;
        let call = &call;
        again(ROUNDS, "passkey-login", move || async move {
            match self.once(relying_party, &document.credential, call).await? {
                Ok(reply) => Ok(reply),
                Err((problem, failure, known)) => {
                    let (account, passkey) = known.unzip();
                    call.audit.clone().of_passkey(passkey).record(Event::LoginFailed(failure), account);
                    Err(problem)
                }
            }
        })
        .await
    }
}

impl PasskeyLogin {
    /// Makes one attempt. Returns `Ok(None)` if another call used the challenge or changed the account in the meantime; the
    /// next attempt finds out which.
    async fn once(
        &self,
        relying_party: &RelyingParty,
        credential: &RawValue,
        call: &Call<Public, Json<LoginDocument>>,
    ) -> Result<Result<Option<Reply>, Failure>, Fault> {
        const REFUSED: Failure = (Problem::InvalidPasskey, LoginFailure::InvalidPasskey, None);
        let Some(assertion) = Assertion::read(credential) else { return Ok(Err(REFUSED)) };
        let Some(challenge) = assertion.challenge() else { return Ok(Err(REFUSED)) };
        let candidate = match self.passkeys.candidate(&challenge, assertion.credential()).await? {
            Answered::By(candidate) => candidate,
            Answered::Refused => return Ok(Err(REFUSED)),
            Answered::Unknown => return Ok(Err((Problem::UnknownPasskey, LoginFailure::InvalidPasskey, None))),
        };
        let account = candidate.partition.account();
        let passkey = &candidate.passkey.id;
        let refused = |failure| (Problem::InvalidPasskey, failure, Some((account.id, passkey.clone())));
        let Some(counter_and_backup) =
            relying_party.verify_login(&candidate.state, &assertion, &candidate.passkey, account)
        else {
            return Ok(Err(refused(LoginFailure::InvalidPasskey)));
        };
        if account.is_disabled() {
            return Ok(Err(refused(LoginFailure::AccountDisabled)));
        }
        let Some(opened) =
            self.passkeys.open(&challenge, &candidate, counter_and_backup, call.client.browser()).await?
        else {
            return Ok(Ok(None));
        };
        let audit = call.audit.clone().of_session(opened.token.session_id()).of_passkey(passkey.clone());
        audit.record(Event::LoginSucceeded(Method::Passkey), account.id);
        Ok(Ok(Some(Reply::success(success::LOGIN).user(account, &self.avatars)?.opened(opened))))
    }
}
