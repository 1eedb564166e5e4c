//! `POST /app/auth/lockAccount.php`: locks an account with the link of a notice, and mails a reset link.
//!
//! The owner of an address who learns that somebody else is in the account presses one button. The lock ends every way in
//! but the mailbox and the identity provider's. It opens nothing.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::mail::{Letters, Mailer};
use shared::store::{Locks, Resets};
use shared::{Call, Endpoint, Form, Problem, Public, Reply, Setup, Token, success};
use zeroize::Zeroizing;

/// The endpoint.
pub struct LockAccount {
    letters: Letters,
    locks: Locks,
    mailer: Mailer,
    resets: Resets,
}

/// The form.
#[derive(Deserialize)]
pub struct LockForm {
    token: Zeroizing<String>,
}

impl Endpoint for LockAccount {
    const NAME: &'static str = "lock-account";
    type Caller = Public;
    type Body = Form<LockForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            letters: Letters::new(setup),
            locks: Locks::new(setup),
            mailer: Mailer::new(setup),
            resets: Resets::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Form<LockForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let refused = || {
            call.audit.record(Event::LockFailed, None);
            Problem::InvalidToken
        };
        let token = Token::parse(&form.token).ok_or_else(refused)?;
        let reset = self.resets.mint(token.account())?;
        let account = self.locks.lock(&token, &reset).await?.ok_or_else(refused)?;
        call.audit.record(Event::AccountLocked, account.id);
        if account.is_disabled() {
            return Err(Problem::LockedWithoutLink);
        }
        self.resets.seal(&account, &reset).await?;
        let letter = self.letters.locked(reset.token(), self.resets.lifetime_minutes());
        if let Err(fault) = self.mailer.send(&account.email, &letter).await {
            // The owner has to press again for another mail. The failure of this one is the one to report.
            drop(self.locks.restore(&token, &reset).await);
            return Err(fault.into());
        }
        Ok(Reply::success(success::LOCKED).logging_account(&account))
    }
}
