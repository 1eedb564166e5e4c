//! `accounts import undo`: deletes accounts that runs created and that nobody has used since.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde::Serialize;
use shared::Fault;
use shared::store::Partition;
use shared::store::operator::Profile;
use shared::system::clock::{Clock, SystemClock};

use super::report::Head;
use crate::cli::{Target, Undoing};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::{GO_ON, Interruption};
use crate::rate::AT_ONCE;
use crate::scan::{self, Scan};
use crate::trail::{Event, Trail};
use crate::{output, progress};

/// What an undo cannot know.
const UNSEEN: &str = "An account stays if somebody has changed it, is signed in, or has stored entries. A login \
                      whose session has ended shows only if it replaced the hash or its browser is known \
                      (OwnerNotices=on, or a limit of failed logins)";

#[derive(Serialize)]
struct Summary {
    runs: usize,
    dry_run: bool,
    /// Accounts that are deleted.
    deleted: u64,
    /// Accounts that stay, because they have changed since their import or have been used.
    left: u64,
}

/// Undoes the runs of a report.
pub(crate) async fn undo(target: &Target, undoing: &Undoing) -> Result<Done, Failure> {
    let Undoing { report, confirmed } = undoing;
    let runs = runs(report)?;
    let deployment = Deployment::with_hashes(target).await?;
    output::note(UNSEEN);
    confirmed.ask("This deletes the accounts that the import created. Type `undo` to go on: ", "undo")?;
    let pass = Pass { deployment: &deployment, runs: &runs, dry_run: confirmed.order.dry_run };
    let summary = match Trail::unless_dry(&deployment, &confirmed.order).await? {
        None => pass.run().await?,
        Some(trail) => {
            let names: Vec<&str> = runs.iter().map(String::as_str).collect();
            trail
                .record_command(Event::ImportUndone, format!("import {}", names.join(", ")), Box::pin(pass.run()))
                .await?
        }
    };
    output::fields(target.json, &summary)?;
    Ok(Done::All)
}

/// One pass through the table.
struct Pass<'a> {
    deployment: &'a Deployment,
    runs: &'a BTreeSet<String>,
    dry_run: bool,
}

impl Pass<'_> {
    async fn run(&self) -> Result<Summary, Failure> {
        let operator = &self.deployment.operator;
        let mut summary = Summary { runs: self.runs.len(), dry_run: self.dry_run, deleted: 0, left: 0 };
        let (mut scan, interruption) = (Scan::of(operator), Interruption::watch());
        if !self.dry_run {
            // Otherwise the next import would take the deleted accounts for some that their owners have deleted.
            operator.forget_imported_ids().await.map_err(stopped)?;
        }
        let progress = progress::of_scan("rows");
        while let Some(rows) = scan.next().await.map_err(stopped)? {
            interruption.check(summary.deleted, "accounts")?;
            progress.inc(u64::try_from(rows.len()).unwrap_or_default());
            // A row that cannot be read is left.
            let profiles = rows.into_iter().filter_map(scan::profile);
            // A page may have thousands of accounts.
            let profiles = profiles.filter(|profile| self.has_created(profile));
            let deleting = iter(profiles.take_while(|_| !interruption.has_come())).map(|profile| self.delete(profile));
            let deleted: Vec<Result<bool, Fault>> = deleting.buffer_unordered(AT_ONCE).collect().await;
            for is_deleted in deleted {
                *(if is_deleted.map_err(stopped)? { &mut summary.deleted } else { &mut summary.left }) += 1;
            }
            interruption.check(summary.deleted, "accounts")?;
        }
        progress.finish_and_clear();
        Ok(summary)
    }

    /// Whether one of the runs has created an account.
    fn has_created(&self, profile: &Profile) -> bool {
        profile.imported.as_ref().is_some_and(|import| self.runs.contains(&import.run))
    }

    /// Deletes an account, or only says that it would, if it is as it was imported and nobody has used it.
    async fn delete(&self, profile: Profile) -> Result<bool, Fault> {
        let Deployment { operator, entries, .. } = self.deployment;
        // Everything is read again, so that little time is left for a login before the deletion.
        let Some(partition) = operator.partition(&profile.account.key).await? else { return Ok(false) };
        let found = &partition.profile;
        if !self.has_created(found) || !is_unused(&partition)? || entries.has_any_of(found.account.id).await? {
            return Ok(false);
        }
        Ok(self.dry_run || operator.undo(found, SystemClock.now()).await?)
    }
}

/// Whether an account is unchanged since its import and has no trace of a login. Once the session is deleted, a login
/// leaves a trace only if its browser became known or it changed something.
fn is_unused(partition: &Partition) -> Result<bool, Fault> {
    let account = partition.account();
    let is_without_traces = account.browsers.is_empty()
        && account.browsers_since.is_none()
        && account.passkey_user.is_none()
        && account.credentials_changed_by.is_none()
        && account.exported_at.is_none()
        && account.locked_at.is_none()
        && partition.profile.verify_expires_at.is_none()
        && partition.sessions().next().is_none();
    Ok(is_without_traces && partition.profile.is_untouched()?)
}

/// The failure of an undo that did not reach the end of the table.
fn stopped(fault: Fault) -> Failure {
    Failure::Failed(format!("{}. {GO_ON}", Failure::from(fault)))
}

/// The runs that a report names, except dry runs.
fn runs(report: &Path) -> Result<BTreeSet<String>, Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("{} cannot be read: {error}", report.display()));
    let mut runs = BTreeSet::new();
    for line in BufReader::new(File::open(report).map_err(failed)?).lines() {
        if let Ok(head) = serde_json::from_str::<Head>(&line.map_err(failed)?)
            && !head.dry_run
        {
            runs.insert(head.run);
        }
    }
    if runs.is_empty() {
        let text = format!("{} names no run: give the file of --report of the import", report.display());
        return Err(Failure::Failed(text));
    }
    Ok(runs)
}
