//! `POST /app/auth/session.php`: returns the account of the caller's session.

use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed};

/// The endpoint. It has no dependencies, because the check of the caller has already read the account.
pub struct Session;

impl Endpoint for Session {
    const NAME: &'static str = "session";
    type Caller = Signed;
    type Body = NoBody;

    fn new(_: &Setup) -> Self {
        Self
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        Ok(Reply::plain_success().user(&call.caller.session.account)?)
    }
}
