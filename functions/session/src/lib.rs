//! `POST /app/auth/session.php`: tells who is signed in.

use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed};

/// The endpoint. It touches nothing of its own: the guard has read all that it tells.
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
