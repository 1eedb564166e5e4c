//! `accounts import`: users of another system become accounts.
//!
//! The file is read three times or more. The first pass checks every row and finds repeated ones; nothing is written before
//! it has ended. Then the largest id is found among the rows that will not be refused. The last pass compares the rows with
//! the table and writes.

mod counts;
mod fields;
mod file;
mod repeats;
mod report;
mod row;
mod run;
mod undoing;
mod wrapping;

pub(crate) use run::began;
pub(crate) use undoing::undo;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use indicatif::ProgressBar;
use serde::Serialize;
use shared::Fault;
use shared::account::avatar::Avatar;
use shared::password::legacy;
use shared::system::clock::{Clock, SystemClock};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::cli::{ImportOptions, SaltPlace, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::Interruption;
use crate::rate::Rate;
use crate::trail::{Event, Trail};
use crate::{output, progress};
use counts::{Counts, Fate, Settled};
use fields::{Columns, Found};
use file::Source;
use repeats::{Repeats, Seen};
use report::{Head, Outcome, Remark, Report};
use row::{Candidate, Keys, Rules};
use run::{CHUNK, Run, run_id};
use wrapping::Wrapping;

/// The chunks that are imported in parallel.
const CHUNKS: usize = 4;
/// What the count of unproved addresses means.
const UNPROVED: &str = "unproved: when the owner of such an address signs in with Google, the password is removed, \
                        because somebody else may have registered the address";
/// What to do about a row that cannot be read.
const UNREADABLE: Remark = Remark::new("row-unreadable", "correct the line");

/// What the first pass found.
struct Checked {
    rows: u64,
    repeats: Repeats,
}

#[derive(Serialize)]
struct Summary {
    run: String,
    dry_run: bool,
    #[serde(flatten)]
    counts: Counts,
}

/// Imports a file.
pub(crate) async fn import(target: &Target, options: &ImportOptions) -> Result<Done, Failure> {
    let source = Source::open(options)?;
    let mut columns = Columns::new(options)?;
    let deployment = Deployment::with_hashes(target).await?;
    let rules = rules(options)?;

    let checked = check(&source, &mut columns)?;
    if checked.rows == 0 {
        return Err(Failure::Failed(
            "the file has no rows: check the command that exported the users. Nothing was written".to_owned(),
        ));
    }
    if checked.repeats.gaps > 0 {
        let gaps = checked.repeats.gaps;
        output::note(&format!("ids that no row has, below the largest id: {gaps}. They do no harm, and stay unused"));
    }
    for note in columns.notes() {
        output::note(&note);
    }
    let now = SystemClock.now();
    let id = run_id(now)?;
    let mut report = Report::open(options.report.as_deref(), &Head { run: id.clone(), dry_run: options.dry_run })?;
    let run = Run {
        id: id.clone(),
        dry: options.dry_run,
        rate: Rate::new(options.rate),
        imported_ids: deployment.operator.imported_ids().await?,
        without_deleted: options.without_deleted,
        move_addresses: options.move_addresses,
        was_empty: !deployment.operator.has_accounts().await?,
        now,
        wrapping: Wrapping::open(options.hash_cache.as_deref())?,
        interruption: Interruption::watch(),
        deployment: &deployment,
    };
    let Checked { rows, repeats } = checked;
    let plan = Plan { source, columns, rules, repeats };
    let mut counts = Counts::default();
    if options.dry_run {
        let done = second_pass(plan, rows, &run, &mut report, &mut counts).await;
        done.map_err(|failure| go_on(&run, &failure))?;
    } else {
        let trail = Trail::open(&deployment, None).await?;
        trail.intend(Event::UsersImported, format!("import {id}")).await?;
        let done = Box::pin(write(plan, rows, &run, &mut report, &mut counts)).await;
        trail.conclude(Event::UsersImported, format!("import {id}: {counts}"), done).await?;
    }
    output::fields(target.json, &Summary { run: id, dry_run: options.dry_run, counts })?;
    if counts.unproved > 0 {
        output::note(UNPROVED);
    }
    if let Some(note) = run.wrapping.note() {
        output::note(&note);
    }
    Ok(if counts.refused > 0 { Done::WithRefusals } else { Done::All })
}

/// Closes the ids of the rows to new users, and writes the rows.
async fn write(
    mut plan: Plan,
    rows: u64,
    run: &Run<'_>,
    report: &mut Report,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let last_id = plan.last_id(run).await?;
    if last_id > 0 {
        close_ids(run.deployment, last_id).await?;
    }
    let done = second_pass(plan, rows, run, report, counts).await;
    done.map_err(|failure| go_on(run, &failure))?;
    if last_id > run.imported_ids {
        run.deployment.operator.note_imported_ids(last_id).await?;
    }
    Ok(())
}

/// Makes sure that no new user gets an id of the file: raises the counter, and waits until older leases are over.
async fn close_ids(deployment: &Deployment, last: u64) -> Result<(), Failure> {
    let certain = deployment.operator.close_ids(last, SystemClock.now()).await?;
    let left = certain.milliseconds().saturating_sub(SystemClock.now().milliseconds());
    if left > 0 {
        output::note(&format!(
            "waiting {} s: until then a function may give an id up to {last} to a new user",
            left.div_ceil(1000)
        ));
        tokio::time::sleep(Duration::from_millis(left)).await;
    }
    Ok(())
}

/// The failure of a run that did not reach the end of the file, and what to do.
fn go_on(run: &Run<'_>, failure: &Failure) -> Failure {
    Failure::Failed(format!(
        "{failure}. Run the same command again to go on; with a report, `accounts import undo` takes run {} back",
        run.id
    ))
}

fn rules(options: &ImportOptions) -> Result<Rules, Failure> {
    Ok(Rules {
        proved: match options.proved.as_str() {
            "all" => Some(true),
            "none" => Some(false),
            _ => None,
        },
        symfony: options.symfony,
        salt: options.salt.map(|place| match place {
            SaltPlace::First => legacy::SaltPlace::First,
            SaltPlace::Last => legacy::SaltPlace::Last,
        }),
        without_password_if_unknown: options.without_password_if_unknown,
        avatar_map: options.avatar_map.as_deref().map(avatar_map).transpose()?.unwrap_or_default(),
    })
}

fn avatar_map(path: &Path) -> Result<HashMap<String, Avatar>, Failure> {
    let shown = path.display();
    let failed = |error: csv::Error| Failure::Failed(format!("the avatar map {shown} cannot be read: {error}"));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path).map_err(failed)?;
    let lines = reader.records().map(|line| {
        let line = line.map_err(failed)?;
        let new = (line.len() == 2).then(|| Avatar::named(line.get(1)?)).flatten();
        let number = line.position().map_or(0, csv::Position::line);
        let new = new.ok_or_else(|| {
            Failure::Usage(format!("line {number} of {shown} is not OLD,NEW with NEW from 01 to 10, or default"))
        });
        Ok((line.get(0).unwrap_or_default().to_owned(), new?))
    });
    lines.collect()
}

fn check(source: &Source, columns: &mut Columns) -> Result<Checked, Failure> {
    let (mut rows, mut seen) = (0, Seen::default());
    source.rows(columns, |found| {
        rows += 1;
        if let Ok(row) = found {
            seen.add(row.line, &Keys::of(&row));
        }
        Ok(())
    })?;
    columns.check()?;
    Ok(Checked { rows, repeats: seen.repeats() })
}

/// A row that the second pass has read.
enum Read {
    Ready(u64, Box<Candidate>),
    /// Its line, its id, and why it is refused: remarks, and the reader's reason if it cannot be read.
    Refused(u64, Option<u64>, Vec<Remark>, Option<String>),
}

fn read(found: Found, rules: &Rules, repeats: &Repeats) -> Read {
    let row = match found {
        Ok(row) => row,
        Err((line, reason)) => return Read::Refused(line, None, vec![UNREADABLE], Some(reason)),
    };
    let keys = Keys::of(&row);
    match (rules.read(&row), repeats.of(row.line, &keys)) {
        (Ok(candidate), repeated) if repeated.is_empty() => Read::Ready(row.line, Box::new(candidate)),
        (read, repeated) => {
            Read::Refused(row.line, keys.id, read.err().into_iter().flatten().chain(repeated).collect(), None)
        }
    }
}

/// The second pass: reads the rows on another thread, imports several chunks in parallel, and reports the chunks in the
/// order of the file.
async fn second_pass(
    plan: Plan,
    rows: u64,
    run: &Run<'_>,
    report: &mut Report,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let (sender, mut receiver) = mpsc::channel(CHUNKS * CHUNK);
    let reading = spawn_blocking(move || {
        let Plan { source, mut columns, rules, repeats } = plan;
        source.rows(&mut columns, |found| {
            let row = read(found, &rules, &repeats);
            sender.blocking_send(row).map_err(|_| Failure::Failed("the import has stopped".to_owned()))
        })
    });
    let mut tally = Tally { counts, progress: progress::of_rows(rows), report, fault: None };
    let mut under_way = FuturesOrdered::new();
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Some(row) = receiver.recv().await {
        match row {
            Read::Refused(line, id, remarks, reason) => tally.refused(line, id, &remarks, reason.as_deref())?,
            Read::Ready(line, candidate) => chunk.push((line, *candidate)),
        }
        if chunk.len() == CHUNK {
            under_way.push_back(run.chunk(std::mem::take(&mut chunk)));
        }
        if under_way.len() == CHUNKS {
            tally.settled(under_way.next().await)?;
        }
        if run.is_interrupted() || tally.fault.is_some() {
            break;
        }
    }
    if tally.fault.is_none() {
        under_way.push_back(run.chunk(chunk));
    }
    // Also after a fault, so that the report has the rows that are written meanwhile.
    while !under_way.is_empty() {
        tally.settled(under_way.next().await)?;
    }
    tally.progress.finish_and_clear();
    let fault = tally.fault;
    report.flush()?;
    report.end();
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    if run.is_interrupted() {
        return Err(Failure::Failed(format!("interrupted after {} of {rows} rows", counts.rows)));
    }
    reading.await.map_err(|error| Failure::Failed(format!("the file cannot be read: {error}")))?
}

/// What the second pass reads, and by which rules.
struct Plan {
    source: Source,
    columns: Columns,
    rules: Rules,
    repeats: Repeats,
}

impl Plan {
    /// The largest id of the rows that are not refused; 0 if there is none. No refused row raises the counter of ids.
    async fn last_id(&mut self, run: &Run<'_>) -> Result<u64, Failure> {
        let Self { source, columns, rules, repeats } = self;
        let (mut below, mut most) = (u64::MAX, CHUNK);
        loop {
            let mut largest = BTreeMap::new();
            source.rows(columns, |found| {
                if let Read::Ready(_, candidate) = read(found, rules, repeats) {
                    let id = candidate.profile.account.id;
                    if id < below {
                        largest.insert(Reverse(id), *candidate);
                    }
                    if largest.len() > most {
                        largest.pop_last();
                    }
                }
                Ok(())
            })?;
            let Some((Reverse(smallest), _)) = largest.last_key_value() else { return Ok(0) };
            below = *smallest;
            let candidates: Vec<Candidate> = largest.into_values().collect();
            if let Some(id) = run.first_accepted(&candidates).await? {
                return Ok(id);
            }
            // The next time more of them, so that the file is read a few times at the most.
            most *= 4;
        }
    }
}

/// Counts the rows, reports them, and shows the progress.
struct Tally<'a> {
    counts: &'a mut Counts,
    progress: ProgressBar,
    report: &'a mut Report,
    /// The first fault of a row.
    fault: Option<Fault>,
}

impl Tally<'_> {
    fn refused(&mut self, line: u64, id: Option<u64>, remarks: &[Remark], reason: Option<&str>) -> Result<(), Failure> {
        self.counts.rows += 1;
        self.counts.refused += 1;
        self.show();
        self.report.row(line, id, Outcome::Refused, remarks, reason)
    }

    /// Counts and reports the rows of a chunk. A killed run has reported everything but its last chunks.
    fn settled(&mut self, chunk: Option<Vec<Result<Settled, Fault>>>) -> Result<(), Failure> {
        for settled in chunk.into_iter().flatten() {
            let settled = match settled {
                Ok(settled) => settled,
                Err(fault) => {
                    self.fault.get_or_insert(fault);
                    continue;
                }
            };
            self.counts.add(&settled);
            let (line, id) = (settled.line, Some(settled.candidate.profile.account.id));
            match settled.fate {
                Fate::NotWritten(outcome, remark) => self.report.row(line, id, outcome, &[remark], None)?,
                // Of an unchanged row too: the run that wrote it may have been killed before it reported the row.
                Fate::Created | Fate::Updated | Fate::Unchanged => {
                    self.report.row(line, id, Outcome::Changed, &settled.candidate.changes, None)?;
                }
            }
        }
        self.show();
        self.report.flush()
    }

    fn show(&self) {
        self.progress.set_position(self.counts.rows);
        self.progress.set_message(format!("{} refused", self.counts.refused));
    }
}
