//! `POST /app/auth/closeSession.php`: ends one session of the caller's account, or all others.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::{Accounts, Opening, Session, Sessions};
use shared::{Call, Endpoint, Form, Problem, Proved, Reply, Setup, success};

/// The endpoint.
pub struct CloseSession {
    accounts: Accounts,
    opening: Opening,
    sessions: Sessions,
}

/// The form. It has exactly one of the two fields.
#[derive(Deserialize)]
pub struct CloseForm {
    id: String,
    others: String,
}

impl Endpoint for CloseSession {
    const NAME: &'static str = "close-session";
    type Caller = Proved;
    type Body = Form<CloseForm>;

    fn new(setup: &Setup) -> Self {
        Self { accounts: Accounts::new(setup), opening: Opening::new(setup), sessions: Sessions::new(setup) }
    }

    async fn answer(&self, call: Call<Proved, Form<CloseForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let session = call.caller.session;
        match (form.id.as_str(), shared::checkbox(&form.others)?) {
            ("", true) => {
                let ended = self.accounts.end_other_sessions(&self.opening, &session, call.client.browser()).await?;
                let opened = ended.ok_or(Problem::NoSession)?;
                let audit = call.audit.about_session(opened.token.session_id());
                audit.record(Event::SessionsEnded, session.account.id);
                Ok(Reply::success(success::LOGOUT).opened(opened))
            }
            ("", false) | (_, true) => Err(Problem::InvalidParameters),
            (id, false) => {
                let is_current = self.close(&session, id).await?;
                call.audit.about_session(id.to_owned()).record(Event::SessionEnded, session.account.id);
                let reply = Reply::success(success::LOGOUT);
                Ok(if is_current { reply.ending() } else { reply })
            }
        }
    }
}

impl CloseSession {
    /// Ends the session with this id. Returns whether it was the caller's own.
    async fn close(&self, session: &Session, id: &str) -> Result<bool, Problem> {
        let listed = self.sessions.list(session).await?;
        let wanted = listed.iter().find(|listed| listed.id() == id).ok_or(Problem::InvalidParameters)?;
        let is_current = wanted.is_of(&session.token);
        self.sessions.close(&session.account, wanted).await?;
        Ok(is_current)
    }
}
