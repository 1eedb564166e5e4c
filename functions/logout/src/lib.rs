//! `POST /app/auth/logout.php`: ends the caller's session. It also succeeds without a session.

use shared::endpoint::cookies::Presented;
use shared::log::audit::Event;
use shared::store::Sessions;
use shared::{Call, Endpoint, NoBody, Problem, Public, Reply, Setup, success};

/// The endpoint.
pub struct Logout {
    sessions: Sessions,
}

impl Endpoint for Logout {
    const NAME: &'static str = "logout";
    type Caller = Public;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { sessions: Sessions::new(setup) }
    }

    async fn answer(&self, call: Call<Public, NoBody>) -> Result<Reply, Problem> {
        let reply = Reply::success(success::LOGOUT);
        match call.client.presented {
            Presented::Nothing => Ok(reply),
            Presented::Malformed | Presented::Several => Ok(reply.ending()),
            Presented::Token(token) => {
                if let Some(account_id) = self.sessions.end_session(&token).await? {
                    call.audit.of_session(token.session_id()).record(Event::LoggedOut, account_id);
                }
                Ok(reply.ending())
            }
        }
    }
}
