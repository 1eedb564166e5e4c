//! What the measurements have in common: a Lambda Runtime API that feeds one function, a stand-in for the table and
//! the other services behind it, the events, and what is read off a process and a machine.
//!
//! `make bench` measures time, memory and calls beside the floor and beside peers, and writes `docs/bench.md`.
//! `make gate` counts instructions and calls, which noise cannot change, and holds them to `record.json`.
//! `make profile` says what the instructions of a login are for, in `docs/profile.md`.

pub mod callgrind;
pub mod chart;
pub mod identity;
pub mod machine;
pub mod measure;
pub mod process;
pub mod profile;
pub mod record;
pub mod report;
pub mod rows;
pub mod runtime_api;
pub mod scenario;
pub mod stopwatch;
pub mod table;
pub mod tls;
pub mod variants;

use std::path::{Path, PathBuf};

/// The package that does what the hashing functions do, their hash left out.
pub const LIGHT: &str = "light";

/// Where a build has put a function's binary.
#[must_use]
pub fn binary(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("bootstrap")
}

/// What a measurement gives, or why there is none, in words for whoever started it.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
