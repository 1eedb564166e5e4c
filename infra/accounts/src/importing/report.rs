//! The report of an import: a head for each run, and a line of JSON for each remark about a row.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::{output, private};

/// The refused rows that are named on standard error if there is no report.
const NAMED: u64 = 10;

/// Why a row is refused, changed or left, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    pub(crate) code: &'static str,
    pub(crate) action: &'static str,
    /// Another row that it is about.
    pub(crate) other_line: Option<u64>,
}

impl Remark {
    pub(crate) const fn new(code: &'static str, action: &'static str) -> Self {
        Self { code, action, other_line: None }
    }
}

/// What an import did with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// It was not imported.
    Refused,
    /// It was imported, with a change or with a warning (`maybe-deleted`).
    Changed,
    /// Nothing was written: the account has changed here since its import, or its owner may have deleted it here.
    Left,
}

/// The first line of a run's part of the report.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    /// The run's id. Accounts that it created have it too.
    pub(crate) run: String,
    pub(crate) dry_run: bool,
}

#[derive(Serialize)]
struct Entry<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    outcome: Outcome,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_line: Option<u64>,
    action: &'a str,
    run: &'a str,
}

/// A report. Without a file it names the first refused rows on standard error.
pub(crate) struct Report {
    run: String,
    out: Option<BufWriter<File>>,
    path: PathBuf,
    refused: u64,
}

impl Report {
    /// Opens the report and writes its head, before anything else is written.
    pub(crate) fn open(path: Option<&Path>, head: &Head) -> Result<Self, Failure> {
        let path_or_none = path.unwrap_or(Path::new("")).to_owned();
        let mut report = Self { run: head.run.clone(), out: None, path: path_or_none, refused: 0 };
        if let Some(path) = path {
            let file = private::options().create(true).append(true).open(path);
            report.out = Some(BufWriter::new(file.map_err(|error| report.failed(&error))?));
            report.write(head)?;
            report.flush()?;
        }
        Ok(report)
    }

    /// Writes a line for each remark about a row. `reason` says why a row cannot be read.
    pub(crate) fn row(
        &mut self,
        line: u64,
        id: Option<u64>,
        outcome: Outcome,
        remarks: &[Remark],
        reason: Option<&str>,
    ) -> Result<(), Failure> {
        if self.out.is_none() && outcome == Outcome::Refused {
            self.refused += 1;
            if self.refused <= NAMED {
                let why = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
                for Remark { code, action, other_line } in remarks {
                    let other = other_line.map(|other| format!(" (as line {other})")).unwrap_or_default();
                    output::note(&format!("line {line}: {code}{why}{other}: {action}"));
                }
            }
        }
        let run = self.run.clone();
        remarks.iter().try_for_each(|&Remark { code, action, other_line }| {
            self.write(&Entry { line, id, outcome, code, reason, other_line, action, run: &run })
        })
    }

    /// Ends the report: says how many refused rows were not named.
    pub(crate) fn end(&self) {
        let unnamed = self.refused.saturating_sub(NAMED);
        if unnamed > 0 {
            output::note(&format!("and {unnamed} more: --report FILE lists all"));
        }
    }

    /// Writes everything so far to the file.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let flushed = self.out.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| self.failed(&error))
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let written = output::json(line).map_err(std::io::Error::from).and_then(|text| writeln!(out, "{text}"));
        written.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::Failed(format!("the report {} cannot be written: {error}", self.path.display()))
    }
}
