//! `POST /app/auth/resetPassword.php`: sets a new password with a reset token. It does not open a session.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::password::PersonalWords;
use shared::store::{Consumed, Resets};
use shared::{
    Call, CommonPasswords, Endpoint, Form, NewPassword, Passwords, Problem, Public, Reply, Setup, Token, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct ResetPassword {
    common: CommonPasswords,
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
        Self {
            common: CommonPasswords::new(setup.settings()),
            passwords: Passwords::new(setup),
            resets: Resets::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Form<ResetForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        // The password is checked first, so that a weak or mismatched one does not consume the token. Only the token
        // leads to the account, so the write that consumes the token compares the password with the account's words.
        let personal = PersonalWords::default();
        let password = NewPassword::parse(form.password, &form.confirmation, self.common, &personal)?.into_password();
        let consumed = match Token::parse(&form.token) {
            Some(token) => {
                let hash = self.passwords.hash(&password).await?;
                self.resets.consume(&token, call.client.user_agent.as_deref(), &password, &hash).await?
            }
            None => Consumed::NoToken,
        };
        let account = match consumed {
            Consumed::Reset(account) => account,
            Consumed::TooPersonal => return Err(Problem::PasswordCommon),
            Consumed::NoToken => {
                call.audit.record(Event::PasswordResetFailed, None);
                return Err(Problem::InvalidToken);
            }
        };
        call.audit.record(Event::PasswordReset, account.id);
        Ok(Reply::success(success::RESET_PASSWORD).logging_account(&account))
    }
}
