//! `POST /app/auth/sendResetLink.php`: sends an email with a new reset link.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::mail::{Letters, Mailer};
use shared::store::{Accounts, Issued, Resets};
use shared::{Call, Email, Endpoint, Form, Problem, Public, Reply, Setup, success};
use zeroize::Zeroizing;

/// The endpoint.
pub struct SendResetLink {
    accounts: Accounts,
    letters: Letters,
    mailer: Mailer,
    resets: Resets,
}

/// The form.
#[derive(Deserialize)]
pub struct ResetLinkForm {
    email: Zeroizing<String>,
}

impl Endpoint for SendResetLink {
    const NAME: &'static str = "send-reset-link";
    type Caller = Public;
    type Body = Form<ResetLinkForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            letters: Letters::new(setup),
            mailer: Mailer::new(setup),
            resets: Resets::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Form<ResetLinkForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let email = Email::parse(&form.email)?;
        let account = self.accounts.by_email(&email).await?.filter(|account| !account.is_disabled());
        let account = account.ok_or(Problem::UnknownEmail)?;
        let reply = Reply::success(success::SEND_RESET_LINK).logging_account(&account);
        let token = match self.resets.issue(&account).await? {
            Issued::Token(token) => token,
            Issued::CoolingDown => return Ok(reply),
            Issued::NoAccount => return Err(Problem::UnknownEmail),
        };
        call.audit.record(Event::PasswordResetRequested, account.id);
        let letter = self.letters.reset(&token, self.resets.lifetime_minutes());
        if let Err(fault) = self.mailer.send(&account.email, &letter).await {
            // Whether or not the token can be withdrawn, the failure of the mail is the one to report.
            drop(self.resets.withdraw(&account, &token).await);
            return Err(fault.into());
        }
        Ok(reply)
    }
}
