//! `POST /app/auth/unlinkGoogle.php`: removes the link of the caller's account to Google, if a password or a passkey opens
//! the account too. It ends all sessions, and opens a new one for the caller. The next login with Google and the
//! account's address links it again.

use shared::log::audit::Event;
use shared::store::{Identities, Unlinked};
use shared::{Call, Endpoint, NoBody, Problem, Proved, Reply, Setup, success};

/// The endpoint.
pub struct UnlinkGoogle {
    identities: Identities,
}

impl Endpoint for UnlinkGoogle {
    const NAME: &'static str = "unlink-google";
    type Caller = Proved;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { identities: Identities::new(setup) }
    }

    async fn answer(&self, call: Call<Proved, NoBody>) -> Result<Reply, Problem> {
        let session = call.caller.session;
        let id = session.account.id;
        match self.identities.unlink(&session, call.client.user_agent.as_deref()).await? {
            Unlinked::Done(token) => {
                call.audit.about_session(token.session_id()).record(Event::IdentityUnlinked, id);
                Ok(Reply::success(success::GOOGLE_UNLINKED).opening(token))
            }
            Unlinked::NotLinked => {
                call.audit.record(Event::IdentityUnlinkingFailed, id);
                Err(Problem::InvalidParameters)
            }
            Unlinked::OnlyWayIn => {
                call.audit.record(Event::IdentityUnlinkingFailed, id);
                Err(Problem::OnlyWayIn)
            }
            Unlinked::NoSession => Err(Problem::NoSession),
        }
    }
}
