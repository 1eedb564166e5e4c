//! Ctrl-C: the first one lets the writes in progress finish, the second one ends the program.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::output;

/// What to do after a command that did not reach its end, if running it again does the rest.
pub(crate) const GO_ON: &str = "Run the same command again to go on";

/// Whether Ctrl-C was pressed.
pub(crate) struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Watches for Ctrl-C from now on.
    pub(crate) fn watch() -> Self {
        let has_come = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&has_come);
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                flag.store(true, Ordering::Relaxed);
                output::note("stopping after the writes in progress. Ctrl-C again stops at once");
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(1);
                }
            }
        });
        Self(has_come)
    }

    pub(crate) fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails if Ctrl-C was pressed. The error says how much is done. Use it only in a command that does the rest if
    /// it is run again.
    pub(crate) fn check(&self, count: impl Display, what: &str) -> Result<(), Failure> {
        if self.has_come() {
            return Err(Failure::Failed(format!("interrupted after {count} {what}. {GO_ON}")));
        }
        Ok(())
    }
}
