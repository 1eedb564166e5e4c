//! The search: every order of the calls of some requests, and every order with one fault. A state that was reached
//! before is not continued again.

use std::collections::HashSet;

use journeys::Fate;

use crate::case::Case;
use crate::judge::{Wrong, judge};
use crate::run::{End, Faults, Guide, InOrder, Lane, Point, Step};

/// What the search of a case has seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    /// Schedules that were run to their end and judged.
    pub(crate) judged: usize,
    /// Those of them without a fault.
    pub(crate) orders: usize,
    /// Schedules that ended in a state that was reached before.
    pub(crate) known: usize,
    pub(crate) states: usize,
    /// The shortest schedules that are wrong, and why; at most one for each case.
    pub(crate) wrong: Vec<(String, Wrong)>,
}

/// The states that a search has reached, without and with a fault before.
#[derive(Default)]
struct States(HashSet<(u64, bool)>);

impl Guide for States {
    fn is_known(&mut self, state: u64, is_faulty: bool) -> bool {
        self.0.contains(&(state, false)) || !self.0.insert((state, is_faulty))
    }
}

/// Searches all schedules of a case, with these faults.
pub(crate) async fn explore(lane: &Lane, case: &Case, faults: Faults) -> Counts {
    let (mut counts, mut states) = (Counts::default(), States::default());
    // Those without a fault come first, because a state that was reached without one allows more.
    let (mut schedules, mut later): (Vec<Vec<Step>>, Vec<Vec<Step>>) = (vec![Vec::new()], Vec::new());
    while let Some(schedule) = schedules.pop().or_else(|| later.pop()) {
        let points = match lane.run(case, &schedule, &mut states).await {
            End::Finished(run) => {
                counts.judged += 1;
                counts.orders += usize::from(run.points.iter().all(|point| point.step.fate == Fate::Done));
                if judge(case, &run).is_err() {
                    let steps: Vec<Step> = run.points.iter().map(|point| point.step).collect();
                    counts.wrong.extend(shrink(lane, case, steps).await);
                    break;
                }
                run.points
            }
            End::Known(points) => {
                counts.known += 1;
                points
            }
            End::Impossible => panic!("{} is not possible any more", line(case, &schedule)),
        };
        let next = alternatives(&points, schedule.len(), faults).into_iter();
        let (without, with): (Vec<_>, Vec<_>) =
            next.partition(|steps| steps.iter().all(|step| step.fate == Fate::Done));
        schedules.extend(without);
        later.extend(with);
    }
    counts.states = states.0.len();
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
    for (place, point) in points.iter().enumerate().skip(decided) {
        let others = point.possible.iter().filter(|step| **step != point.step);
        for step in others.filter(|step| is_inserted(step.fate)) {
            let before = points.iter().take(place).map(|point| point.step);
            all.push(before.chain([*step]).collect());
        }
    }
    all
}

/// The reason why a schedule is wrong; `None` if it is right or not possible.
async fn wrong(lane: &Lane, case: &Case, schedule: &[Step]) -> Option<Wrong> {
    match lane.run(case, schedule, &mut InOrder).await {
        End::Finished(run) => judge(case, &run).err(),
        _ => None,
    }
}

/// Leaves steps out of a wrong schedule as long as it stays wrong. The calls after its last step go on in the order of
/// the requests.
pub(crate) async fn shrink(lane: &Lane, case: &Case, steps: Vec<Step>) -> Option<(String, Wrong)> {
    let mut shortest = steps;
    let mut why = wrong(lane, case, &shortest).await?;
    let mut place = shortest.len();
    while let Some(earlier) = place.checked_sub(1) {
        place = earlier;
        let mut shorter = shortest.clone();
        shorter.remove(place);
        if let Some(reason) = wrong(lane, case, &shorter).await {
            (shortest, why) = (shorter, reason);
        }
    }
    Some((line(case, &shortest), why))
}

/// Reads the line of a schedule.
pub(crate) fn schedule(line: &str) -> Result<(Case, Vec<Step>), String> {
    let (name, steps) = line.split_once(';').ok_or("it has no `;`")?;
    let case = Case::named(name).ok_or_else(|| format!("there are no requests {name}"))?;
    let steps: Vec<Step> = steps.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    Ok((case, steps))
}

/// Replays a schedule, and gives the verdict.
pub(crate) async fn replay(lane: &Lane, case: &Case, steps: &[Step]) -> Result<Result<(), Wrong>, String> {
    match lane.run(case, steps, &mut InOrder).await {
        End::Finished(run) => Ok(judge(case, &run)),
        _ => Err("a step is not possible".to_owned()),
    }
}

/// The line that replays a schedule.
pub(crate) fn line(case: &Case, steps: &[Step]) -> String {
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    format!("{}; {}", case.name(), steps.join(" "))
}
