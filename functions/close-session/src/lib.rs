//! `POST /app/auth/closeSession.php`: ends one session of the caller's account, or all others.

use std::sync::Arc;

use serde::Deserialize;
use shared::log::audit::Event;
use shared::store::{Accounts, Opening, Session, Sessions};
use shared::system::clock::Clock;
use shared::{Call, Endpoint, Form, Problem, Reply, Setup, Signed, success};

/// The highest `RECENT_LOGIN_SECONDS`: a day.
const DAY: u64 = 24 * 60 * 60;

/// The endpoint.
pub struct CloseSession {
    accounts: Accounts,
    opening: Opening,
    sessions: Sessions,
    clock: Arc<dyn Clock>,
    /// How long after a login other sessions may be ended, in seconds; 0 means no limit.
    recent_login: u64,
}

/// The form. It has exactly one of the two fields.
#[derive(Deserialize)]
pub struct CloseForm {
    id: String,
    others: String,
}

impl Endpoint for CloseSession {
    const NAME: &'static str = "close-session";
    type Caller = Signed;
    type Body = Form<CloseForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            opening: Opening::new(setup),
            sessions: Sessions::new(setup),
            clock: setup.clock(),
            recent_login: setup.settings().number("RECENT_LOGIN_SECONDS", 0..=DAY),
        }
    }

    async fn answer(&self, call: Call<Signed, Form<CloseForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let session = call.caller.session;
        match (form.id.as_str(), shared::checkbox(&form.others)?) {
            ("", true) => {
                self.require_recent_login(&session)?;
                let user_agent = call.client.user_agent.as_deref();
                let opened = self.accounts.end_other_sessions(&self.opening, &session, user_agent).await?;
                let token = opened.ok_or(Problem::NoSession)?;
                call.audit.record(Event::SessionsEnded, session.account.id);
                Ok(Reply::success(success::LOGOUT).opening(token))
            }
            ("", false) | (_, true) => Err(Problem::InvalidParameters),
            (id, false) => {
                let is_current = self.close(&session, id).await?;
                call.audit.record(Event::SessionEnded, session.account.id);
                let reply = Reply::success(success::LOGOUT);
                Ok(if is_current { reply.ending() } else { reply })
            }
        }
    }
}

impl CloseSession {
    /// The thief of a session must not end the sessions of its owner.
    fn require_recent_login(&self, session: &Session) -> Result<(), Problem> {
        let age = self.clock.now().seconds().saturating_sub(session.signed_in.seconds());
        if self.recent_login > 0 && age > self.recent_login { Err(Problem::LoginTooOld) } else { Ok(()) }
    }

    /// Ends the session with this id. Returns whether it was the caller's own.
    async fn close(&self, session: &Session, id: &str) -> Result<bool, Problem> {
        let listed = self.sessions.list(session).await?;
        let wanted = listed.iter().find(|listed| listed.id() == id).ok_or(Problem::InvalidParameters)?;
        let is_current = wanted.is_of(&session.token);
        if !is_current {
            self.require_recent_login(session)?;
        }
        self.sessions.close(&session.account, wanted).await?;
        Ok(is_current)
    }
}
