//! `accounts sessions`: listing and ending the sessions of an account, and ending all sessions.

use serde::Serialize;
use shared::store::operator::{Action, NotBefore, StoredSession};
use shared::system::clock::{Clock, SystemClock, Timestamp};

use super::changing::{Summary, gone, live_sessions};
use super::{partition, time};
use crate::cli::{Ending, EndingAll, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{Event, Subject, Trail};

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
    let not_before = deployment.operator.not_before().await?;
    let shown = sessions.iter().map(|session| Shown {
        id: session.id(),
        browser: session.browser.as_deref(),
        state: if session.is_live(account, not_before, deployment.lifetimes, now) { "live" } else { "ended" },
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
        None => (Event::SessionsEnded, live_sessions(&deployment, &partition).await?, None),
        Some(wanted) => {
            let session = the_one(partition.sessions(), wanted)?;
            let not_before = deployment.operator.not_before().await?;
            let is_live = session.is_live(account, not_before, deployment.lifetimes, SystemClock.now());
            (Event::SessionEnded, usize::from(is_live), Some(session))
        }
    };
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let ending = Box::pin(async {
            match &session {
                Some(session) => deployment.operator.end_session(&account.key, session).await,
                None => deployment.operator.act(&partition.profile, Action::EndSessions).await,
            }
        });
        if !trail.record(event, account.id, ending).await? {
            return Err(gone(if session.is_some() { "the session" } else { "the account" }));
        }
    }
    output::fields(target.json, &Summary::of(&partition, event, order.dry_run, ended))?;
    Ok(Done::All)
}

/// What the end of all sessions did, or would do.
#[derive(Serialize)]
struct Ended {
    dry_run: bool,
    /// False in a dry run, and if the sessions from before a later time had ended before.
    changed: bool,
    /// The sessions of everybody who signed in before this time have ended.
    signed_in_before: String,
}

/// Ends the sessions of everybody who signed in before a time.
pub(super) async fn end_all(target: &Target, options: &EndingAll) -> Result<Done, Failure> {
    let EndingAll { before, confirmed } = options;
    let now = SystemClock.now();
    if before.is_some_and(|before| before > now) {
        return Err(Failure::Usage("--before is in the future: leave it out to end all sessions now".to_owned()));
    }
    let before = NotBefore::at(before.unwrap_or_else(|| next_second(now)));
    let (order, signed_in_before) = (&confirmed.order, before.time().to_rfc3339());
    let deployment = Deployment::of(target).await?;
    let question =
        format!("This ends the sessions of everybody who signed in before {signed_in_before}. Type `all` to go on: ");
    confirmed.ask(&question, "all")?;
    let mut changed = false;
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let subject = Subject::Row(format!("all sessions from before {signed_in_before}"));
        let ending = Box::pin(deployment.operator.end_sessions_before(before));
        changed = trail.record_all(Event::SessionsEnded, vec![(subject, ending)]).await? == [true];
        output::note(if changed {
            "the sessions end within a minute, everywhere. TTL deletes their rows later"
        } else {
            "the sessions from before this time or a later one had ended before: nothing was changed"
        });
    }
    output::fields(target.json, &Ended { dry_run: order.dry_run, changed, signed_in_before })?;
    Ok(Done::All)
}

/// The start of the next second. Logins are stored in whole seconds, and those of this second are to end too.
pub(super) fn next_second(now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(now.seconds() + 1)
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
