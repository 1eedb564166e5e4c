//! The report of an import: a line of JSON for each row that is not imported as it stands.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Why a row is refused, changed or left, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Remark {
    pub(crate) code: &'static str,
    pub(crate) action: &'static str,
}

impl Remark {
    pub(crate) const fn new(code: &'static str, action: &'static str) -> Self {
        Self { code, action }
    }
}

/// What an import did with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// It was not imported.
    Refused,
    /// It was imported with a change.
    Changed,
    /// The account has changed here since its import, and is left as it is.
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
    action: &'a str,
}

/// A report, or none.
pub(crate) struct Report {
    out: Option<BufWriter<File>>,
    path: PathBuf,
}

impl Report {
    /// Opens the report and writes its head, before anything else is written.
    pub(crate) fn open(path: Option<&Path>, head: &Head) -> Result<Self, Failure> {
        let mut report = Self { out: None, path: path.unwrap_or(Path::new("")).to_owned() };
        if let Some(path) = path {
            let file = OpenOptions::new().create(true).append(true).open(path);
            report.out = Some(BufWriter::new(file.map_err(|error| report.failed(&error))?));
            report.write(head)?;
            report.flush()?;
        }
        Ok(report)
    }

    /// Writes a line for a row.
    pub(crate) fn row(&mut self, line: u64, id: Option<u64>, outcome: Outcome, remark: Remark) -> Result<(), Failure> {
        self.write(&Entry { line, id, outcome, code: remark.code, action: remark.action })
    }

    /// Writes the rest of the report to the disk.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let flushed = self.out.as_mut().map_or(Ok(()), Write::flush);
        flushed.map_err(|error| self.failed(&error))
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let written =
            serde_json::to_writer(&mut *out, line).map_err(std::io::Error::from).and_then(|()| out.write_all(b"\n"));
        written.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::Failed(format!("the report {} cannot be written: {error}", self.path.display()))
    }
}
