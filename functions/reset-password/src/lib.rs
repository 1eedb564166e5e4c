//! `POST /app/auth/resetPassword.php`: trades a reset token for a new password. It logs nobody in.

use shared::audit::Event;
use shared::store::Resets;
use shared::{
    Call, Endpoint, Fields, Form, FromFields, NewPassword, Passwords, Problem, Public, Reply, Setup, Token,
    body::Unreadable, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct ResetPassword {
    passwords: Passwords,
    resets: Resets,
}

/// The form.
pub struct Reset {
    token: Zeroizing<String>,
    password: Zeroizing<String>,
    confirmation: Zeroizing<String>,
}

impl FromFields for Reset {
    fn from_fields(fields: &mut Fields) -> Result<Self, Unreadable> {
        Ok(Self {
            token: fields.take("token")?,
            password: fields.take("new_password")?,
            confirmation: fields.take("confirm_password")?,
        })
    }
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
