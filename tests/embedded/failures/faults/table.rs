//! `docs/faults.md`, which has the outcome of each run of the sweep. Each sweep compares its section with its results,
//! or writes the section if `GENERATED=write` is set.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use journeys::generated;

use super::ways::{Call, Outcome, Times, Way};
use crate::support::scenarios::{self, Scenario};

/// The path of the document.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/faults.md");
/// The least number of runs that the document must contain.
const POINTS_MIN: usize = 200;
/// Allows one write at a time, because the sweeps run in parallel.
static WRITING: Mutex<()> = Mutex::new(());

const HEAD: &str = "# Faults and their outcomes

A proxy makes each call of an endpoint fail in each way, first once and then permanently. After each run the test reads the
tables and checks the invariants: each email, id and identity has one user; links and accounts agree; every session has an
account; no user is incomplete. Then it repeats the request and looks for its effect. `make test` compares the outcomes with
this page; `make generated` writes it.

Each cell shows two outcomes, for a call that fails once and for a call that fails permanently:

| | |
|---|---|
| `ok` | The request succeeds, and the answer says so. |
| `500` | The answer is 500, in less than 8 seconds. Nothing is half done, and the same request succeeds when it is repeated. |
| `500*` | The answer is 500, but the request was done and only the answer of the call was lost. When the request is repeated, the answer says that it was done. |
| `-` | The fault cannot happen to this call. |

The columns are the faults:

- *throttled*: The backend refuses the call because of its rate.
- *dropped before*, *dropped after*: The connection breaks before or after the call is carried out.
- *delayed*: The call reaches the backend after the client's timeout, and is still carried out.
- *conflict*: A write or a transaction conflicts with another one.
- *unprocessed*: A batch leaves items unprocessed.
- *refused*: A service of AWS answers once with an internal error, or permanently denies access. Any other backend answers 500.
";

/// The outcome of one run.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) call: Call,
    pub(super) way: Way,
    pub(super) times: Times,
    pub(super) outcome: Outcome,
}

/// Compares the scenario's section with these runs, or writes it.
pub(super) fn check(scenario: Scenario, calls: &[Call], runs: &[Cell]) {
    let seen = section(scenario, calls, runs);
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if generated::is_written() {
        return write(scenario, &seen);
    }
    let kept = sections(&std::fs::read_to_string(DOCUMENT).unwrap_or_default());
    let kept = kept.iter().find(|kept| title(kept) == title(&seen));
    let kept = kept.unwrap_or_else(|| panic!("docs/faults.md lacks {scenario:?}: run `make generated`"));
    assert_eq!(
        steady(kept),
        steady(&seen),
        "docs/faults.md differs from the observed outcomes; if these are right, run `make generated`"
    );
}

/// The section's lines without the column of delays, because on a slow machine a second attempt may be late too. They
/// are a set, because the order of parallel calls may differ.
fn steady(section: &str) -> BTreeSet<String> {
    let delayed = 2 + Way::ALL.iter().position(|way| *way == Way::Delayed).unwrap();
    let cells = |line: &str| -> String {
        let cells = line.split('|').enumerate().filter(|(column, _)| *column != delayed);
        cells.map(|(_, cell)| cell).collect()
    };
    section.lines().map(cells).collect()
}

fn section(scenario: Scenario, calls: &[Call], runs: &[Cell]) -> String {
    let mut text = heading(scenario) + "\n\n";
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
        let backend = format!("{:?}", call.backend).to_lowercase();
        let again = if call.place > 0 { format!(" ({})", call.place + 1) } else { String::new() };
        let _ = writeln!(text, "| {backend}: {}{again} |{}", call.operation, row.replace(" - / - ", " - "));
    }
    let _ = write!(text, "\n{} runs.\n", runs.len());
    text
}

fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "`ok`",
        Outcome::FailedThenDone => "`500`",
        Outcome::FailedYetDone => "`500*`",
    }
}

fn capitalised(title: &str) -> String {
    let (first, rest) = title.split_at(1);
    first.to_uppercase() + rest
}

fn sections(document: &str) -> Vec<String> {
    document.split("\n## ").skip(1).map(|section| format!("## {}\n", section.trim_end())).collect()
}

fn title(section: &str) -> &str {
    section.lines().next().unwrap_or_default()
}

/// Writes the document with this section. Sections have the order of the scenarios.
fn write(scenario: Scenario, seen: &str) {
    let kept = sections(&std::fs::read_to_string(DOCUMENT).unwrap_or_default());
    let mut sections = String::new();
    for each in scenarios::all() {
        let is_its_own = |section: &&String| title(section) == heading(each);
        let section = if each == scenario { Some(seen.to_owned()) } else { kept.iter().find(is_its_own).cloned() };
        sections.extend(section.map(|section| format!("\n{section}")));
    }
    let document = format!("{HEAD}\n**{}**\n{sections}", sum(&sections));
    std::fs::create_dir_all(std::path::Path::new(DOCUMENT).parent().unwrap()).unwrap();
    std::fs::write(DOCUMENT, document).unwrap();
}

/// A sentence with the totals of the sections. They contain only runs that kept the invariants.
fn sum(sections: &str) -> String {
    let runs: usize = sections.lines().filter_map(|line| line.strip_suffix(" runs.")?.parse::<usize>().ok()).sum();
    let calls = sections.lines().filter(|line| line.starts_with("| ") && line.contains(": ")).count();
    format!("{runs} runs: {calls} calls of {} requests. None broke an invariant.", scenarios::all().len())
}

fn heading(scenario: Scenario) -> String {
    format!("## {}: `{}`", capitalised(scenario.title()), scenario.path())
}

#[test]
fn the_document_lists_every_scenario_and_at_least_two_hundred_runs() {
    if generated::is_written() {
        return;
    }
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let sections = sections(&document);
    let titles: Vec<String> = scenarios::all().into_iter().map(heading).collect();
    assert_eq!(sections.iter().map(|section| title(section).to_owned()).collect::<Vec<_>>(), titles);
    let sum = sum(&sections.concat());
    assert!(document.contains(&format!("\n**{sum}**\n")), "run `make generated`");
    let runs: usize = sum.split(' ').next().unwrap().parse().unwrap();
    assert!(runs >= POINTS_MIN, "{sum}");
}
