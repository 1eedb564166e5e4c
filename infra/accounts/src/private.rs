//! Files that only the person who runs the program may read.

use std::fs::OpenOptions;

/// Options that create a file which only its owner may read and write. A file that exists keeps its permissions.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
