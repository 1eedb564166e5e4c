//! `POST /app/auth/confirmEmail.php`: changes the address of an account with the token of a link that was mailed to the new
//! one. It opens no session.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::EmailChanges;
use shared::{Call, Endpoint, Form, Problem, Public, Reply, Setup, Token, success};
use zeroize::Zeroizing;

/// The endpoint.
pub struct ConfirmEmail {
    changes: EmailChanges,
}

/// The form.
#[derive(Deserialize)]
pub struct ConfirmationForm {
    token: Zeroizing<String>,
}

impl Endpoint for ConfirmEmail {
    const NAME: &'static str = "confirm-email";
    type Caller = Public;
    type Body = Form<ConfirmationForm>;

    fn new(setup: &Setup) -> Self {
        Self { changes: EmailChanges::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Form<ConfirmationForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let refused = || {
            call.audit.record(Event::EmailChangeFailed, None);
            Problem::InvalidToken
        };
        let token = Token::parse(&form.token).ok_or_else(refused)?;
        let account = self.changes.confirm(&token).await?.ok_or_else(refused)?;
        call.audit.record(Event::EmailChanged, account.id);
        Ok(Reply::success(success::EMAIL_CHANGED).logging_account(&account))
    }
}
