//! `POST /app/auth/sessions.php`: lists the live sessions of the caller's account. It also returns what opens the account, and
//! whether the address is verified.

use serde::Serialize;
use shared::store::{Session, Sessions, StoredSession};
use shared::system::clock::Timestamp;
use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed};

/// The endpoint.
pub struct ListSessions {
    sessions: Sessions,
}

/// A session as its owner sees it.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    created_at: String,
    last_seen_at: String,
    browser: &'a str,
    current: bool,
}

impl Endpoint for ListSessions {
    const NAME: &'static str = "list-sessions";
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { sessions: Sessions::new(setup) }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        let session = call.caller.session;
        let listed = self.sessions.list(&session).await?;
        let shown: Vec<Shown<'_>> = listed.iter().map(|listed| Shown::of(listed, &session)).collect();
        let account = &session.account;
        let has_password = account.password.hash().is_some();
        let reply = Reply::plain_success()
            .with("email_verified", &account.email_verified)?
            .with("has_password", &has_password)?
            .with("password_set_at", &account.password_set_at.filter(|_| has_password).map(time))?
            .with("google_linked", &account.google_sub.is_some())?;
        Ok(reply.with("sessions", &shown)?)
    }
}

impl<'a> Shown<'a> {
    fn of(listed: &'a StoredSession, caller: &Session) -> Self {
        Self {
            id: listed.id(),
            created_at: time(listed.created_at),
            last_seen_at: time(listed.last_seen),
            browser: listed.browser_name(),
            current: listed.is_of(&caller.token),
        }
    }
}

fn time(seconds: u64) -> String {
    Timestamp::from_seconds(seconds).to_rfc3339()
}
