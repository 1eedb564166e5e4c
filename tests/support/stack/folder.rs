//! Stacks that keep their data in a folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::{env, fs, process};

use local::{Data, Options};
use shared::log::Log;

/// A log that drops its lines, so that they do not mix with the test runner's.
pub struct Nowhere;

impl Log for Nowhere {
    fn write(&self, _: &str) {}
}

/// A folder that is deleted at the end of the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A folder of this name that no other process uses. It is not created yet.
    pub fn new(name: &str) -> Self {
        Self(env::temp_dir().join(format!("journeys-{}-{name}", process::id())))
    }

    /// The options of a stack that keeps its data there.
    pub fn options(&self) -> Options {
        Options { data: Data::Folder(self.0.clone()), log: Arc::new(Nowhere), ..Options::default() }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
