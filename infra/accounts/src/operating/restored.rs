//! `accounts prepare-restored`, which makes a restored table ready for use, and `accounts sessions end-all`.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde::Serialize;
use shared::store::operator::{Kind, Profile, Row};
use shared::store::{COUNTER_MAX, Erased, ID_MARGIN};
use shared::system::clock::{Clock, SystemClock, Timestamp};
use shared::{AccountKey, Fault};

use crate::cli::{EndingAll, PreparingRestored, Target};
use crate::connection::{Deployment, Location};
use crate::failure::{Done, Failure};
use crate::importing::began;
use crate::interruption::Interruption;
use crate::rate::{AT_ONCE, Rate};
use crate::scan::{self, Scan};
use crate::trail::{CHUNK, Event, LogGroup, Logs, Subject, Trail};
use crate::{lookup, output, progress};

use super::NO_BACKUPS;

/// What one pass through a table does, and what it has done.
struct Pass<'a> {
    deployment: &'a Deployment,
    /// `None` in a dry run.
    trail: Option<Trail>,
    rate: Rate,
    ends_sessions: bool,
    /// The accounts to erase, with the times of their deletions.
    erased: BTreeMap<u64, Timestamp>,
    sessions_ended: u64,
    accounts_erased: u64,
}

#[derive(Serialize)]
struct Ended {
    dry_run: bool,
    sessions_ended: u64,
}

#[derive(Serialize)]
struct Prepared<'a> {
    table: &'a str,
    dry_run: bool,
    sessions_ended: u64,
    accounts_erased: u64,
    /// The counter of ids after it is raised; `None` if the table is in use already.
    counter: Option<u64>,
}

/// Ends the sessions of all accounts.
pub(super) async fn end_all(target: &Target, options: &EndingAll) -> Result<Done, Failure> {
    let EndingAll { confirmed, rate } = options;
    let order = &confirmed.order;
    let deployment = Deployment::of(target).await?;
    confirmed.ask("This ends the sessions of all accounts. Type `all` to go on: ", "all")?;
    let trail = Trail::unless_dry(&deployment, order).await?;
    let mut pass = Pass::of(&deployment, trail, rate.units);
    pass.ends_sessions = true;
    pass.run().await?;
    output::fields(target.json, &Ended { dry_run: order.dry_run, sessions_ended: pass.sessions_ended })?;
    Ok(Done::All)
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
            let own = Deployment::at(target, location.clone()).await.map_err(|failure| {
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
    let deployment = Deployment::at(target, Location { accounts: table.clone(), ..location }).await?;
    let erased = LogGroup::of(&deployment.config, stack, Logs::Functions).await?.erased_accounts(*moment).await?;
    let sessions = if counter.is_some() { "ends all sessions and " } else { "" };
    let question = format!("This {sessions}erases up to {} accounts in {table}. Type its name: ", erased.len());
    confirmed.ask(&question, table)?;
    let trail = Trail::unless_dry(&deployment, order).await?;
    if let (Some(counter), Some(trail)) = (counter, &trail) {
        let raising = async { deployment.operator.close_ids(counter, SystemClock.now()).await.map(|_| true) };
        trail.record_all(Event::CounterRaised, vec![(Subject::Row(format!("counter of {table}")), raising)]).await?;
    }
    let mut pass = Pass::of(&deployment, trail, rate.units);
    pass.ends_sessions = counter.is_some();
    pass.erased = erased;
    pass.run().await?;
    let Pass { sessions_ended, accounts_erased, .. } = pass;
    let prepared = Prepared { table, dry_run: order.dry_run, sessions_ended, accounts_erased, counter };
    output::fields(target.json, &prepared)?;
    Ok(Done::All)
}

impl<'a> Pass<'a> {
    fn of(deployment: &'a Deployment, trail: Option<Trail>, units: u32) -> Self {
        let rate = Rate::new(units);
        let erased = BTreeMap::new();
        Self { deployment, trail, rate, ends_sessions: false, erased, sessions_ended: 0, accounts_erased: 0 }
    }

    async fn run(&mut self) -> Result<(), Failure> {
        let (mut scan, interruption) = (Scan::of(&self.deployment.operator), Interruption::watch());
        let progress = progress::of_scan("rows");
        while let Some(rows) = scan.next().await? {
            interruption.check(progress.position(), "rows")?;
            progress.inc(u64::try_from(rows.len()).unwrap_or_default());
            self.rate.take(scan.units).await;
            if self.ends_sessions {
                self.end_sessions(&rows).await?;
            }
            self.erase(rows).await?;
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Deletes the sessions among some rows.
    async fn end_sessions(&mut self, rows: &[Row]) -> Result<(), Failure> {
        let session = |row: &Row| match &row.kind {
            Kind::Session(session) => Some((AccountKey::parse(&row.key.0)?, session.clone())),
            _ => None,
        };
        let sessions: Vec<_> = rows.iter().filter_map(session).collect();
        let count = sessions.len();
        if let Some(trail) = self.trail.as_ref().filter(|_| count > 0) {
            let (operator, rate) = (&self.deployment.operator, &self.rate);
            let deleting = async {
                let deletions = iter(sessions).map(async |(key, session)| {
                    rate.take(1.0).await;
                    operator.end_session(&key, &session).await
                });
                let deleted: Vec<Result<bool, Fault>> = deletions.buffer_unordered(AT_ONCE).collect().await;
                deleted.into_iter().collect::<Result<Vec<_>, _>>().map(|_| true)
            };
            let subject = Subject::Row(format!("{count} sessions of {}", self.deployment.table));
            trail.record_all(Event::SessionsEnded, vec![(subject, deleting)]).await?;
        }
        self.sessions_ended += u64::try_from(count).unwrap_or_default();
        Ok(())
    }

    /// Whether an account is to be erased. One that an import has created again after the deletion is not.
    fn is_erased(&self, profile: &Profile) -> bool {
        let began = profile.imported.as_ref().and_then(|imported| began(&imported.run));
        self.erased.get(&profile.account.id).is_some_and(|deleted| began.is_none_or(|began| began <= *deleted))
    }

    /// Erases the accounts among some rows that are to be erased.
    async fn erase(&mut self, rows: Vec<Row>) -> Result<(), Failure> {
        let profiles = rows.into_iter().filter_map(scan::profile);
        let accounts = profiles.filter(|profile| self.is_erased(profile)).map(|profile| profile.account);
        let accounts: Vec<_> = accounts.collect();
        for chunk in accounts.chunks(CHUNK) {
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
