//! `POST /app/auth/deleteAccount.php`: deletes the caller's account and all its items in the accounts table.
//! `notices` erases its entries.

use shared::log::audit::Event;
use shared::store::{Accounts, Erased};
use shared::{Call, Endpoint, NoBody, Problem, ProofAge, Reply, Setup, Signed, success};

/// The endpoint.
pub struct DeleteAccount {
    accounts: Accounts,
    proof: ProofAge,
}

impl Endpoint for DeleteAccount {
    const NAME: &'static str = "delete-account";
    const NO_SESSION: Problem = Problem::NoSessionEmail;
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { accounts: Accounts::new(setup), proof: ProofAge::of_interface(setup) }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        let session = call.caller.session;
        self.proof.require(&session)?;
        match self.accounts.erase(&session).await? {
            Erased::Done => call.audit.record(Event::AccountDeleted, session.account.id),
            Erased::Gone => {}
            Erased::Ended => return Err(Problem::NoSessionEmail),
        }
        Ok(Reply::success(success::DELETE_ACCOUNT).ending())
    }
}
