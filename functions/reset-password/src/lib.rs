//! `POST /app/auth/resetPassword.php`: trades a reset token for a new password. It logs nobody in.

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
pub struct Reset {
    token: Zeroizing<String>,
    #[serde(rename = "new_password")]
    password: Zeroizing<String>,
    #[serde(rename = "confirm_password")]
    confirmation: Zeroizing<String>,
}

impl Endpoint for ResetPassword {
    const NAME: &'static str = "reset-password";
    type Caller = Public;
    type Body = Form<Reset>;

    fn new(setup: &Setup) -> Self {
        Self { passwords: Passwords::new(setup), resets: Resets::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Form<Reset>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        // The password first: a weak or mismatched one does not use the token up.
        let password = NewPassword::parse(form.password, &form.confirmation)?.into_password();
        let account = match Token::parse(&form.token) {
            Some(token) => self.resets.consume(&token, &self.passwords.hash(&password).await?).await?,
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
