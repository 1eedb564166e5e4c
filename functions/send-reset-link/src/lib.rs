//! `POST /app/auth/sendResetLink.php`: mails a link with a fresh reset token.

use shared::audit::Event;
use shared::mail::{Letter, Mailer};
use shared::store::{Accounts, Resets};
use shared::{
    Call, Email, Endpoint, Fields, Form, FromFields, Problem, Public, Reply, Setup, body::Unreadable, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct SendResetLink {
    accounts: Accounts,
    front_end: String,
    mailer: Mailer,
    resets: Resets,
}

/// The form.
pub struct Address {
    email: Zeroizing<String>,
}

impl FromFields for Address {
    fn from_fields(fields: &mut Fields) -> Result<Self, Unreadable> {
        Ok(Self { email: fields.take("email")? })
    }
}

impl Endpoint for SendResetLink {
    const NAME: &'static str = "send-reset-link";
    type Caller = Public;
    type Body = Form<Address>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            front_end: setup.url("FRONT_END_URL"),
            mailer: Mailer::new(setup),
            resets: Resets::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Form<Address>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let email = Email::parse(&form.email)?;
        let account = self.accounts.by_email(&email).await?.ok_or(Problem::UnknownEmail)?;
        let token = self.resets.issue(&account).await?.ok_or(Problem::UnknownEmail)?;
        call.audit.record(Event::PasswordResetRequested, account.id);
        let letter = Letter::reset(&self.front_end, &token, self.resets.lifetime_minutes());
        self.mailer.send(&account.email, &letter).await?;
        Ok(Reply::success(success::SEND_RESET_LINK).of(&account))
    }
}
