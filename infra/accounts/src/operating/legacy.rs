//! `accounts legacy`: the accounts whose hash is another system's, and removing such hashes.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::store::operator::Profile;

use super::time;
use crate::cli::{Legacy, LegacyCommand, Removing, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::Interruption;
use crate::rate::Rate;
use crate::scan::{self, Scan};
use crate::trail::{CHUNK, Event, Subject, Trail};
use crate::{output, progress};

#[derive(Serialize)]
struct Counts {
    #[serde(flatten)]
    formats: BTreeMap<&'static str, u64>,
    legacy_hashes: u64,
}

/// An account of the list.
#[derive(Serialize)]
struct Listed<'a> {
    id: u64,
    email: &'a str,
    format: &'static str,
    created_at: Option<String>,
}

#[derive(Serialize)]
struct Removal<'a> {
    format: &'a str,
    dry_run: bool,
    /// Hashes that were removed, or would be.
    removed: u64,
    /// Accounts whose hash was replaced or removed after it was read.
    changed_meanwhile: u64,
}

/// Lists legacy hashes or removes them.
pub(super) async fn run(target: &Target, command: &Legacy) -> Result<Done, Failure> {
    match &command.remove {
        Some(LegacyCommand::Remove(removing)) => remove(target, removing).await,
        None => list(target, command).await,
    }
}

/// The name of the format of a legacy hash; `None` for this service's own format, or no password.
fn legacy_format(profile: &Profile) -> Option<&'static str> {
    let password = &profile.account.password;
    password.is_legacy().then(|| password.format_name())
}

async fn list(target: &Target, options: &Legacy) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let mut counts = Counts { formats: BTreeMap::new(), legacy_hashes: 0 };
    let mut reading = Reading::of(&deployment, options.rate.units);
    while let Some(profiles) = reading.next().await? {
        for profile in profiles {
            let Some(format) = legacy_format(&profile) else { continue };
            *counts.formats.entry(format).or_default() += 1;
            counts.legacy_hashes += 1;
            if options.list {
                print(target, &profile, format)?;
            }
        }
    }
    if options.list {
        output::note(&format!("{} legacy hashes", counts.legacy_hashes));
    } else {
        output::fields(target.json, &counts)?;
    }
    Ok(Done::All)
}

/// Prints an account as soon as it is read. The widths are fixed, because the widest text is not known yet.
fn print(target: &Target, profile: &Profile, format: &'static str) -> Result<(), Failure> {
    let account = &profile.account;
    let listed = Listed { id: account.id, email: account.email.as_str(), format, created_at: time(profile.created_at) };
    if target.json {
        return output::rows(true, &[listed]);
    }
    let created = listed.created_at.as_deref().unwrap_or("-");
    output::line(&format!("{:<10}  {format:<16}  {created:<20}  {}", listed.id, listed.email))
}

async fn remove(target: &Target, options: &Removing) -> Result<Done, Failure> {
    let (format, order) = (options.format.as_str(), &options.confirmed.order);
    let deployment = Deployment::of(target).await?;
    let question =
        format!("This removes all hashes of the format {format}. Their owners reset by mail. Type the format: ");
    options.confirmed.ask(&question, format)?;
    let mut removal = Removal { format, dry_run: order.dry_run, removed: 0, changed_meanwhile: 0 };
    let trail = Trail::unless_dry(&deployment, order).await?;
    let interruption = Interruption::watch();
    let mut reading = Reading::of(&deployment, options.rate.units);
    while let Some(mut profiles) = reading.next().await? {
        profiles.retain(|profile| legacy_format(profile) == Some(format));
        for chunk in profiles.chunks(CHUNK) {
            match &trail {
                None => removal.removed += u64::try_from(chunk.len()).unwrap_or_default(),
                Some(trail) => removal.chunk(&deployment, trail, chunk).await?,
            }
            interruption.check(removal.removed, "hashes")?;
        }
    }
    output::fields(target.json, &removal)?;
    Ok(Done::All)
}

impl Removal<'_> {
    /// Removes the hashes of some accounts, with their audit lines.
    async fn chunk(&mut self, deployment: &Deployment, trail: &Trail, chunk: &[Profile]) -> Result<(), Failure> {
        let removing = chunk.iter().map(|profile| {
            let account = &profile.account;
            (Subject::Account(account.id), deployment.operator.remove_password(account))
        });
        for removed in trail.record_all(Event::LegacyHashRemoved, removing.collect()).await? {
            *(if removed { &mut self.removed } else { &mut self.changed_meanwhile }) += 1;
        }
        Ok(())
    }
}

/// A scan for profiles, at a limited rate, with progress on the terminal.
struct Reading<'a> {
    scan: Scan<'a>,
    rate: Rate,
    progress: indicatif::ProgressBar,
}

impl<'a> Reading<'a> {
    fn of(deployment: &'a Deployment, units: u32) -> Self {
        let (scan, rate) = (Scan::of(&deployment.operator), Rate::new(units));
        Self { scan, rate, progress: progress::of_scan("accounts") }
    }

    /// The profiles of the next page that can be read.
    async fn next(&mut self) -> Result<Option<Vec<Profile>>, Failure> {
        self.rate.take(self.scan.units).await;
        let Some(rows) = self.scan.next().await? else {
            self.progress.finish_and_clear();
            return Ok(None);
        };
        // `accounts doctor --data` names the rows that cannot be read.
        let profiles: Vec<_> = rows.into_iter().filter_map(scan::profile).collect();
        self.progress.inc(u64::try_from(profiles.len()).unwrap_or_default());
        Ok(Some(profiles))
    }
}
