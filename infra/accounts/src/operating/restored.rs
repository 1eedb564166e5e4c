//! `accounts prepare-restored`, which makes a restored table ready for use.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::OperatorAccess::WithoutHashes;
use shared::store::operator::{NotBefore, Profile, Row};
use shared::store::{COUNTER_MAX, Erased, ID_MARGIN};
use shared::system::clock::{Clock, SystemClock, Timestamp};

use crate::cli::{PreparingRestored, Target};
use crate::connection::{Deployment, Location};
use crate::failure::{Done, Failure};
use crate::importing::began;
use crate::interruption::Interruption;
use crate::rate::Rate;
use crate::scan::{self, Scan};
use crate::trail::{CHUNK, Event, LogGroup, Logs, Subject, Trail};
use crate::{lookup, output, progress};

use super::NO_BACKUPS;
use super::sessions::next_second;

/// What one pass through a table does, and what it has done.
struct Pass<'a> {
    deployment: &'a Deployment,
    /// `None` in a dry run.
    trail: Option<Trail>,
    rate: Rate,
    /// The accounts to erase, with the times of their deletions.
    erased: BTreeMap<u64, Timestamp>,
    accounts_erased: u64,
}

#[derive(Serialize)]
struct Prepared<'a> {
    table: &'a str,
    dry_run: bool,
    /// Whether all sessions have ended, or would end. They stay if the table is in use already.
    sessions_ended: bool,
    accounts_erased: u64,
    /// The counter of ids after it is raised; `None` if the table is in use already.
    counter: Option<u64>,
}

/// Makes a restored table ready for use.
pub(super) async fn prepare(target: &Target, options: &PreparingRestored) -> Result<Done, Failure> {
    let PreparingRestored { table, moment, last_id, confirmed, rate } = options;
    let (stack, order) = (target.in_aws(NO_BACKUPS)?, &confirmed.order);
    let location = Location::of(target).await?;
    let counter = match last_id {
        _ if location.accounts == *table => None,
        Some(last) => Some(last.saturating_add(ID_MARGIN)),
        None => {
            let own = Deployment::at(target, location.clone(), WithoutHashes).await.map_err(|failure| {
                Failure::Failed(format!("{failure}. If the table does not exist any more, give --last-id"))
            })?;
            let last = lookup::last_id(&own.operator).await?;
            if last > COUNTER_MAX {
                let text =
                    format!("the counter of ids of the stack's own table is at its end ({last}): give --last-id");
                return Err(Failure::Usage(text));
            }
            // Far more than the ids that are assigned before the functions use the table.
            Some(last.saturating_add(ID_MARGIN))
        }
    };
    let location = Location { accounts: table.clone(), ..location };
    let deployment = Deployment::at(target, location, WithoutHashes).await?;
    let erased = LogGroup::of(&deployment.config, stack, Logs::Functions).await?.erased_accounts(*moment).await?;
    let sessions = if counter.is_some() { "ends all sessions and " } else { "" };
    let question = format!("This {sessions}erases up to {} accounts in {table}. Type its name: ", erased.len());
    confirmed.ask(&question, table)?;
    let trail = Trail::unless_dry(&deployment, order).await?;
    if let (Some(counter), Some(trail)) = (counter, &trail) {
        let raising = async { deployment.operator.close_ids(counter, SystemClock.now()).await.map(|_| true) };
        trail.record_all(Event::CounterRaised, vec![(Subject::Row(format!("counter of {table}")), raising)]).await?;
        let before = NotBefore::at(next_second(SystemClock.now()));
        let ending = Box::pin(deployment.operator.end_sessions_before(before));
        trail
            .record_all(Event::SessionsEnded, vec![(Subject::Row(format!("all sessions of {table}")), ending)])
            .await?;
    }
    let mut pass = Pass::of(&deployment, trail, rate.units);
    pass.erased = erased;
    pass.run().await?;
    let (sessions_ended, accounts_erased) = (counter.is_some(), pass.accounts_erased);
    let prepared = Prepared { table, dry_run: order.dry_run, sessions_ended, accounts_erased, counter };
    output::fields(target.json, &prepared)?;
    Ok(Done::All)
}

impl<'a> Pass<'a> {
    fn of(deployment: &'a Deployment, trail: Option<Trail>, units: u32) -> Self {
        let rate = Rate::new(units);
        let erased = BTreeMap::new();
        Self { deployment, trail, rate, erased, accounts_erased: 0 }
    }

    async fn run(&mut self) -> Result<(), Failure> {
        let (mut scan, interruption) = (Scan::of(&self.deployment.operator), Interruption::watch());
        let progress = progress::of_scan("rows");
        while let Some(rows) = scan.next().await? {
            interruption.check(progress.position(), "rows")?;
            progress.inc(u64::try_from(rows.len()).unwrap_or_default());
            self.rate.take(scan.units).await;
            self.erase(rows, &interruption).await?;
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Whether an account is to be erased. One that an import has created again after the deletion is not.
    fn is_erased(&self, profile: &Profile) -> bool {
        let began = profile.imported.as_ref().and_then(|imported| began(&imported.run));
        self.erased.get(&profile.account.id).is_some_and(|deleted| began.is_none_or(|began| began <= *deleted))
    }

    /// Erases the accounts among some rows that are to be erased.
    async fn erase(&mut self, rows: Vec<Row>, interruption: &Interruption) -> Result<(), Failure> {
        let profiles = rows.into_iter().filter_map(scan::profile);
        let accounts = profiles.filter(|profile| self.is_erased(profile)).map(|profile| profile.account);
        let accounts: Vec<_> = accounts.collect();
        for chunk in accounts.chunks(CHUNK) {
            interruption.check(self.accounts_erased, "accounts")?;
            let erased = if let Some(trail) = &self.trail {
                let operator = &self.deployment.operator;
                let changes = chunk.iter().map(|account| {
                    let erasing = Box::pin(async { Ok(operator.erase(account).await? == Erased::Done) });
                    (Subject::Account(account.id), erasing)
                });
                let outcomes = trail.record_all(Event::AccountErased, changes.collect()).await?;
                outcomes.into_iter().filter(|is_erased| *is_erased).count()
            } else {
                chunk.len()
            };
            self.accounts_erased += u64::try_from(erased).unwrap_or_default();
        }
        Ok(())
    }
}
