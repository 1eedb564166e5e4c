//! Calls and their events: a call has one line, and one line for each event. Both have its `request.id`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::finding::{Finding, Kind};
use super::history::SLACK;
use super::line::Line;
use super::rules::{is_refusal, recorded_by, records};

/// Judges all lines. A call that began before `inside`, or that ends after it, may have only some of its lines here.
pub(super) fn judge(lines: &[Line], inside: &Range<u64>) -> Vec<Finding> {
    let events: Vec<&Line> = lines.iter().filter(|line| line.event.is_some() && !line.is_by_operator()).collect();
    let calls: Vec<&Line> = lines.iter().filter(|line| line.event.is_none()).collect();
    let misplaced = lines.iter().filter(|line| line.is_operators && !line.is_by_operator());
    let mut found: Vec<Finding> = misplaced.map(|line| Finding::about(line, Kind::Misplaced, None)).collect();

    let mut recorded: BTreeMap<(&str, &str), Vec<&Line>> = BTreeMap::new();
    for event in &events {
        let all = recorded.entry((&event.function, &event.request_id)).or_default();
        if let Some(first) = all.iter().find(|first| first.event == event.event && is_named(event)) {
            found.push(Finding::about(event, Kind::Doubled, Some(first)));
        }
        all.push(event);
    }

    let deleted: BTreeSet<u64> =
        lines.iter().filter(|line| is_deletion(line)).filter_map(|line| line.account_id).collect();
    for call in calls.iter().filter(|call| call.is_success() && is_named(call) && inside.contains(&call.at)) {
        let wanted = recorded_by(&call.function);
        let own = recorded.get(&(&*call.function, &*call.request_id)).map_or(&[][..], Vec::as_slice);
        let is_recorded = own.iter().any(|line| line.event.as_deref().is_some_and(|event| wanted.contains(&event)));
        // Of two deletions at once, one records it, and both succeed.
        let is_deleted = is_deletion_call(call) && call.account_id.is_some_and(|id| deleted.contains(&id));
        if !wanted.is_empty() && !is_recorded && !is_deleted {
            found.push(Finding::about(call, Kind::EventMissing, None));
        }
    }

    let mut made: BTreeMap<(&str, &str), &Line> = BTreeMap::new();
    for call in calls.iter().filter(|call| is_named(call)) {
        if let Some(first) = made.insert((&call.function, &call.request_id), call) {
            found.push(Finding::about(call, Kind::Doubled, Some(first)));
        }
    }
    for event in events.iter().filter(|event| is_named(event)) {
        let Some(call) = made.get(&(&*event.function, &*event.request_id)) else {
            found.extend(inside.contains(&event.at).then(|| Finding::about(event, Kind::CallMissing, None)));
            continue;
        };
        found.extend((!fits(event, call)).then(|| Finding::about(event, Kind::CallDiffers, None)));
    }
    found
}

/// Whether a call can have recorded an event.
fn fits(event: &Line, call: &Line) -> bool {
    let name = event.event.as_deref().unwrap_or_default();
    let is_other = event.account_id.zip(call.account_id).is_some_and(|(one, other)| one != other);
    let is_during = (call.at..=call.at.saturating_add(SLACK)).contains(&event.at);
    !is_other && is_during && records(&event.function, name) && !(is_refusal(name) && call.is_success())
}

/// Whether the line says of which call it is.
fn is_named(line: &Line) -> bool {
    !line.request_id.is_empty()
}

fn is_deletion(line: &Line) -> bool {
    matches!(line.event.as_deref(), Some("account-deleted" | "account-erased"))
}

fn is_deletion_call(call: &Line) -> bool {
    call.function == "delete-account"
}
