//! The common parts of the measurements: a function under a Runtime API, a stand-in for the services behind it, the
//! events, and the kernel's figures for a process.
//!
//! `make gate` counts instructions and calls, which do not depend on the load of the machine, and compares them with
//! `record.json`.

#![expect(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    reason = "every error is a message for the person who started the measurement"
)]

pub mod lambda;
mod notices;
mod passkeys;
pub mod process;
pub mod record;
pub mod rows;
pub mod scenario;
pub mod table;

use std::path::{Path, PathBuf};

/// The path of a function's binary in the folder of a build.
pub fn binary(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("bootstrap")
}

/// The result of a measurement, or an error message for the person who started it.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
