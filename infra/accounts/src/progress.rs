//! The line on the terminal that shows how far a command has come. If standard error is no terminal, there is none.

use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// All lines of the process. Texts are printed while they are hidden, so that neither overwrites the other.
static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The progress through a known number of rows: how many are done, how many a second, and the time left.
pub(crate) fn of_rows(rows: u64) -> ProgressBar {
    styled(ProgressBar::new(rows), "{wide_bar} {human_pos}/{human_len} {per_sec}, {eta} left, {msg}")
}

/// The progress of a scan, whose end is not known: how many rows it has read, and how many a second.
pub(crate) fn of_scan(rows: &str) -> ProgressBar {
    styled(ProgressBar::new_spinner(), &format!("{{spinner}} {{human_pos}} {rows}, {{per_sec}}{{msg}}"))
}

/// No line, for a command that prints its data where the line would be.
pub(crate) fn hidden() -> ProgressBar {
    ProgressBar::hidden()
}

/// Prints something else to the terminal.
pub(crate) fn aside<T>(print: impl FnOnce() -> T) -> T {
    LINES.suspend(print)
}

fn styled(line: ProgressBar, template: &str) -> ProgressBar {
    if let Ok(style) = ProgressStyle::with_template(template) {
        line.set_style(style);
    }
    LINES.add(line)
}
