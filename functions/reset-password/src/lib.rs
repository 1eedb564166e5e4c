//! `POST /app/auth/resetPassword.php`: sets a new password with a reset token. It does not open a session.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::password::PersonalWords;
use shared::store::{Consumed, LoginLimit, Resets};
use shared::{
    Call, CommonPasswords, Endpoint, Form, NewPassword, Passwords, Problem, Public, Reply, Setup, Token, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct ResetPassword {
    common: CommonPasswords,
    limit: LoginLimit,
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
    /// `remove` also removes all passkeys.
    passkeys: String,
}

impl Endpoint for ResetPassword {
    const NAME: &'static str = "reset-password";
    type Caller = Public;
    type Body = Form<ResetForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            common: CommonPasswords::new(setup.settings()),
            limit: LoginLimit::new(setup),
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
        let removes_passkeys = match form.passkeys.as_str() {
            "" => false,
            "remove" => true,
            _ => return Err(Problem::InvalidParameters),
        };
        let consumed = match Token::parse(&form.token) {
            Some(token) => {
                let hash = self.passwords.hash(&password).await?;
                self.resets.consume(&token, call.client.browser(), (&password, &hash), removes_passkeys).await?
            }
            None => Consumed::NoToken,
        };
        let reset = match consumed {
            Consumed::Reset(reset) => reset,
            Consumed::TooPersonal => return Err(Problem::PasswordCommon),
            Consumed::NoToken => {
                call.audit.record(Event::PasswordResetFailed, None);
                return Err(Problem::InvalidToken);
            }
        };
        let account = &reset.account;
        call.audit.record(Event::PasswordReset, account.id);
        self.limit.forget_all(account, reset.browser.as_ref()).await?;
        Ok(Reply::success(success::RESET_PASSWORD).logging_account(account).remembering(reset.browser))
    }
}
