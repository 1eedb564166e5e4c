//! `POST /app/auth/resetPassword.php`: sets a new password with a reset token. It does not open a session.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::Resets;
use shared::{Call, Endpoint, Form, NewPassword, Passwords, Problem, Public, Reply, Setup, Token, success};
use zeroize::Zeroizing;

/// The endpoint.
pub struct ResetPassword {
    passwords: Passwords,
    resets: Resets,
}

/// The form.
#[derive(Deserialize)]
pub struct ResetForm {
    token: Zeroizing<String>,
    #[serde(rename = "new_password")]
    password: Zeroizing<String>,
    #[serde(rename = "confirm_password")]
    confirmation: Zeroizing<String>,
}

impl Endpoint for ResetPassword {
    const NAME: &'static str = "reset-password";
    type Caller = Public;
    type Body = Form<ResetForm>;

    fn new(setup: &Setup) -> Self {
        Self { passwords: Passwords::new(setup), resets: Resets::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Form<ResetForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        // The password is checked first, so that a weak or mismatched one does not consume the token.
        let password = NewPassword::parse(form.password, &form.confirmation)?.into_password();
        let account = match Token::parse(&form.token) {
            Some(token) => {
                let password = self.passwords.hash(&password).await?;
                self.resets.consume(&token, call.client.user_agent.as_deref(), &password).await?
            }
            None => None,
        };
        let Some(account) = account else {
            call.audit.record(Event::PasswordResetFailed, None);
            return Err(Problem::InvalidToken);
        };
        call.audit.record(Event::PasswordReset, account.id);
        Ok(Reply::success(success::RESET_PASSWORD).of(&account))
    }
}
