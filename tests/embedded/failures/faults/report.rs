//! The outcomes of a sweep as a table, which is written to `target/faults`.

use std::fmt::Write;

use journeys::{Request, generated};

use super::ways::{Call, Outcome, Times, Way};

/// The outcome of one run.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) call: Call,
    pub(super) way: Way,
    pub(super) times: Times,
    pub(super) outcome: Outcome,
}

/// Writes the table of a request. Each cell has the outcome of a call that failed once, and of one that failed for good:
/// `ok` if the request was done, `500` if it failed and its repetition was done, and `500*` if it was done and only its
/// answer was lost.
pub(super) fn write(request: &Request, calls: &[Call], runs: &[Cell]) {
    let mut text = format!("# {}: `{}`\n\n", request.name, request.path);
    text += "| call | throttled | dropped before | dropped after | delayed | conflict | unprocessed | refused |\n";
    text += "|---|---|---|---|---|---|---|---|\n";
    for call in calls {
        let outcomes = |way: Way, times: Times| {
            let of = |cell: &&Cell| (&cell.call, cell.way, cell.times) == (call, way, times);
            let mut outcomes: Vec<&str> = runs.iter().filter(of).map(|cell| mark(cell.outcome)).collect();
            outcomes.dedup();
            if outcomes.is_empty() { "-".to_owned() } else { outcomes.join(" or ") }
        };
        let cell = |way: Way| format!(" {} / {} |", outcomes(way, Times::Once), outcomes(way, Times::ForGood));
        let row: String = Way::ALL.into_iter().map(cell).collect();
        let _ = writeln!(text, "| {:?}: {} ({}) |{row}", call.backend, call.operation, call.place + 1);
    }
    let _ = writeln!(text, "\n{} runs.", runs.len());
    generated::report(&format!("faults/{}.md", request.name), &text);
}

fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "`ok`",
        Outcome::FailedThenDone => "`500`",
        Outcome::FailedYetDone => "`500*`",
    }
}
