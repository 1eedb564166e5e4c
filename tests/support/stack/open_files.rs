//! The limit of open files of the test process.

use std::sync::Once;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The number of open files that the tests may need. Hundreds of stacks run at the same time, each with some forty sockets:
/// at the peak, 8,600 were counted. Most systems allow a process 1,024 files (macOS 256), and let it raise this limit itself.
const NEEDED: u64 = 16_384;

/// Raises the limit, once for the process.
pub(crate) fn raise_limit() {
    static RAISED: Once = Once::new();
    RAISED.call_once(|| {
        let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
        let wanted = NEEDED.min(hard);
        if soft < wanted {
            // If this fails, the limit stays, which the next check reports.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted, hard);
        }
        let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(soft, |(soft, _)| soft);
        if limit < NEEDED {
            eprintln!(
                "The tests may need {NEEDED} open files, and the limit is {limit}: raise it with `ulimit -n {NEEDED}`"
            );
        }
    });
}
