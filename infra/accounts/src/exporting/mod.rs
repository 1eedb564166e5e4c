//! `accounts export`: all accounts, in the format that `accounts import` reads, or all entries.
//!
//! Several segments of the table are read in parallel. After each page, the state of the export is written beside its file,
//! so that an export that was interrupted goes on.

mod file;
mod line;

pub(crate) use line::{Entry, Line, rfc3339};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;
use shared::Fault;
use shared::account::avatar::Avatars;
use shared::store::StoredEntry;
use shared::store::operator::{Kind, Operator, Place, Row, Scanned};

use crate::cli::{Export, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::Interruption;
use crate::rate::Rate;
use crate::{output, progress};
use file::{Output, Segment};

#[derive(Serialize)]
struct Summary {
    lines: u64,
    /// Accounts or entries that the service could not read. They are left out.
    broken: u64,
}

/// Exports all accounts or entries.
pub(crate) async fn export(target: &Target, options: &Export) -> Result<Done, Failure> {
    let deployment =
        if options.with_hashes { Deployment::with_hashes(target).await? } else { Deployment::of(target).await? };
    let mut out = Output::open(options, &deployment.name)?;
    let rate = Rate::new(options.rate);
    let interruption = Interruption::watch();
    let is_between = options.is_to_stdout() && output::is_terminal();
    let progress = if is_between { progress::hidden() } else { progress::of_scan("lines") };
    let segments = i32::try_from(out.state.segments.len()).unwrap_or(1);
    let page = async |index: usize, start: Option<Place>| -> Result<(usize, Scanned<Found>), Fault> {
        let segment = (i32::try_from(index).unwrap_or_default(), segments);
        Ok((index, Found::page(&deployment.operator, options.entries, segment, start).await?))
    };
    let mut under_way = FuturesUnordered::new();
    for (index, segment) in out.state.segments.iter().enumerate().filter(|(_, segment)| !segment.is_done) {
        under_way.push(page(index, segment.start()));
    }
    while let Some(scanned) = under_way.next().await {
        let (index, scanned) =
            scanned.map_err(|fault| Failure::Failed(format!("{}. {}", Failure::from(fault), out.go_on())))?;
        scanned.found.write(&mut out, &deployment.avatars, options.with_hashes)?;
        out.page(index, Segment::after(scanned.next.clone()))?;
        progress.set_position(out.state.lines);
        rate.take(scanned.units).await;
        if interruption.has_come() {
            return Err(Failure::Failed(format!("interrupted after {} lines. {}", out.state.lines, out.go_on())));
        }
        if scanned.next.is_some() {
            under_way.push(page(index, scanned.next));
        }
    }
    progress.finish_and_clear();
    let summary = Summary { lines: out.state.lines, broken: out.state.broken };
    let is_stdout = out.end()?;
    if is_stdout {
        output::note(&format!("{} lines, {} broken rows", summary.lines, summary.broken));
    } else {
        output::fields(target.json, &summary)?;
    }
    Ok(if summary.broken > 0 { Done::WithRefusals } else { Done::All })
}

/// What a page has.
enum Found {
    Accounts(Vec<Row>),
    /// The error is the id of an entry that cannot be read.
    Entries(Vec<Result<StoredEntry, String>>),
}

impl Found {
    async fn page(
        operator: &Operator,
        entries: bool,
        segment: (i32, i32),
        start: Option<Place>,
    ) -> Result<Scanned<Self>, Fault> {
        Ok(if entries {
            let Scanned { found, next, units } = operator.scan_entries(segment, start).await?;
            Scanned { found: Self::Entries(found), next, units }
        } else {
            let Scanned { found, next, units } = operator.scan(segment, start).await?;
            Scanned { found: Self::Accounts(found), next, units }
        })
    }

    /// Writes the lines of the accounts or entries.
    fn write(&self, out: &mut Output, avatars: &Avatars, with_hashes: bool) -> Result<(), Failure> {
        match self {
            Self::Accounts(rows) => {
                for row in rows {
                    match &row.kind {
                        Kind::Profile(profile) => out.line(&Line::exported(profile, avatars, with_hashes))?,
                        Kind::Broken if row.key == Row::profile_key(&row.key.0) => out.broken(&row.key.0),
                        _ => {}
                    }
                }
            }
            Self::Entries(entries) => {
                for entry in entries {
                    match entry {
                        Ok(entry) => out.line(&Entry::of(entry))?,
                        Err(id) => out.broken(id),
                    }
                }
            }
        }
        Ok(())
    }
}
