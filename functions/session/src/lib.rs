//! `POST /app/auth/session.php`: returns the account of the caller's session.

use shared::account::avatar::Avatars;
use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed};

/// The endpoint. The check of the caller has already read the account.
pub struct Session {
    avatars: Avatars,
}

impl Endpoint for Session {
    const NAME: &'static str = "session";
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { avatars: Avatars::new(setup.settings()) }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        Ok(Reply::plain_success().user(&call.caller.session.account, &self.avatars)?)
    }
}
