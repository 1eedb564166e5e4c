//! Ctrl-C: the first one lets the writes in progress finish, the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output;

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
}
