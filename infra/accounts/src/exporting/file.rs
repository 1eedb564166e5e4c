//! The file of an export, and the file next to it with the state of an unfinished export.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shared::store::operator::Place;

use crate::cli::Export;
use crate::failure::Failure;
use crate::{output, private};

/// The segments of the table that are read in parallel.
const SEGMENTS: usize = 4;

/// The progress of an export.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    /// The deployment that is exported.
    #[serde(default)]
    deployment: String,
    entries: bool,
    with_hashes: bool,
    /// The length of the file, in bytes. Bytes after it belong to an unfinished page and are cut off.
    bytes: u64,
    pub(super) lines: u64,
    pub(super) broken: u64,
    pub(super) segments: Vec<Segment>,
}

/// How far a segment of the table was read.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Segment {
    /// The key of the last item that was read.
    after: Option<Place>,
    pub(super) is_done: bool,
}

impl Segment {
    /// The segment after a page, of which the next one starts there; `None` is the end of the segment.
    pub(super) fn after(next: Option<Place>) -> Self {
        Self { is_done: next.is_none(), after: next }
    }

    /// Where the next page starts.
    pub(super) fn start(&self) -> Option<Place> {
        self.after.clone()
    }
}

/// Where an export is written to.
pub(super) struct Output {
    out: BufWriter<Box<dyn Write>>,
    path: PathBuf,
    /// `None` for standard output, where an interrupted export cannot continue.
    state_path: Option<PathBuf>,
    pub(super) state: State,
}

impl Output {
    /// Creates the file, or continues an unfinished one.
    pub(super) fn open(options: &Export, deployment: &str) -> Result<Self, Failure> {
        let path = options.file.clone();
        let mut state = State {
            deployment: deployment.to_owned(),
            entries: options.entries,
            with_hashes: options.with_hashes,
            bytes: 0,
            lines: 0,
            broken: 0,
            segments: (0..SEGMENTS).map(|_| Segment::default()).collect(),
        };
        if options.is_to_stdout() {
            return Ok(Self { out: output::ndjson_writer(), path, state_path: None, state });
        }
        let mut state_path = OsString::from(&path);
        state_path.push(".state");
        let state_path = PathBuf::from(state_path);
        let failed = |error: io::Error| failed(&path, &error);
        let file = match fs::read(&state_path) {
            Ok(bytes) => {
                let found: State = serde_json::from_slice(&bytes).map_err(|error| {
                    let state = state_path.display();
                    let next = format!("delete it and {} to start again", path.display());
                    Failure::Failed(format!("{state} cannot be read: {error}: {next}"))
                })?;
                if found.deployment != state.deployment {
                    return Err(Failure::Usage(format!(
                        "{} is an unfinished export of another deployment ({}): use that deployment or another \
                         file, or delete this file and its .state",
                        path.display(),
                        found.deployment
                    )));
                }
                if (found.entries, found.with_hashes) != (state.entries, state.with_hashes) {
                    let text = "is an unfinished export with other options: use those, or delete it and its .state";
                    return Err(Failure::Usage(format!("{} {text}", path.display())));
                }
                state = found;
                let mut file = OpenOptions::new().write(true).open(&path).map_err(failed)?;
                file.set_len(state.bytes).map_err(failed)?;
                file.seek(SeekFrom::End(0)).map_err(failed)?;
                output::note(&format!("going on after {} lines", state.lines));
                file
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private::options().write(true).create_new(true).open(&path).map_err(failed)?
            }
            Err(error) => return Err(Failure::Failed(format!("{} cannot be read: {error}", state_path.display()))),
        };
        let out = Self { out: BufWriter::new(Box::new(file)), path, state_path: Some(state_path), state };
        // Saved before the first page, so that the next run can continue with this file if that page fails.
        out.save()?;
        Ok(out)
    }

    /// Writes a line.
    pub(super) fn line(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let text = output::json(line).map_err(|error| failed(&self.path, &error.into()))? + "\n";
        self.out.write_all(text.as_bytes()).map_err(|error| failed(&self.path, &error))?;
        self.state.bytes += text.len() as u64;
        self.state.lines += 1;
        Ok(())
    }

    /// Counts a row that cannot be exported, and names its key.
    pub(super) fn broken(&mut self, key: &str) {
        self.state.broken += 1;
        output::note(&format!("the row {key} is broken and is left out"));
    }

    /// Ends a page of a segment.
    pub(super) fn page(&mut self, index: usize, segment: Segment) -> Result<(), Failure> {
        self.out.flush().map_err(|error| failed(&self.path, &error))?;
        if let Some(old) = self.state.segments.get_mut(index) {
            *old = segment;
        }
        self.save()
    }

    /// Writes the state beside the file.
    fn save(&self) -> Result<(), Failure> {
        let Some(state_path) = &self.state_path else { return Ok(()) };
        let written = serde_json::to_vec(&self.state).map_err(io::Error::from).and_then(|bytes| {
            let next = state_path.with_extension("next");
            private::options().write(true).create(true).truncate(true).open(&next)?.write_all(&bytes)?;
            fs::rename(&next, state_path)
        });
        written.map_err(|error| failed(state_path, &error))
    }

    /// Ends the export. Returns whether it was written to standard output.
    pub(super) fn end(mut self) -> Result<bool, Failure> {
        self.out.flush().map_err(|error| failed(&self.path, &error))?;
        match &self.state_path {
            None => Ok(true),
            Some(path) => fs::remove_file(path).map(|()| false).map_err(|error| failed(path, &error)),
        }
    }

    /// What to do if the export has not reached its end.
    pub(super) fn go_on(&self) -> &'static str {
        match &self.state_path {
            Some(_) => "Run the same command again to go on",
            None => "What was written is incomplete: run the command again, and name a file to be able to go on",
        }
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    let next = if error.kind() == io::ErrorKind::AlreadyExists { ": name another file, or delete it" } else { "" };
    let shown = if path == Path::new("-") { "standard output".into() } else { path.to_string_lossy() };
    Failure::Failed(format!("{shown} cannot be written: {error}{next}"))
}
