//! `POST /app/auth/removePasskey.php`: removes a passkey of the caller's account. It ends all sessions, also those that the
//! passkey opened, and opens a new one for the caller.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::{Passkeys, Removed};
use shared::{Call, Endpoint, Form, Problem, Proved, Reply, Setup, success};

/// The endpoint.
pub struct RemovePasskey {
    passkeys: Passkeys,
}

/// The form.
#[derive(Deserialize)]
pub struct RemoveForm {
    id: String,
}

impl Endpoint for RemovePasskey {
    const NAME: &'static str = "remove-passkey";
    type Caller = Proved;
    type Body = Form<RemoveForm>;

    fn new(setup: &Setup) -> Self {
        Self { passkeys: Passkeys::new(setup) }
    }

    async fn answer(&self, call: Call<Proved, Form<RemoveForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let session = call.caller.session;
        match self.passkeys.remove(&session, &form.id, call.client.user_agent.as_deref()).await? {
            Removed::Done(token) => {
                let audit = call.audit.of_passkey(form.id).about_session(token.session_id());
                audit.record(Event::PasskeyRemoved, session.account.id);
                Ok(Reply::success(success::PASSKEY_REMOVED).opening(token))
            }
            Removed::Unknown => {
                call.audit.record(Event::PasskeyRemovalFailed, session.account.id);
                Err(Problem::InvalidParameters)
            }
            Removed::NoSession => Err(Problem::NoSession),
        }
    }
}
