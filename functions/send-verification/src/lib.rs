//! `POST /app/auth/sendVerification.php`: sends an email with a link that verifies the address of the caller's account.

use shared::log::audit::Event;
use shared::mail::{Letters, Mailer};
use shared::store::Verifications;
use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed, success};

/// The endpoint.
pub struct SendVerification {
    letters: Letters,
    mailer: Mailer,
    verifications: Verifications,
}

impl Endpoint for SendVerification {
    const NAME: &'static str = "send-verification";
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { letters: Letters::new(setup), mailer: Mailer::new(setup), verifications: Verifications::new(setup) }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        let account = call.caller.session.account;
        if account.email_verified {
            return Ok(Reply::success(success::EMAIL_VERIFIED_ALREADY));
        }
        let reply = Reply::success(success::SEND_VERIFICATION);
        // There is no token if the cooldown of the last mail is not over, or if the account was deleted, disabled or
        // verified in the meantime.
        let Some(token) = self.verifications.issue(&account).await? else { return Ok(reply) };
        call.audit.record(Event::VerificationRequested, account.id);
        let letter = self.letters.verification(&token, self.verifications.lifetime_hours());
        if let Err(fault) = self.mailer.send(&account.email, &letter).await {
            // If this fails too, the mail's fault is the one to report.
            drop(self.verifications.withdraw(&account, &token).await);
            return Err(fault.into());
        }
        Ok(reply)
    }
}
