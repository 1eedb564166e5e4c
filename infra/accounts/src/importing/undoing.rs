//! `accounts import undo`: deletes accounts that runs created and that nobody has used since.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde::Serialize;
use shared::Fault;
use shared::store::operator::{Operator, Profile, is_profile};
use shared::system::clock::{Clock, SystemClock};

use super::report::Head;
use crate::cli::Target;
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::{GO_ON, Interruption};
use crate::rate::AT_ONCE;
use crate::scan::Scan;
use crate::{output, progress};

#[derive(Serialize)]
struct Summary {
    runs: usize,
    dry_run: bool,
    /// Accounts that are deleted.
    deleted: u64,
    /// Accounts that have changed since their import or been signed in to, and stay.
    left: u64,
}

/// Takes back the runs of a report.
pub(crate) async fn undo(target: &Target, report: &Path, dry_run: bool, yes: bool) -> Result<Done, Failure> {
    let runs = runs(report)?;
    let deployment = Deployment::of(target).await?;
    if !dry_run && !yes {
        output::confirm("This deletes the accounts that the import created. Type `undo` to go on: ", "undo")?;
    }
    let mut summary = Summary { runs: runs.len(), dry_run, deleted: 0, left: 0 };
    let (mut scan, interruption) = (Scan::of(&deployment.operator), Interruption::watch());
    let progress = progress::of_scan("rows");
    while let Some(items) = scan.next().await.map_err(stopped)? {
        interruption.check(summary.deleted, "accounts")?;
        progress.inc(u64::try_from(items.len()).unwrap_or_default());
        // A row that cannot be read is left.
        let profiles = items.into_iter().filter(is_profile).filter_map(|item| Profile::read(item).ok());
        let created = |profile: &Profile| profile.imported.as_ref().is_some_and(|import| runs.contains(&import.run));
        let deleting = iter(profiles.filter(created)).map(async |profile| {
            let operator = &deployment.operator;
            Ok(is_unused(operator, &profile).await? && (dry_run || operator.undo(&profile, SystemClock.now()).await?))
        });
        let deleted: Vec<Result<bool, Fault>> = deleting.buffer_unordered(AT_ONCE).collect().await;
        for is_deleted in deleted {
            *(if is_deleted.map_err(stopped)? { &mut summary.deleted } else { &mut summary.left }) += 1;
        }
    }
    progress.finish_and_clear();
    output::fields(target.json, &summary)?;
    Ok(Done::All)
}

/// Whether an account is as it was imported, and nobody has signed in to it.
async fn is_unused(operator: &Operator, profile: &Profile) -> Result<bool, Fault> {
    let account = &profile.account;
    if !profile.is_untouched()? || !account.browsers.is_empty() || !account.passkeys.is_empty() {
        return Ok(false);
    }
    let contents = operator.contents(&account.key).await?;
    Ok(contents.is_some_and(|contents| contents.sessions.is_empty()))
}

/// The failure of an undo that did not reach the end of the table.
fn stopped(fault: Fault) -> Failure {
    Failure::Failed(format!("{}. {GO_ON}", Failure::from(fault)))
}

/// The runs that a report names, except dry runs.
fn runs(report: &Path) -> Result<HashSet<String>, Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("{} cannot be read: {error}", report.display()));
    let mut runs = HashSet::new();
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
