//! What the measurements have in common: a Lambda Runtime API that feeds one function, a stand-in for the services
//! behind it, the events, and what the kernel knows of a process.
//!
//! `make gate` counts instructions and calls, which noise cannot change, and holds them to `record.json`. `make bench`
//! measures time and memory beside an empty function and peers, `make bench-hash` the hash beside others.

pub mod identity;
pub mod lambda;
pub mod process;
pub mod record;
pub mod rows;
pub mod scenario;
pub mod table;

use std::path::{Path, PathBuf};

/// Where a build has put a function's binary.
#[must_use]
pub fn binary(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("bootstrap")
}

/// The value in the middle; of an even number the higher of the two, of none zero.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// What a measurement gives, or why there is none, in words for whoever started it.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
