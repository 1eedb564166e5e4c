//! The file `record.json` with the cost of each scenario, and its comparison with a new measurement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::table::Calls;

/// The tolerated difference of the instructions and of the zips in percent. The check fails if there are more, and asks for
/// a new record if there are fewer. Repeated measurements of the same binaries differ by less than a tenth of this.
const TOLERANCE_PERCENT: u64 = 3;
/// The maximum number of bytes of a function's zip. Larger ones take longer to load.
const ZIP_MAX: u64 = 3_000_000;

/// The measured costs and the tools that measured them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The versions of the compiler and the tools. Records of different versions are not comparable.
    pub made_with: String,
    /// The costs by scenario.
    pub scenarios: BTreeMap<String, Cost>,
    /// The bytes of the zips by function.
    #[serde(default)]
    pub zips: BTreeMap<String, u64>,
}

/// The cost of a function in one scenario. A function that hashes passwords is measured with the cheapest hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Instructions from the start of the process until it asks for an event.
    pub start: u64,
    /// Calls to other services until then, by operation.
    pub calls_at_start: Calls,
    /// Instructions of one warm call.
    pub call: u64,
    /// Calls to other services for a hundred requests, by operation.
    pub calls_per_100_requests: Calls,
}

/// A cost that differs from the record.
#[derive(Debug)]
pub struct Difference {
    /// The scenario.
    pub name: String,
    what: String,
    recorded: String,
    measured: String,
    /// Whether the check must fail. Only fewer instructions count as better.
    pub is_worse: bool,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, what, recorded, measured, is_worse } = self;
        let verdict = if *is_worse { "worse" } else { "better" };
        write!(f, "{name:<22} {what:<26} {recorded:>12} → {measured:>12}  {verdict}")
    }
}

/// The costs that differ from the record.
#[must_use]
pub fn compare(recorded: &Record, measured: &Record) -> Vec<Difference> {
    let mut differences = compare_zips(&recorded.zips, &measured.zips);
    let (recorded, measured) = (&recorded.scenarios, &measured.scenarios);
    let names: BTreeSet<&String> = recorded.keys().chain(measured.keys()).collect();
    for name in names {
        let mut differs = |what: String, recorded: String, measured: String, is_worse: bool| {
            differences.push(Difference { name: name.clone(), what, recorded, measured, is_worse });
        };
        let (Some(then), Some(now)) = (recorded.get(name), measured.get(name)) else {
            let presence = |exists: bool| if exists { "present" } else { "missing" }.to_owned();
            differs(
                "record".to_owned(),
                presence(recorded.contains_key(name)),
                presence(measured.contains_key(name)),
                true,
            );
            continue;
        };
        for (what, then, now) in [("start", then.start, now.start), ("call", then.call, now.call)] {
            if is_outside(then, now) {
                differs(format!("instructions, {what}"), then.to_string(), now.to_string(), now > then);
            }
        }
        let calls = [
            ("at start", &then.calls_at_start, &now.calls_at_start),
            ("per 100 requests", &then.calls_per_100_requests, &now.calls_per_100_requests),
        ];
        for (when, then, now) in calls {
            for operation in then.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
                let [then, now] = [then, now].map(|calls| calls.get(operation).copied().unwrap_or_default());
                // Fewer calls of one kind may mean more of another, so any difference must be reviewed.
                if then != now {
                    differs(format!("{operation}, {when}"), then.to_string(), now.to_string(), true);
                }
            }
        }
    }
    differences
}

/// The zips that differ from the record, and those that are too large in any case.
fn compare_zips(recorded: &BTreeMap<String, u64>, measured: &BTreeMap<String, u64>) -> Vec<Difference> {
    let names: BTreeSet<&String> = recorded.keys().chain(measured.keys()).collect();
    let differing = names.into_iter().filter_map(|name| {
        let [then, now] = [recorded, measured].map(|zips| zips.get(name).copied());
        let is_too_large = now.is_some_and(|now| now > ZIP_MAX);
        let is_outside = then.zip(now).is_none_or(|(then, now)| is_outside(then, now));
        let shown = |bytes: Option<u64>| bytes.map_or_else(|| "missing".to_owned(), |bytes| bytes.to_string());
        (is_too_large || is_outside).then(|| Difference {
            name: name.clone(),
            what: if is_too_large { format!("bytes of the zip > {ZIP_MAX}") } else { "bytes of the zip".to_owned() },
            recorded: shown(then),
            measured: shown(now),
            is_worse: is_too_large || then.is_none() || now.is_none() || now > then,
        })
    });
    differing.collect()
}

/// Whether a number is outside of the tolerance. Integers keep the comparison exact: exactly three percent is allowed.
fn is_outside(then: u64, now: u64) -> bool {
    now.abs_diff(then).saturating_mul(100) > then.saturating_mul(TOLERANCE_PERCENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(start: u64, call: u64, puts: u64) -> Record {
        let calls_per_100_requests = Calls::from([("PutItem".to_owned(), puts)]);
        let calls_at_start = Calls::from([("warm-up".to_owned(), 1)]);
        let cost = Cost { start, calls_at_start, call, calls_per_100_requests };
        Record { scenarios: BTreeMap::from([("login".to_owned(), cost)]), ..Record::default() }
    }

    /// Whether each difference is worse. The record has a million instructions at start, 500,000 per call and 100 puts.
    fn verdicts(measured: &Record) -> Vec<bool> {
        let differences = compare(&record(1_000_000, 500_000, 100), measured);
        differences.iter().map(|difference| difference.is_worse).collect()
    }

    #[test]
    fn instructions_may_differ_by_three_percent_and_more_ask_for_a_new_record() {
        for (start, call, expected) in [
            (1_030_000, 515_000, &[][..]),
            (970_000, 500_000, &[]),
            (1_030_100, 500_000, &[true]),
            (1_000_000, 515_100, &[true]),
            (969_000, 500_000, &[false]),
            (969_000, 516_000, &[false, true]),
        ] {
            assert_eq!(verdicts(&record(start, call, 100)), expected, "{start} {call}");
        }
    }

    #[test]
    fn calls_must_equal_the_record() {
        assert_eq!(verdicts(&record(1_000_000, 500_000, 101)), [true]);
        assert_eq!(verdicts(&record(1_000_000, 500_000, 99)), [true]);
        let mut moved = record(1_000_000, 500_000, 100);
        moved.scenarios.get_mut("login").unwrap().calls_per_100_requests.insert("GetItem".to_owned(), 100);
        assert_eq!(verdicts(&moved), [true]);
        let mut cold = record(1_000_000, 500_000, 100);
        cold.scenarios.get_mut("login").unwrap().calls_at_start.clear();
        assert_eq!(verdicts(&cold), [true]);
    }

    #[test]
    fn a_scenario_that_is_missing_in_one_of_the_records_fails() {
        let mut more = record(1_000_000, 500_000, 100);
        let login = more.scenarios.get("login").unwrap().clone();
        more.scenarios.insert("logout".to_owned(), login);
        assert_eq!(verdicts(&more), [true]);
        let fewer = compare(&more, &record(1_000_000, 500_000, 100));
        assert_eq!(fewer.iter().map(|it| (&*it.name, it.is_worse)).collect::<Vec<_>>(), [("logout", true)]);
    }

    #[test]
    fn a_zip_may_differ_by_three_percent_and_has_at_most_three_megabytes() {
        let zips = |bytes: &[u64]| Record {
            zips: bytes.iter().map(|bytes| ("login".to_owned(), *bytes)).collect(),
            ..Record::default()
        };
        for (recorded, measured, expected) in [
            (&[2_000_000][..], &[2_060_000][..], &[][..]),
            (&[2_000_000], &[2_060_001], &[true]),
            (&[2_000_000], &[1_939_999], &[false]),
            (&[2_990_000], &[3_000_000], &[]),
            (&[2_990_000], &[3_000_001], &[true]),
            (&[3_100_000], &[3_001_000], &[true]),
            (&[], &[2_000_000], &[true]),
            (&[2_000_000], &[], &[true]),
        ] {
            let differences = compare(&zips(recorded), &zips(measured));
            let verdicts: Vec<_> = differences.iter().map(|difference| difference.is_worse).collect();
            assert_eq!(verdicts, expected, "{recorded:?} {measured:?}");
        }
    }
}
