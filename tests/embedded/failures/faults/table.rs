//! `docs/faults.md`, which has a section for each scenario. The sweep of a scenario compares its results with the section,
//! or writes the section if `GENERATED=write` is set.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use journeys::generated;

use super::ways::{Call, Outcome, Times, Way};
use crate::support::scenarios::{self, Scenario};

/// The path of the document.
const DOCUMENT: &str = "docs/faults.md";
/// The least number of runs that the document must contain.
const RUNS_MIN: usize = 200;
/// Allows one write at a time, because the sweeps run in parallel.
static WRITING: Mutex<()> = Mutex::new(());

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
    let kept = sections(&generated::split(DOCUMENT).1);
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
    let (prose, kept) = generated::split(DOCUMENT);
    let kept = sections(&kept);
    let mut sections = String::new();
    for each in scenarios::all() {
        let is_its_own = |section: &&String| title(section) == heading(each);
        let section = if each == scenario { Some(seen.to_owned()) } else { kept.iter().find(is_its_own).cloned() };
        sections.extend(section.map(|section| format!("\n{section}")));
    }
    let document = format!("{prose}\n**{}**\n{sections}", sum(&sections));
    generated::check_file(DOCUMENT, &document);
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
    let (_, document) = generated::split(DOCUMENT);
    let sections = sections(&document);
    let titles: Vec<String> = scenarios::all().into_iter().map(heading).collect();
    assert_eq!(sections.iter().map(|section| title(section).to_owned()).collect::<Vec<_>>(), titles);
    let sum = sum(&sections.concat());
    assert!(document.contains(&format!("\n**{sum}**\n")), "run `make generated`");
    let runs: usize = sum.split(' ').next().unwrap().parse().unwrap();
    assert!(runs >= RUNS_MIN, "{sum}");
}
