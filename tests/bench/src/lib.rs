//! The common parts of the measurements: a function under a Runtime API, a stand-in for the services behind it, and
//! the events.
//!
//! `make gate` counts instructions and calls, which do not depend on the load of the machine, and compares them with
//! `record.json`. `make bench-hash` compares implementations of Argon2id.

pub mod lambda;
pub mod record;
pub mod rows;
pub mod scenario;
pub mod table;

use std::path::{Path, PathBuf};

/// The path of a function's binary in the folder of a build.
#[must_use]
pub fn binary(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("bootstrap")
}

/// The result of a measurement, or an error message for the person who started it.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
