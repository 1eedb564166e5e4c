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
use shared::store::operator::{Profile, Rows, Scanned, is_profile, text};

use crate::cli::{Export, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::Interruption;
use crate::rate::Rate;
use crate::scan::Item;
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
    let deployment = Deployment::of(target).await?;
    let mut out = Output::open(options, &deployment.name)?;
    let rows = if options.entries { Rows::Entries } else { Rows::Accounts };
    let rate = Rate::new(options.rate);
    let interruption = Interruption::watch();
    let progress = progress::of_scan("lines");
    let segments = i32::try_from(out.state.segments.len()).unwrap_or(1);
    let page = async |index: usize, start: Option<Item>| -> Result<(usize, Scanned), Fault> {
        let segment = i32::try_from(index).unwrap_or_default();
        Ok((index, deployment.operator.scan(rows, segment, segments, start).await?))
    };
    let mut under_way = FuturesUnordered::new();
    for (index, segment) in out.state.segments.iter().enumerate().filter(|(_, segment)| !segment.is_done) {
        under_way.push(page(index, segment.start()));
    }
    while let Some(scanned) = under_way.next().await {
        let (index, scanned) =
            scanned.map_err(|fault| Failure::Failed(format!("{}. {}", Failure::from(fault), out.go_on())))?;
        for item in &scanned.items {
            write(&mut out, item, options)?;
        }
        out.page(index, Segment::after(scanned.next.as_ref()))?;
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

/// Writes the line of an item, if it is an account or an entry.
fn write(out: &mut Output, item: &Item, options: &Export) -> Result<(), Failure> {
    if options.entries {
        return match Entry::of(item) {
            Some(entry) => out.line(&entry),
            None => out.broken(text(item, "id").unwrap_or_default()),
        };
    }
    if !is_profile(item) {
        return Ok(());
    }
    match Profile::read(item.clone()) {
        Ok(profile) => out.line(&Line::of(&profile, options.with_hashes)),
        Err(_) => out.broken(text(item, "pk").unwrap_or_default()),
    }
}
