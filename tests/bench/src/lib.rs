//! The common parts of the measurements: a function under a Runtime API, a stand-in for the services behind it, the
//! events, and the kernel's figures for a process.
//!
//! `make gate` counts instructions and calls, which do not depend on the load of the machine, and compares them with
//! `record.json`. `make bench` compares time and memory with an empty function and with other implementations.
//! `make bench-hash` compares implementations of Argon2id.

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
#[must_use]
pub fn binary(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("bootstrap")
}

/// The median. For an even number of values it is the higher one of the two in the middle; for none it is 0.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The result of a measurement, or an error message for the person who started it.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
