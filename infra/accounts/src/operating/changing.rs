//! `accounts disable`, `enable`, `force-reset`, `lock`, `verify` and `erase`: changes to one account.

use serde::Serialize;
use shared::store::operator::Action;
use shared::store::{Erased, Partition, Profile};
use shared::system::clock::{Clock, SystemClock};

use super::{broken, partition, time};
use crate::cli::{Confirmed, Destroying, Order, Ordered, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::lookup::Named;
use crate::output;
use crate::trail::{Event, Trail};

/// What a change did, or would do.
#[derive(Serialize)]
pub(super) struct Summary<'a> {
    id: u64,
    email: &'a str,
    change: Event,
    dry_run: bool,
    /// False in a dry run, and if there was nothing to change.
    changed: bool,
    /// The live sessions that end.
    sessions_ended: usize,
}

impl<'a> Summary<'a> {
    pub(super) fn of(partition: &'a Partition, change: Event, dry_run: bool, sessions_ended: usize) -> Self {
        let account = partition.account();
        Self { id: account.id, email: account.email.as_str(), change, dry_run, changed: !dry_run, sessions_ended }
    }
}

/// The number of live sessions.
pub(super) async fn live_sessions(deployment: &Deployment, partition: &Partition) -> Result<usize, Failure> {
    let (account, now) = (partition.account(), SystemClock.now());
    let not_before = deployment.operator.not_before().await?;
    Ok(partition.sessions().filter(|session| session.is_live(account, not_before, deployment.lifetimes, now)).count())
}

/// The failure when an account or session changed after it was read.
pub(super) fn gone(what: &str) -> Failure {
    Failure::NotFound(format!("{what} was deleted in the meantime: nothing was changed"))
}

/// Changes an account.
pub(super) async fn change(target: &Target, ordered: &Ordered, action: Action) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, &ordered.who).await?;
    make(target, &deployment, &partition, &ordered.order, action).await
}

/// Removes the password of an account. This cannot be undone.
pub(super) async fn force_reset(target: &Target, who: &str, confirmed: &Confirmed) -> Result<Done, Failure> {
    take(target, (who, confirmed), Action::ForceReset, "removes the password").await
}

/// Ends every way into an account but the mailbox and the Google account of its address. This cannot be undone.
pub(super) async fn lock(target: &Target, destroying: &Destroying) -> Result<Done, Failure> {
    take(target, destroying.parts(), Action::Lock, "removes the password, the passkeys and all links").await
}

/// Proves the address of an account by the operator's word. This cannot be undone.
pub(super) async fn verify(target: &Target, destroying: &Destroying) -> Result<Done, Failure> {
    let what = "verifies the address, removes the password, the passkeys and all links";
    take(target, destroying.parts(), Action::Verify, what).await
}

async fn take(
    target: &Target,
    (who, confirmed): (&str, &Confirmed),
    action: Action,
    what: &str,
) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, who).await?;
    let account = partition.account();
    let question = format!("This {what} of the account {} and ends its sessions. Type its address: ", account.id);
    confirmed.ask(&question, account.email.as_str())?;
    make(target, &deployment, &partition, &confirmed.order, action).await
}

/// What opens the account in spite of a change, or once it is enabled again.
fn note_what_stays(profile: &Profile, action: Action) {
    let account = &profile.account;
    let ends_all = matches!(action, Action::Lock | Action::Verify);
    let passkeys = (!ends_all && !account.passkeys.is_empty())
        .then(|| format!("{} passkeys (`accounts lock` removes them)", account.passkeys.len()));
    // The end of all ways in unlinks it from an account that has had another address.
    let keeps_google = !ends_all || profile.former_emails.is_empty();
    let google = account.google_sub.as_ref().filter(|_| keeps_google).map(|_| "Google".to_owned());
    let password =
        (matches!(action, Action::Disable(_)) && account.password.may_exist()).then(|| "the password".to_owned());
    let stays: Vec<String> = [password, passkeys, google].into_iter().flatten().collect();
    if stays.is_empty() {
        return;
    }
    let when =
        if matches!(action, Action::Disable(_)) { "once it is enabled again" } else { "besides a reset by mail" };
    output::note(&format!("what opens the account {when}: {}", stays.join(", ")));
}

/// Applies a change to an account that was read before.
async fn make(
    target: &Target,
    deployment: &Deployment,
    partition: &Partition,
    order: &Order,
    action: Action,
) -> Result<Done, Failure> {
    let account = partition.account();
    let event = match action {
        Action::Disable(_) => Event::AccountDisabled,
        Action::Enable => Event::AccountEnabled,
        Action::ForceReset => Event::PasswordRemoved,
        Action::Lock => Event::AccountLocked,
        Action::EndSessions => Event::SessionsEnded,
        Action::Verify => Event::EmailVerified,
    };
    let ended = if action == Action::Enable { 0 } else { live_sessions(deployment, partition).await? };
    let mut summary = Summary::of(partition, event, order.dry_run, ended);
    let already = match (action, account.disabled_at) {
        (Action::Disable(_), Some(since)) => Some(format!("disabled since {}", time(since).unwrap_or_default())),
        (Action::Enable, None) => Some("enabled".to_owned()),
        (Action::Verify, _) if account.email_verified => Some("verified".to_owned()),
        _ => None,
    };
    if let Some(already) = already {
        output::note(&format!("the account is already {already}: nothing was changed"));
        summary.changed = false;
        summary.sessions_ended = 0;
    } else if let Some(trail) = Trail::unless_dry(deployment, order).await? {
        let changing = Box::pin(deployment.operator.act(&partition.profile, action));
        if !trail.record(event, account.id, changing).await? {
            return Err(gone("the account"));
        }
    }
    if summary.changed && matches!(action, Action::Disable(_) | Action::ForceReset | Action::Lock | Action::Verify) {
        note_what_stays(&partition.profile, action);
    }
    output::fields(target.json, &summary)?;
    Ok(Done::All)
}

/// Erases an account and everything that belongs to it.
pub(super) async fn erase(target: &Target, destroying: &Destroying) -> Result<Done, Failure> {
    let Destroying { who, confirmed } = destroying;
    let order = &confirmed.order;
    let deployment = Deployment::of(target).await?;
    let named = Named::of(&deployment, who).await?;
    let partition = match named.partition(&deployment).await {
        Ok(partition) => partition,
        Err(failure) => {
            let broken = deployment.operator.broken(&named.key).await?.ok_or(failure)?;
            return broken::erase(target, destroying, &deployment, &broken).await;
        }
    };
    let account = partition.account();
    let ended = live_sessions(&deployment, &partition).await?;
    let summary = Summary::of(&partition, Event::AccountErased, order.dry_run, ended);
    let question =
        format!("This erases the account {} and everything that belongs to it. Type its address: ", account.id);
    confirmed.ask(&question, account.email.as_str())?;
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let erasing = Box::pin(async { Ok(deployment.operator.erase(account).await? == Erased::Done) });
        if !trail.record(Event::AccountErased, account.id, erasing).await? {
            return Err(gone("the account"));
        }
    }
    output::fields(target.json, &summary)?;
    Ok(Done::All)
}
