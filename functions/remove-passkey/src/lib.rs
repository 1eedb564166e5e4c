//! `POST /app/auth/removePasskey.php`: removes a passkey of the caller's account.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::{Passkeys, Removed};
use shared::{Call, Endpoint, Form, Problem, Reply, Setup, Signed, success};

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
    type Caller = Signed;
    type Body = Form<RemoveForm>;

    fn new(setup: &Setup) -> Self {
        Self { passkeys: Passkeys::new(setup) }
    }

    async fn answer(&self, call: Call<Signed, Form<RemoveForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let account = call.caller.session.account;
        match self.passkeys.remove(&account, &form.id, call.client.user_agent.as_deref()).await? {
            Removed::Done => {
                call.audit.record(Event::PasskeyRemoved, account.id);
                Ok(Reply::success(success::PASSKEY_REMOVED))
            }
            Removed::Unknown => Err(Problem::InvalidParameters),
            Removed::NoSession => Err(Problem::NoSession),
        }
    }
}
