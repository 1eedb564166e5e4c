//! The search: every order of the calls of some requests, and every order with one fault. It does not continue from a
//! state that was reached before.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use journeys::Fate;

use crate::case::{Case, Start, Who};
use crate::judging::judge::{Wrong, verdict};
use crate::running::run::{End, Guide, InRequestOrder, Lane, Point};

/// How often a schedule is run if one of its steps was not possible.
const TRIES: u32 = 6;

/// The first pause before it is run again. Each further one is longer.
pub(crate) const PAUSE: Duration = Duration::from_millis(200);

/// Which faults a search inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Faults {
    None,
    /// Lost answers.
    Lost,
    All,
}

/// The number of faults in a schedule.
pub(crate) fn faults(steps: &[Step]) -> usize {
    steps.iter().filter(|step| step.fate != Fate::Done).count()
}

/// The request whose call proceeds next, and the call's fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) who: Who,
    /// Its index among the request's waiting calls, sorted by operation.
    pub(crate) call: usize,
    pub(crate) fate: Fate,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fate = match self.fate {
            Fate::Done => "",
            Fate::Lost => ":lost",
            Fate::Refused => ":refused",
            Fate::Conflict => ":conflict",
        };
        let call = if self.call == 0 { String::new() } else { (self.call + 1).to_string() };
        write!(f, "{}{call}{fate}", self.who.letter())
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (call, fate) = text.split_once(':').unwrap_or((text, ""));
        let who = Who::ALL.into_iter().find(|each| call.starts_with(each.letter()));
        let call = call.get(1..).filter(|number| !number.is_empty()).map_or(Ok(1), str::parse);
        let call: usize = call.map_err(|_| format!("{text:?} has no number of a call"))?;
        let fate = match fate {
            "" => Fate::Done,
            "lost" => Fate::Lost,
            "refused" => Fate::Refused,
            "conflict" => Fate::Conflict,
            other => return Err(format!("{other:?} is no fate of a call")),
        };
        let who = who.ok_or_else(|| format!("{text:?} is no step"))?;
        Ok(Self { who, call: call.saturating_sub(1), fate })
    }
}

/// What the search of a case has seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    /// Schedules that were run to the end and judged.
    pub(crate) judged: usize,
    /// Schedules that ended in a state that was reached before.
    pub(crate) known: usize,
    /// The wrong schedules, shortened by [`shrink`], each with the reason; at most one for each case.
    pub(crate) wrong: Vec<(String, Wrong)>,
}

/// The states that a search has reached without a fault, and after one.
#[derive(Default)]
struct States(HashSet<(u64, bool)>);

impl Guide for States {
    fn is_known(&self, state: u64, is_faulty: bool) -> bool {
        self.0.contains(&(state, false)) || self.0.contains(&(state, is_faulty))
    }

    fn reach(&mut self, states: Vec<(u64, bool)>) {
        self.0.extend(states);
    }
}

/// Searches all schedules of a case, with these faults.
pub(crate) async fn explore(lane: &Lane, case: &Case, faults: Faults) -> Counts {
    // Both requests make up to four calls, two of them in parallel, so searching them with faults would take minutes.
    let faults = if case.start == Start::ExpiredFailures { Faults::None } else { faults };
    let (mut counts, mut states) = (Counts::default(), States::default());
    // Schedules without a fault come first, because a state that was reached without one allows more steps.
    let (mut schedules, mut later): (Vec<Vec<Step>>, Vec<Vec<Step>>) = (vec![Vec::new()], Vec::new());
    while let Some(schedule) = schedules.pop().or_else(|| later.pop()) {
        let mut end = lane.run(case, &schedule, &mut states).await;
        for pauses in 1..TRIES {
            // On a machine that was too slow, a call may have failed.
            if matches!(end, End::Impossible) {
                tokio::time::sleep(PAUSE * pauses).await;
                end = lane.run(case, &schedule, &mut states).await;
            }
        }
        let points = match end {
            End::Finished(run) => {
                counts.judged += 1;
                if let Err(why) = verdict(case, &run) {
                    let steps = run.points.iter().map(|point| point.step).collect();
                    counts.wrong.push(shrink(lane, case, steps, why).await);
                    break;
                }
                run.points
            }
            End::Known(points) => {
                counts.known += 1;
                points
            }
            End::Impossible => panic!("{} is no longer possible", line(case, &schedule)),
        };
        let next = alternatives(&points, schedule.len(), faults).into_iter();
        let (without, with): (Vec<_>, Vec<_>) =
            next.partition(|steps| steps.iter().all(|step| step.fate == Fate::Done));
        schedules.extend(without);
        later.extend(with);
    }
    // The first run ends in no known state.
    assert_ne!(counts.judged, 0, "{}: no schedule was judged", case.name());
    counts
}

/// The schedules that differ from a run in one choice after its first `decided` steps.
fn alternatives(points: &[Point], decided: usize, faults: Faults) -> Vec<Vec<Step>> {
    let is_inserted = |fate| match faults {
        Faults::None => fate == Fate::Done,
        Faults::Lost => matches!(fate, Fate::Done | Fate::Lost),
        Faults::All => true,
    };
    let mut all = Vec::new();
    for (index, point) in points.iter().enumerate().skip(decided) {
        let others = point.possible.iter().filter(|step| **step != point.step);
        for step in others.filter(|step| is_inserted(step.fate)) {
            let before = points.iter().take(index).map(|point| point.step);
            all.push(before.chain([*step]).collect());
        }
    }
    all
}

/// The reason why a schedule is wrong; `None` if it is right or impossible.
async fn wrong(lane: &Lane, case: &Case, schedule: &[Step]) -> Option<Wrong> {
    replay(lane, case, schedule).await.ok()?.err()
}

/// Removes steps from a wrong schedule as long as it stays wrong. After its last step, calls proceed in the order of
/// the requests. If no shorter schedule is wrong, schedule and reason stay unchanged.
pub(crate) async fn shrink(lane: &Lane, case: &Case, steps: Vec<Step>, reason: Wrong) -> (String, Wrong) {
    let (mut shortest, mut why) = (steps, reason);
    let mut index = shortest.len();
    while let Some(earlier) = index.checked_sub(1) {
        index = earlier;
        let mut shorter = shortest.clone();
        shorter.remove(index);
        if let Some(reason) = wrong(lane, case, &shorter).await {
            (shortest, why) = (shorter, reason);
        }
    }
    (line(case, &shortest), why)
}

/// Reads the line of a schedule.
pub(crate) fn schedule(line: &str) -> Result<(Case, Vec<Step>), String> {
    let (name, steps) = line.split_once(';').ok_or("it has no `;`")?;
    let case = Case::named(name).ok_or_else(|| format!("there is no case {name}"))?;
    let steps: Vec<Step> = steps.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    Ok((case, steps))
}

/// Replays a schedule, and returns the verdict.
pub(crate) async fn replay(lane: &Lane, case: &Case, steps: &[Step]) -> Result<Result<(), Wrong>, String> {
    let mut guide = InRequestOrder { allows_one_fault: faults(steps) < 2 };
    match lane.run(case, steps, &mut guide).await {
        End::Finished(run) => Ok(verdict(case, &run)),
        _ => Err("a step is not possible".to_owned()),
    }
}

/// The line that replays a schedule.
pub(crate) fn line(case: &Case, steps: &[Step]) -> String {
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    format!("{}; {}", case.name(), steps.join(" "))
}
