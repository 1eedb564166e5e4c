//! The changes of operators: each has a line with its intent, and a later one with its outcome.

use std::collections::BTreeMap;
use std::ops::Range;

use super::finding::{Finding, Kind};
use super::line::Line;

/// Judges the lines of operators, sorted by time. The outcome of what was intended after `inside` may be missing, and so may the
/// intent of what ended before it.
pub(super) fn judge(lines: &[Line], inside: &Range<u64>) -> Vec<Finding> {
    let mut changes: BTreeMap<_, (Vec<&Line>, Vec<&Line>)> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.event.is_some() && line.is_by_operator()) {
        // A command may change several rows of one account, or of none, of which the outcome says more than the intent.
        let (intents, outcomes) = changes.entry((&line.request_id, &line.event, line.account_id)).or_default();
        if line.stage.as_deref() == Some("intended") { intents.push(line) } else { outcomes.push(line) }
    }
    let mut found = Vec::new();
    for (intents, outcomes) in changes.values() {
        let unended = intents.iter().skip(outcomes.len()).map(|line| (line, Kind::OutcomeMissing));
        let unmeant = outcomes.iter().skip(intents.len()).map(|line| (line, Kind::IntentMissing));
        let early = intents.iter().zip(outcomes).filter(|(intent, outcome)| outcome.at < intent.at);
        let early = early.map(|(_, outcome)| (outcome, Kind::IntentMissing));
        let missing = unended.chain(unmeant).chain(early).filter(|(line, _)| inside.contains(&line.at));
        found.extend(missing.map(|(line, kind)| Finding::about(line, kind, None)));
    }
    found
}
