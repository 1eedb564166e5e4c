//! `accounts sessions`: listing and ending the sessions of an account.

use serde::Serialize;
use shared::store::operator::{Action, StoredSession};
use shared::system::clock::{Clock, SystemClock};

use super::changing::{Summary, gone, live_sessions};
use super::{partition, time};
use crate::cli::{Ending, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{Event, Trail};

/// A session of the list.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    browser: Option<&'a str>,
    state: &'static str,
    created_at: Option<String>,
    last_seen_at: Option<String>,
    expires_at: Option<String>,
}

/// Lists the sessions of an account, the most recently used first.
pub(super) async fn list(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, who).await?;
    let mut sessions: Vec<_> = partition.sessions().collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_seen));
    let (account, now) = (partition.account(), SystemClock.now());
    let shown = sessions.iter().map(|session| Shown {
        id: session.id(),
        browser: session.browser.as_deref(),
        state: if session.is_live(account, deployment.lifetimes, now) { "live" } else { "ended" },
        created_at: time(session.created_at),
        last_seen_at: time(session.last_seen),
        expires_at: time(session.expires_at),
    });
    output::rows(target.json, &shown.collect::<Vec<_>>())?;
    Ok(Done::All)
}

/// Ends one session of an account, or all.
pub(super) async fn end(target: &Target, ending: &Ending) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, &ending.who).await?;
    let account = partition.account();
    let order = &ending.order;
    let (event, ended, session) = match &ending.session {
        None => (Event::SessionsEnded, live_sessions(&deployment, &partition), None),
        Some(wanted) => {
            let session = the_one(partition.sessions(), wanted)?;
            (
                Event::SessionEnded,
                usize::from(session.is_live(account, deployment.lifetimes, SystemClock.now())),
                Some(session),
            )
        }
    };
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let ending = Box::pin(async {
            match &session {
                Some(session) => deployment.operator.end_session(&account.key, session).await,
                None => deployment.operator.act(account, Action::EndSessions).await,
            }
        });
        if !trail.record(event, account.id, ending).await? {
            return Err(gone(if session.is_some() { "the session" } else { "the account" }));
        }
    }
    output::fields(target.json, &Summary::of(&partition, event, order.dry_run, ended))?;
    Ok(Done::All)
}

/// The session with an id.
fn the_one(sessions: impl Iterator<Item = StoredSession>, wanted: &str) -> Result<StoredSession, Failure> {
    let mut found = sessions.filter(|session| session.id() == wanted);
    match (found.next(), found.next()) {
        (Some(session), None) => Ok(session),
        (None, _) => Err(Failure::NotFound(format!("the account has no session {wanted}"))),
        _ => Err(Failure::Failed(format!("several sessions of the account have the id {wanted}: end all with --all"))),
    }
}
