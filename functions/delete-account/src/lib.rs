//! `POST /app/auth/deleteAccount.php`: deletes the caller's account and all its items in the accounts table.
//! `notices` erases its entries.

use shared::log::audit::Event;
use shared::store::{Accounts, Erased, Sessions};
use shared::{Call, Endpoint, Fault, NoBody, Owner, Problem, Reply, Setup, success};

/// The maximum number of attempts if other calls change the account at the same time.
const ROUNDS: usize = 4;

/// The endpoint.
pub struct DeleteAccount {
    accounts: Accounts,
    sessions: Sessions,
}

impl Endpoint for DeleteAccount {
    const NAME: &'static str = "delete-account";
    const NO_SESSION: Problem = Problem::NoSessionEmail;
    type Caller = Owner;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { accounts: Accounts::new(setup), sessions: Sessions::new(setup) }
    }

    async fn answer(&self, call: Call<Owner, NoBody>) -> Result<Reply, Problem> {
        let mut partition = call.caller.partition;
        for _ in 0..ROUNDS {
            let erased = self.accounts.erase(&partition).await?;
            if erased == Erased::All {
                call.audit.record(Event::AccountDeleted, partition.account.id);
            }
            if erased != Erased::Changed {
                return Ok(Reply::success(success::DELETE_ACCOUNT).logging_account(&partition.account).ending());
            }
            let token = call.client.presented.token().ok_or(Problem::NoSessionEmail)?;
            partition = self.sessions.live_partition(token).await?.ok_or(Problem::NoSessionEmail)?;
        }
        Err(Fault::new("delete-account", "conflict").into())
    }
}
