//! `accounts import undo`: deletes accounts that runs created and that have not changed since.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Serialize;
use shared::store::operator::{Profile, is_profile};

use super::report::Head;
use crate::cli::Target;
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::scan::Scan;

#[derive(Serialize)]
struct Summary {
    runs: usize,
    dry_run: bool,
    /// Accounts that are deleted.
    deleted: u64,
    /// Accounts that have changed since their import, and stay.
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
    let mut scan = Scan::of(&deployment.operator);
    while let Some(items) = scan.next().await? {
        for item in items.into_iter().filter(is_profile) {
            // A row that cannot be read is left.
            let Ok(profile) = Profile::read(item) else { continue };
            if !profile.imported.as_ref().is_some_and(|imported| runs.contains(&imported.run)) {
                continue;
            }
            let is_deleted = profile.is_untouched()? && (dry_run || deployment.operator.remove(&profile).await?);
            *(if is_deleted { &mut summary.deleted } else { &mut summary.left }) += 1;
        }
    }
    output::fields(target.json, &summary)?;
    Ok(Done::All)
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
