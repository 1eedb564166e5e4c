//! The journal of a reset of many accounts: a line of JSON for each step of each account, so that the same command can go
//! on after an interruption.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::{output, private};

/// How far the reset of an account has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    /// The password may have been removed.
    Intended,
    /// The password was removed.
    Reset,
    /// The link was mailed.
    Mailed,
}

#[derive(Serialize, Deserialize)]
struct Line {
    id: u64,
    step: Step,
}

/// The steps of earlier runs and of this one.
#[derive(Default)]
pub(super) struct Journal {
    steps: HashMap<u64, Step>,
    /// `None` in a dry run.
    file: Option<(File, PathBuf)>,
}

impl Journal {
    /// Reads the journal of earlier runs.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(path, &error)),
        };
        let mut steps = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            let wrong = || {
                let text = format!("line {} of {} is not a journal's: name another file", number + 1, path.display());
                Failure::Usage(text)
            };
            match serde_json::from_str(line) {
                Ok(Line { id, step }) => drop(steps.insert(id, step)),
                // The last line may have been cut off by a crash.
                Err(_) if !text.ends_with('\n') && number + 1 == text.lines().count() => {}
                Err(_) => return Err(wrong()),
            }
        }
        Ok(Self { steps, file: None })
    }

    /// The same journal, to which the steps of this run are added. A last line that a crash has cut off is removed.
    pub(super) fn writing(self, path: &Path) -> Result<Self, Failure> {
        let file = private::options().create(true).append(true).open(path).map_err(|error| failed(path, &error))?;
        let text = fs::read(path).map_err(|error| failed(path, &error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        if whole < text.len() {
            file.set_len(u64::try_from(whole).unwrap_or_default()).map_err(|error| failed(path, &error))?;
        }
        Ok(Self { file: Some((file, path.to_owned())), ..self })
    }

    /// How far an account has come.
    pub(super) fn step(&self, id: u64) -> Option<Step> {
        self.steps.get(&id).copied()
    }

    /// Notes a step of some accounts, and waits until the disk has it.
    pub(super) fn note(&mut self, ids: &[u64], step: Step) -> Result<(), Failure> {
        if let Some((file, path)) = &mut self.file {
            let lines: Result<String, _> =
                ids.iter().map(|id| output::json(&Line { id: *id, step }).map(|line| line + "\n")).collect();
            let lines = lines.map_err(|error| Failure::Failed(error.to_string()))?;
            file.write_all(lines.as_bytes()).and_then(|()| file.sync_data()).map_err(|error| failed(path, &error))?;
        }
        self.steps.extend(ids.iter().map(|id| (*id, step)));
        Ok(())
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("the journal {} cannot be used: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_whose_last_line_was_cut_off_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.ndjson");
        fs::write(&path, "{\"id\":1,\"step\":\"mailed\"}\n{\"id\":2,\"st").unwrap();
        let mut journal = Journal::read(&path).unwrap().writing(&path).unwrap();
        journal.note(&[2, 3], Step::Reset).unwrap();
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        let wanted = r#"{"id":1,"step":"mailed"}|{"id":2,"step":"reset"}|{"id":3,"step":"reset"}|"#;
        assert_eq!(text.replace('\n', "|"), wanted);
        let read = Journal::read(&path).unwrap();
        assert_eq!(
            [1, 2, 3, 4].map(|id| read.step(id)),
            [Some(Step::Mailed), Some(Step::Reset), Some(Step::Reset), None]
        );
    }
}
