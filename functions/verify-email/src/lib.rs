//! `POST /app/auth/verifyEmail.php`: verifies the address of an account with the token of a link. It opens no session.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::{Sessions, Verifications};
use shared::{Call, Endpoint, Form, Problem, Public, Reply, Setup, Token, success};
use zeroize::Zeroizing;

/// The endpoint.
pub struct VerifyEmail {
    sessions: Sessions,
    verifications: Verifications,
}

/// The form.
#[derive(Deserialize)]
pub struct VerificationForm {
    token: Zeroizing<String>,
}

impl Endpoint for VerifyEmail {
    const NAME: &'static str = "verify-email";
    type Caller = Public;
    type Body = Form<VerificationForm>;

    fn new(setup: &Setup) -> Self {
        Self { sessions: Sessions::new(setup), verifications: Verifications::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Form<VerificationForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let token = Token::parse(&form.token).ok_or(Problem::InvalidToken)?;
        let account = self.verifications.consume(&token).await?.ok_or(Problem::InvalidToken)?;
        call.audit.record(Event::EmailVerified, account.id);
        let reply = Reply::success(success::VERIFY_EMAIL).logging_account(&account);
        // Whoever registered the address may be somebody else, so its owner learns what opens the account. The address is
        // verified even if that cannot be read.
        match self.sessions.all_live(&account).await {
            Ok(live) => Ok(reply.with("sessions", &live.len())?.with("passkeys", &account.passkeys.len())?),
            Err(_) => Ok(reply),
        }
    }
}
