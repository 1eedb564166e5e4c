//! The history of one account: each thing that its events begin, end and need has a time for each, and no order of the
//! requests explains a thing that is needed long before it begins or long after it ends.
//!
//! A line is written after the table has confirmed the change, and calls overlap. So lines that are less than
//! [`SLACK`] apart may stand for any order.

use std::collections::BTreeMap;

use super::finding::{Finding, Kind};
use super::line::Line;
use super::rules::{Does, FRESH, Thing, effects};

/// In milliseconds, the longest time between a change and the line about it: Lambda ends a call after ten seconds.
pub(super) const SLACK: u64 = 10_000;

/// A thing that lines name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Named<'a> {
    Account,
    Entry,
    Password,
    Identity,
    Session(&'a str),
    Passkey(&'a str),
}

impl Named<'_> {
    /// Whether it begins once: ids are never used again.
    fn is_unique(&self) -> bool {
        matches!(self, Self::Account | Self::Session(_) | Self::Passkey(_))
    }
}

/// When a thing began, ended and was needed, by the lines that say so.
#[derive(Default)]
struct Marks<'a> {
    begins: Vec<&'a Line>,
    /// Imports, each of which may have made it.
    imports: &'a [&'a Line],
    /// Each with whether it ended this thing by its name, and not together with others.
    ends: Vec<(&'a Line, bool)>,
    /// Each with whether it needed only the row.
    needs: Vec<(&'a Line, bool)>,
}

/// Judges the lines of an account, sorted by time. A session that was needed at a time of `complete_from` or later was opened
/// within the lines.
pub(super) fn judge(lines: &[&Line], imports: &[&Line], complete_from: u64) -> Vec<Finding> {
    // After a restore, the account may have any state, as before the first line.
    let is_fresh = |line: &&Line| line.event.as_deref() == Some(FRESH);
    lines.split(is_fresh).flat_map(|lines| judge_part(lines, imports, complete_from)).collect()
}

/// A second account of a session or of a passkey: their ids are random.
pub(super) fn of_two_accounts(lines: &[Line]) -> Vec<Finding> {
    let mut owners: BTreeMap<Named<'_>, &Line> = BTreeMap::new();
    let mut found = Vec::new();
    for line in lines.iter().filter(|line| line.event.is_some() && line.account_id.is_some()) {
        for named in of_names(line) {
            let first = owners.entry(named).or_insert(line);
            if first.account_id != line.account_id {
                found.push(Finding::about(line, Kind::TwoAccounts, Some(first)));
            }
        }
    }
    found
}

/// The sessions and the passkey that a line names.
fn of_names(line: &Line) -> impl Iterator<Item = Named<'_>> {
    let sessions = [&line.session, &line.other_session].into_iter().flatten().map(|id| Named::Session(id));
    sessions.chain(line.passkey.iter().map(|id| Named::Passkey(id)))
}

fn judge_part(lines: &[&Line], imports: &[&Line], complete_from: u64) -> Vec<Finding> {
    let marks = marks(lines, imports);
    let is_known = marks.get(&Named::Account).is_some_and(|account| !account.begins.is_empty());
    let mut found = Vec::new();
    for (named, marks) in &marks {
        let begun = second(marks.begins.iter().copied()).filter(|_| named.is_unique());
        let deleted = marks.ends.iter().map(|(end, _)| *end).filter(|end| !end.is_by_operator());
        let deleted = second(deleted).filter(|_| *named == Named::Account);
        found.extend(
            [begun, deleted].into_iter().flatten().map(|(line, first)| Finding::about(line, Kind::Twice, Some(first))),
        );
        found.extend(marks.needs.iter().find_map(|(need, is_row)| marks.after_end(named, need, *is_row)));
        found.extend(marks.needs.iter().find_map(|(need, _)| marks.before_begin(named, need, is_known, complete_from)));
    }
    found
}

/// All marks of the lines.
fn marks<'a>(lines: &[&'a Line], imports: &'a [&'a Line]) -> BTreeMap<Named<'a>, Marks<'a>> {
    let mut all: BTreeMap<Named<'a>, Marks<'a>> = BTreeMap::new();
    for named in lines.iter().flat_map(|line| of_names(line)) {
        all.entry(named).or_default();
    }
    for named in [Named::Account, Named::Entry, Named::Password, Named::Identity] {
        all.insert(named, Marks { imports, ..Marks::default() });
    }
    for line in lines {
        let Some(event) = line.event.as_deref() else { continue };
        for does in effects(event, line.method.as_deref(), line.is_by_operator()) {
            let (Does::Begins(thing) | Does::Ends(thing) | Does::Needs(thing) | Does::Finds(thing)) = does;
            let together = matches!(thing, Thing::Sessions | Thing::Passkeys);
            for named in named(thing, line, &all) {
                let marks = all.entry(named).or_default();
                match does {
                    // A change whose outcome is unknown may have been made.
                    Does::Begins(_) if line.stage.as_deref() != Some("refused") => marks.begins.push(line),
                    Does::Ends(_) if line.stage.as_deref().is_none_or(|stage| stage == "done") => {
                        marks.ends.push((line, !together));
                    }
                    Does::Needs(_) => marks.needs.push((line, false)),
                    Does::Finds(_) => marks.needs.push((line, true)),
                    Does::Begins(_) | Does::Ends(_) => {}
                }
            }
        }
    }
    all
}

/// What a line means by a thing.
fn named<'a>(thing: Thing, line: &'a Line, all: &BTreeMap<Named<'a>, Marks<'a>>) -> Vec<Named<'a>> {
    let one = |id: &'a Option<String>, of: fn(&'a str) -> Named<'a>| id.as_deref().map(of).into_iter().collect();
    match thing {
        Thing::Account => vec![Named::Account],
        Thing::Entry => vec![Named::Entry],
        Thing::Password => vec![Named::Password],
        Thing::Identity => vec![Named::Identity],
        Thing::Caller => one(&line.session, Named::Session),
        Thing::Other => one(&line.other_session, Named::Session),
        Thing::Passkey => one(&line.passkey, Named::Passkey),
        Thing::Sessions => {
            let stays = line.other_session.as_deref().map(Named::Session);
            all.keys()
                .filter(|named| matches!(named, Named::Session(_)) && Some(*named) != stays.as_ref())
                .cloned()
                .collect()
        }
        Thing::Passkeys => all.keys().filter(|named| matches!(named, Named::Passkey(_))).cloned().collect(),
    }
}

impl Marks<'_> {
    /// The thing had ended for longer than the slack, and had not begun again.
    fn after_end(&self, named: &Named<'_>, need: &Line, is_row: bool) -> Option<Finding> {
        let by_name_alone = |is_by_name: bool| is_by_name && matches!(named, Named::Session(_) | Named::Passkey(_));
        let begins_again = |end: &Line| {
            let mut begins = self.begins.iter().chain(self.imports);
            begins.any(|begin| begin.at + SLACK >= end.at && begin.at <= need.at + SLACK)
        };
        let ended = self.ends.iter().filter(|(end, by_name)| end.at + SLACK < need.at && (*by_name || !is_row));
        let (end, _) = ended
            .filter(|(end, by_name)| by_name_alone(*by_name) || !begins_again(end))
            .max_by_key(|(end, _)| end.at)?;
        Some(Finding::about(need, Kind::AfterEnd, Some(end)))
    }

    /// The thing begins later, or never although its beginning must be among the lines.
    fn before_begin(&self, named: &Named<'_>, need: &Line, is_known: bool, complete_from: u64) -> Option<Finding> {
        let mut begins = self.begins.iter().chain(self.imports);
        if begins.any(|begin| begin.at <= need.at + SLACK) || !named.is_unique() {
            return None;
        }
        let is_listed = match named {
            Named::Session(_) => is_known || need.at >= complete_from,
            Named::Passkey(_) => is_known,
            _ => false,
        };
        let first = self.begins.first();
        (is_listed || first.is_some()).then(|| Finding::about(need, Kind::BeforeBegin, first.copied()))
    }
}

/// The second of the lines, with the first.
fn second<'a>(mut lines: impl Iterator<Item = &'a Line>) -> Option<(&'a Line, &'a Line)> {
    let first = lines.next()?;
    Some((lines.next()?, first))
}
