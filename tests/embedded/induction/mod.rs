//! Any number of requests: each write of the store keeps the invariants of an account in every small state that has them,
//! so any number of requests, processes and lost answers keeps them too. `docs/induction.md` says what this covers.
//!
//! Then each guard is left out in turn. It breaks something, or the write is accepted where it was refused, so that it
//! decides the answer, or `reasons` says why it stays. `target/induction.txt` has the verdicts.

mod broken;
mod changes;
mod engine;
mod forms;
mod imported;
mod importing;
mod listening;
mod operating;
mod reasons;
mod recording;
mod repairing;
mod rights;
mod states;
mod takers;
mod writes;

use std::collections::HashMap;
use std::thread::available_parallelism;

use journeys::generated;

use self::broken::broken;
use self::engine::Engine;
use self::states::{Samples, State};
use self::writes::{Recorded, guards};

/// The least numbers of writes, of states, and of left-out guards that break something: somewhat below today's.
const WRITES_MIN: usize = 155;
const STATES_MIN: usize = 18_500;
const CAUGHT_MIN: usize = 610;

/// What a write without one of its guards does.
#[derive(Debug)]
enum LeftOut {
    /// It breaks something.
    Breaks(String),
    /// It is accepted where the whole write is refused, and breaks nothing: the guard decides what is answered.
    Accepts(String),
    /// It is accepted where the whole write is.
    Nothing,
}

/// The verdict about one write: how many states it has, what is wrong, and what it does without each of its guards.
struct Verdict {
    states: usize,
    wrong: Option<String>,
    guards: Vec<(String, LeftOut)>,
}

fn judge(engine: &mut Engine, recorded: &Recorded, samples: &Samples) -> Verdict {
    let (states, guards) = (states::all(recorded, samples), guards(&recorded.parts));
    let in_state = |state: &State, what: &str| format!("{} in {:?}: {what}", recorded.name, state.account);
    let mut left_out: Vec<LeftOut> = guards.iter().map(|_| LeftOut::Nothing).collect();
    let (mut accepted, mut wrong, mut known) = (0, None, HashMap::new());
    for state in &states {
        // A condition depends on nothing but the attributes that it names.
        let fails = |(at, guard): &(usize, &writes::Guard)| {
            let row = engine::named(guard, &state.rows);
            let text = serde_json::to_string(&row).unwrap();
            !*known.entry((*at, text)).or_insert_with(|| engine.holds(guard, row.as_ref()))
        };
        let failing: Vec<usize> = guards.iter().enumerate().filter(fails).map(|(at, _)| at).collect();
        match failing[..] {
            [] => {
                let Some(after) = engine.after(&state.rows, &recorded.parts) else { continue };
                accepted += 1;
                let mut what = broken(recorded, state, &after);
                if what.is_none() && broken::may_be_repeated(recorded) {
                    let again = engine.after(&after, &recorded.parts);
                    what = (again.as_ref() != Some(&after)).then(|| "done again, it changes more".to_owned());
                }
                wrong = wrong.or(what.map(|what| in_state(state, &what)));
            }
            [at] if !matches!(left_out[at], LeftOut::Breaks(_)) => {
                let Some(after) = engine.after(&state.rows, &guards[at].without) else { continue };
                match broken(recorded, state, &after) {
                    Some(why) => left_out[at] = LeftOut::Breaks(in_state(state, &why)),
                    None if matches!(left_out[at], LeftOut::Nothing) => {
                        left_out[at] = LeftOut::Accepts(in_state(state, "accepted"));
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }
    if accepted == 0 {
        wrong = wrong.or_else(|| Some(format!("{} is never accepted", recorded.name)));
    }
    let named = guards.iter().map(|guard| format!("{}, {}", recorded.name, guard.name));
    Verdict { states: states.len(), wrong, guards: named.zip(left_out).collect() }
}

#[tokio::test]
async fn every_write_keeps_the_invariants_in_every_small_state_and_without_its_guards_it_does_not() {
    let all = recording::all().await;
    let row = |is: fn(&str) -> bool| {
        let found = all.iter().flat_map(|write| &write.base).find(|((_, sk), _)| is(sk));
        found.map(|(_, row)| row.clone()).unwrap()
    };
    let samples = Samples { profile: row(|sk| sk == "profile"), passkey: row(|sk| sk.starts_with("passkey#")) };
    let lanes = available_parallelism().map_or(2, usize::from);
    let verdicts: Vec<Verdict> = std::thread::scope(|scope| {
        let lane = |lane: usize| {
            let (all, samples) = (&all, &samples);
            scope.spawn(move || {
                let mut engine = Engine::new();
                let mine = all.iter().skip(lane).step_by(lanes);
                mine.map(|write| judge(&mut engine, write, samples)).collect::<Vec<_>>()
            })
        };
        let running: Vec<_> = (0..lanes).map(lane).collect();
        running.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    let states = verdicts.iter().map(|verdict| verdict.states).sum::<usize>();
    let guards: Vec<_> = verdicts.iter().flat_map(|verdict| &verdict.guards).collect();
    let told = guards.iter().map(|(guard, left_out)| match left_out {
        LeftOut::Breaks(why) => format!("{guard}: breaks {why}"),
        LeftOut::Accepts(why) => format!("{guard}: {why}"),
        LeftOut::Nothing => format!("{guard}: {}", reasons::reason(guard).unwrap_or("nothing")),
    });
    generated::report("induction.txt", &told.collect::<Vec<_>>().join("\n"));
    let count = |is: fn(&LeftOut) -> bool| guards.iter().filter(|(_, left_out)| is(left_out)).count();
    let caught = count(|left_out| matches!(left_out, LeftOut::Breaks(_)));
    let accepting = count(|left_out| matches!(left_out, LeftOut::Accepts(_)));
    println!(
        "{} writes in {states} states; of {} left-out guards {caught} break something, {accepting} only decide the answer",
        all.len(),
        guards.len()
    );
    let idle =
        guards.iter().filter(|(_, left_out)| matches!(left_out, LeftOut::Nothing)).map(|(guard, _)| guard.as_str());
    let idle: Vec<_> = idle.collect();
    let superfluous = idle.iter().filter(|guard| reasons::reason(guard).is_none());
    let superfluous = superfluous.map(|guard| format!("no other guard of the write needs it: {guard}"));
    let unused = reasons::unused(&idle).into_iter().map(|guard| format!("it is needed or gone: {guard}"));
    let wrong: Vec<String> = verdicts.iter().filter_map(|verdict| verdict.wrong.clone()).collect();
    let wrong: Vec<String> = wrong.into_iter().chain(superfluous).chain(unused).chain(forms::missing(&all)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() >= WRITES_MIN && states >= STATES_MIN && caught >= CAUGHT_MIN, "the search has become smaller");
}
