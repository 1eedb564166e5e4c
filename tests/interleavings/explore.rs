//! The search: every order of the calls of two requests, and every order with one fault. A state that was reached
//! before is not continued again.

use std::collections::HashSet;

use journeys::Fate;

use crate::judge::{Wrong, judge};
use crate::kinds::Pair;
use crate::run::{End, Lane, Point, Step};

/// What the search of a pair has seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    /// Schedules that were run to their end and judged.
    pub(crate) judged: usize,
    /// Those of them without a fault.
    pub(crate) orders: usize,
    /// Schedules that ended in a state that was reached before.
    pub(crate) known: usize,
    pub(crate) states: usize,
    /// The shortest schedules that are wrong, and why; at most one for each pair.
    pub(crate) wrong: Vec<(String, Wrong)>,
}

/// Searches all schedules of a pair, or only those without a fault.
pub(crate) async fn explore(lane: &Lane, pair: Pair, with_faults: bool) -> Counts {
    let (mut counts, mut states) = (Counts::default(), HashSet::new());
    // Those without a fault come first, because a state that was reached without one allows more.
    let (mut schedules, mut faulty): (Vec<Vec<Step>>, Vec<Vec<Step>>) = (vec![Vec::new()], Vec::new());
    while let Some(schedule) = schedules.pop().or_else(|| faulty.pop()) {
        let mut is_known = |state, faulty| states.contains(&(state, false)) || !states.insert((state, faulty));
        let end = lane.run(pair, &schedule, &mut is_known).await;
        let points = match end {
            End::Finished(run) => {
                counts.judged += 1;
                counts.orders += usize::from(run.points.iter().all(|point| point.step.fate == Fate::Done));
                if judge(pair, &run).is_err() {
                    let steps: Vec<Step> = run.points.iter().map(|point| point.step).collect();
                    counts.wrong.extend(shrink(lane, pair, steps).await);
                    break;
                }
                run.points
            }
            End::Known(points) => {
                counts.known += 1;
                points
            }
            End::Impossible => panic!("{}: {} is not possible any more", pair.name(), text(&schedule)),
        };
        let next = alternatives(&points, schedule.len(), with_faults).into_iter();
        let (without, with): (Vec<_>, Vec<_>) =
            next.partition(|steps| steps.iter().all(|step| step.fate == Fate::Done));
        schedules.extend(without);
        faulty.extend(with);
    }
    counts.states = states.len();
    counts
}

/// The schedules that differ from a run in one choice after its first `decided` steps.
fn alternatives(points: &[Point], decided: usize, with_faults: bool) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    for (place, point) in points.iter().enumerate().skip(decided) {
        let others = point.possible.iter().filter(|step| **step != point.step);
        for step in others.filter(|step| with_faults || step.fate == Fate::Done) {
            let before = points.iter().take(place).map(|point| point.step);
            all.push(before.chain([*step]).collect());
        }
    }
    all
}

/// The reason why a schedule is wrong; `None` if it is right or not possible.
async fn wrong(lane: &Lane, pair: Pair, schedule: &[Step]) -> Option<Wrong> {
    match lane.run(pair, schedule, &mut |_, _| false).await {
        End::Finished(run) => judge(pair, &run).err(),
        _ => None,
    }
}

/// Leaves steps out of a wrong schedule as long as it stays wrong. The calls after its last step go on in the order of
/// the requests.
async fn shrink(lane: &Lane, pair: Pair, steps: Vec<Step>) -> Option<(String, Wrong)> {
    let mut shortest = steps;
    let mut why = wrong(lane, pair, &shortest).await?;
    let mut place = shortest.len();
    while let Some(earlier) = place.checked_sub(1) {
        place = earlier;
        let mut shorter = shortest.clone();
        shorter.remove(place);
        if let Some(reason) = wrong(lane, pair, &shorter).await {
            (shortest, why) = (shorter, reason);
        }
    }
    Some((line(pair, &shortest), why))
}

/// Replays a line, and gives the verdict.
pub(crate) async fn replay(lane: &Lane, schedule: &str) -> Result<Result<(), Wrong>, String> {
    let (start, rest) = schedule.split_once(": ").ok_or("it has no start")?;
    let (kinds, steps) = rest.split_once(';').ok_or("it has no `;`")?;
    let pair = Pair::all().into_iter().find(|pair| pair.name() == format!("{start}: {kinds}"));
    let pair = pair.ok_or_else(|| format!("there is no pair {start}: {kinds}"))?;
    let steps: Vec<Step> = steps.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    match lane.run(pair, &steps, &mut |_, _| false).await {
        End::Finished(run) => Ok(judge(pair, &run)),
        _ => Err("a step is not possible".to_owned()),
    }
}

/// The line that replays a schedule.
fn line(pair: Pair, steps: &[Step]) -> String {
    format!("{}; {}", pair.name(), text(steps))
}

fn text(steps: &[Step]) -> String {
    steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
