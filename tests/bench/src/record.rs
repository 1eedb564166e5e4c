//! The file of record: what each function costs, and how a new measurement compares to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// A hundredth of the instructions: how much more of them fails, and how much less asks for a new record. Repeated
/// measurements of the same binaries differ by less than a tenth of it.
const TOLERANCE_PERCENT: u64 = 3;

/// What was measured, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Compiler and tools: another of these is another record.
    pub made_with: String,
    /// By scenario.
    pub functions: BTreeMap<String, Cost>,
}

/// What a function costs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Instructions from spawn to the first question for an event, the hash left out.
    pub start: u64,
    /// Calls to other services until then, by operation.
    pub calls_at_start: BTreeMap<String, u64>,
    /// Instructions of one call of many, the hash left out.
    pub call: u64,
    /// Calls to other services for a hundred requests, by operation.
    pub calls_of_100: BTreeMap<String, u64>,
}

/// How a measurement stands to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As recorded.
    Same,
    /// Enough better that the record should say so.
    Better,
    /// Worse, or something else than what is recorded.
    Worse,
}

/// One line of the comparison.
struct Line {
    name: String,
    what: String,
    recorded: String,
    measured: String,
    change: String,
    verdict: Verdict,
}

/// What is not as recorded.
pub struct Comparison(Vec<Line>);

/// Compares what was measured with what is recorded.
#[must_use]
pub fn compare(recorded: &Record, measured: &Record) -> Comparison {
    let mut lines = Vec::new();
    for (name, now) in &measured.functions {
        let Some(then) = recorded.functions.get(name) else {
            lines.push(Line::other(name, "record", "none", "measured"));
            continue;
        };
        lines.push(Line::instructions(name, "start", then.start, now.start));
        lines.push(Line::instructions(name, "call", then.call, now.call));
        lines.extend(Line::calls(name, "at start", &then.calls_at_start, &now.calls_at_start));
        lines.extend(Line::calls(name, "of 100", &then.calls_of_100, &now.calls_of_100));
    }
    for name in recorded.functions.keys().filter(|name| !measured.functions.contains_key(*name)) {
        lines.push(Line::other(name, "record", "there", "not measured"));
    }
    lines.retain(|line| line.verdict != Verdict::Same);
    Comparison(lines)
}

impl Comparison {
    /// The worst of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.0.iter().map(|line| line.verdict).max().unwrap_or(Verdict::Same)
    }

    /// The functions that are worse.
    #[must_use]
    pub fn worse(&self) -> BTreeSet<String> {
        let worse = self.0.iter().filter(|line| line.verdict == Verdict::Worse);
        worse.map(|line| line.name.clone()).collect()
    }
}

/// A table with a line for each difference.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Line { name, what, recorded, measured, change, verdict } in &self.0 {
            let verdict = if *verdict == Verdict::Worse { "worse" } else { "better" };
            writeln!(f, "{name:<22} {what:<26} {recorded:>12} → {measured:>12} {change:>8}  {verdict}")?;
        }
        Ok(())
    }
}

impl Line {
    fn instructions(name: &str, what: &str, then: u64, now: u64) -> Self {
        let change = percent(then, now);
        // In whole numbers: three percent to the last instruction are not more than three percent.
        let [then_hundredfold, now_hundredfold] = [then, now].map(|count| count.saturating_mul(100));
        let tolerance = then.saturating_mul(TOLERANCE_PERCENT);
        let verdict = if now_hundredfold > then_hundredfold.saturating_add(tolerance) {
            Verdict::Worse
        } else if now_hundredfold < then_hundredfold.saturating_sub(tolerance) {
            Verdict::Better
        } else {
            Verdict::Same
        };
        Self {
            name: name.to_owned(),
            what: format!("instructions, {what}"),
            recorded: then.to_string(),
            measured: now.to_string(),
            change: format!("{change:+.1} %"),
            verdict,
        }
    }

    fn calls(name: &str, when: &str, then: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> Vec<Self> {
        let operations: BTreeSet<_> = then.keys().chain(now.keys()).collect();
        let of = |calls: &BTreeMap<String, u64>, operation: &str| calls.get(operation).copied().unwrap_or_default();
        let line = |operation: &String| {
            Self::exactly(name, &format!("{operation}, {when}"), of(then, operation), of(now, operation))
        };
        operations.into_iter().map(line).collect()
    }

    fn exactly(name: &str, what: &str, then: u64, now: u64) -> Self {
        let verdict = match now.cmp(&then) {
            std::cmp::Ordering::Equal => Verdict::Same,
            // Fewer calls of one kind may be more of another: the record has to be looked at in any case.
            _ => Verdict::Worse,
        };
        Self { verdict, ..Self::other(name, what, &then.to_string(), &now.to_string()) }
    }

    fn other(name: &str, what: &str, recorded: &str, measured: &str) -> Self {
        Self {
            name: name.to_owned(),
            what: what.to_owned(),
            recorded: recorded.to_owned(),
            measured: measured.to_owned(),
            change: String::new(),
            verdict: Verdict::Worse,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts lie far below 2^53, and a percentage needs few digits")]
fn percent(then: u64, now: u64) -> f64 {
    if then == now { 0.0 } else { (now as f64 / then as f64 - 1.0) * 100.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(start: u64, call: u64, puts: u64) -> Record {
        let calls_of_100 = BTreeMap::from([("PutItem".to_owned(), puts)]);
        let calls_at_start = BTreeMap::from([("warm-up".to_owned(), 1)]);
        let cost = Cost { start, calls_at_start, call, calls_of_100 };
        Record { made_with: String::new(), functions: BTreeMap::from([("login".to_owned(), cost)]) }
    }

    fn verdict(measured: &Record) -> Verdict {
        compare(&record(1_000_000, 500_000, 100), measured).verdict()
    }

    #[test]
    fn more_than_three_percent_worse_fails_and_less_does_not() {
        assert_eq!(verdict(&record(1_030_000, 515_000, 100)), Verdict::Same);
        assert_eq!(verdict(&record(1_030_100, 500_000, 100)), Verdict::Worse);
        assert_eq!(verdict(&record(1_000_000, 515_100, 100)), Verdict::Worse);
    }

    #[test]
    fn more_than_three_percent_better_asks_for_a_new_record_unless_something_else_is_worse() {
        assert_eq!(verdict(&record(970_000, 500_000, 100)), Verdict::Same);
        assert_eq!(verdict(&record(969_000, 500_000, 100)), Verdict::Better);
        assert_eq!(verdict(&record(969_000, 516_000, 100)), Verdict::Worse);
    }

    #[test]
    fn calls_must_be_as_recorded() {
        assert_eq!(verdict(&record(1_000_000, 500_000, 101)), Verdict::Worse);
        assert_eq!(verdict(&record(1_000_000, 500_000, 99)), Verdict::Worse);
        let mut moved = record(1_000_000, 500_000, 100);
        moved.functions.get_mut("login").unwrap().calls_of_100.insert("GetItem".to_owned(), 100);
        assert_eq!(verdict(&moved), Verdict::Worse);
        let mut cold = record(1_000_000, 500_000, 100);
        cold.functions.get_mut("login").unwrap().calls_at_start.clear();
        assert_eq!(verdict(&cold), Verdict::Worse);
    }

    #[test]
    fn a_function_without_a_record_and_a_record_without_its_function_fail() {
        let mut measured = record(1_000_000, 500_000, 100);
        let login = measured.functions.get("login").unwrap().clone();
        measured.functions.insert("logout".to_owned(), login);
        assert_eq!(verdict(&measured), Verdict::Worse);
        let fewer = compare(&measured, &record(1_000_000, 500_000, 100));
        assert_eq!(fewer.verdict(), Verdict::Worse);
        assert_eq!(fewer.worse(), BTreeSet::from(["logout".to_owned()]));
        assert!(fewer.to_string().contains("not measured"), "{fewer}");
    }
}
