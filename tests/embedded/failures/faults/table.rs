//! `docs/faults.md`: what each run of the sweep comes to. Each sweep holds its section to what it has seen, or, with
//! `GENERATED=write`, writes it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use journeys::generated;

use super::ways::{Call, Outcome, Times, Way};
use crate::support::scenarios::{self, Scenario};

/// The document, from this crate's folder.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/faults.md");
/// Runs that the table must hold at the least.
const POINTS_MIN: usize = 200;
/// One write at a time: the sweeps run side by side.
static WRITING: Mutex<()> = Mutex::new(());

const HEAD: &str = "# The outcome of every fault

A proxy makes each call of an endpoint fail in each way, first once and then permanently. After each run the test reads the
tables and checks the invariants: each email, id and identity has one user; links and accounts agree; every session has an
account; no user is incomplete. Then it repeats the request and looks for its effect. `make test` compares the outcomes with
this page; `make generated` writes it.

A cell has the outcome of *one failure* / *permanent failure*:

| | |
|---|---|
| `ok` | the request succeeded; the client did not notice the fault |
| `500` | the answer was 500 within 8 seconds, and nothing was left half done; the repeated request succeeded |
| `500*` | the answer was 500, but the request had taken effect; the repeated request is answered accordingly |
| `-` | the fault cannot happen to this call |

*Delayed*: the call is carried out, but its answer comes after every time limit. *Conflict*: another write or transaction
changes the same item at the same time. *Refused*: once an internal error of the service, permanently a denied permission.
";

/// What one run came to.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) call: Call,
    pub(super) way: Way,
    pub(super) times: Times,
    pub(super) outcome: Outcome,
}

/// Holds the scenario's section to these runs, or writes it.
pub(super) fn check(scenario: Scenario, calls: &[Call], runs: &[Cell]) {
    let seen = section(scenario, calls, runs);
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if generated::is_written() {
        return write(scenario, &seen);
    }
    let kept = sections(&std::fs::read_to_string(DOCUMENT).unwrap_or_default());
    let kept = kept.iter().find(|kept| title(kept) == title(&seen));
    let kept = kept.unwrap_or_else(|| panic!("docs/faults.md lacks {scenario:?}: run `make generated`"));
    assert_eq!(steady(kept), steady(&seen), "docs/faults.md is not what is seen; if that is right, run `make generated`");
}

/// The section's lines without the column of delays, for on a slow machine a second attempt may be late too; in any
/// order, for some calls are made side by side.
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
        let peer = format!("{:?}", call.peer).to_lowercase();
        let again = if call.place > 0 { format!(" ({})", call.place + 1) } else { String::new() };
        let _ = writeln!(text, "| {peer}: {}{again} |{}", call.operation, row.replace(" - / - ", " - "));
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

/// Puts the section into its place, in the order of the scenarios.
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

/// What the sections come to: only sound runs get into them.
fn sum(sections: &str) -> String {
    let runs: usize = sections.lines().filter_map(|line| line.strip_suffix(" runs.")?.parse::<usize>().ok()).sum();
    let calls = sections.lines().filter(|line| line.starts_with("| ") && line.contains(": ")).count();
    format!("{runs} runs: {calls} calls of {} requests. None broke an invariant.", scenarios::all().len())
}

fn heading(scenario: Scenario) -> String {
    format!("## {}: `{}`", capitalised(scenario.title()), scenario.path())
}

#[test]
fn the_document_tells_of_every_scenario_and_of_two_hundred_runs_or_more() {
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
