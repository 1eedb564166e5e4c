//! `POST /app/auth/changeEmail.php`: mails a link to a new address of the caller's account. The address changes when
//! somebody opens it (`confirmEmail.php`).

use serde::Deserialize;
use shared::log::audit::Event;
use shared::mail::{Letters, Mailer};
use shared::store::{Asked, EmailChanges};
use shared::{Call, Email, Endpoint, Form, Problem, Proved, Reply, Setup, success};
use zeroize::Zeroizing;

/// The endpoint.
pub struct ChangeEmail {
    changes: EmailChanges,
    letters: Letters,
    mailer: Mailer,
}

/// The form.
#[derive(Deserialize)]
pub struct ChangeForm {
    email: Zeroizing<String>,
}

impl Endpoint for ChangeEmail {
    const NAME: &'static str = "change-email";
    type Caller = Proved;
    type Body = Form<ChangeForm>;

    fn new(setup: &Setup) -> Self {
        Self { changes: EmailChanges::new(setup), letters: Letters::new(setup), mailer: Mailer::new(setup) }
    }

    async fn answer(&self, call: Call<Proved, Form<ChangeForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let session = call.caller.session;
        let email = Email::parse(&form.email)?;
        let token = match self.changes.ask(&session, &email).await? {
            Asked::Token(token) => token,
            Asked::Taken => return Err(Problem::EmailTaken),
            Asked::TooMany => return Err(Problem::TooManyMails),
            Asked::NoSession => return Err(Problem::NoSession),
        };
        call.audit.record(Event::EmailChangeRequested, session.account.id);
        let letter = self.letters.email_change(&token, self.changes.lifetime_hours());
        // Nobody knows a token whose mail was not sent, so it may stay until it expires.
        self.mailer.send(&email, &letter).await?;
        Ok(Reply::success(success::CHANGE_EMAIL))
    }
}
