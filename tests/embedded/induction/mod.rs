//! Any number of requests: each write of the store keeps the invariants of an account in every small state that has them,
//! so any number of requests, processes and lost answers keeps them too. `docs/interleavings.md` says what this covers.
//!
//! Then each guard is left out in turn. It breaks something, or the write is accepted where it was refused, so that it
//! decides the answer, or `reasons` says why it stays. `target/induction.txt` has the verdicts.

mod engine;
mod reasons;
mod rights;
mod states;
mod writes;

use std::thread::available_parallelism;

use journeys::generated;
use journeys::requests::Caller;
use serde_json::Value;
use shared::store::PASSKEYS_MAX;

use self::engine::{Engine, Rows};
use self::states::{Change, State, faults};
use self::writes::{Recorded, without_each_guard};

/// The least numbers of writes, of states, and of left-out guards that break something: somewhat below today's.
const WRITES_MIN: usize = 40;
const STATES_MIN: usize = 13_000;
const CAUGHT_MIN: usize = 90;

/// What an accepted write has broken; `None` if nothing.
fn broken(recorded: &Recorded, state: &State, after: &Rows) -> Option<String> {
    if let Some(fault) = faults(after).into_iter().next() {
        return Some(fault);
    }
    let before = &state.rows;
    if let Some(wrong) = rights::wrong(recorded, before, after) {
        return Some(wrong.to_owned());
    }
    for (key, was) in before.iter().filter(|((_, sk), _)| sk == "profile") {
        let number = |row: &Value, name: &str| row[name]["N"].as_str().unwrap().parse::<u64>().unwrap();
        match after.get(key) {
            Some(is) if was["id"] != is["id"] => return Some("an account has got another id".to_owned()),
            Some(is) if number(is, "generation") < number(was, "generation") => {
                return Some("ended sessions live again".to_owned());
            }
            Some(is) if was["email"] != is["email"] && is["generation"] == was["generation"] => {
                return Some("an address has changed, and its sessions live".to_owned());
            }
            Some(is)
                if was
                    .get("passkey_user")
                    .is_some_and(|user| is.get("passkey_user").is_some_and(|now| now != user)) =>
            {
                return Some("the user handle has changed".to_owned());
            }
            Some(is) if is["passkeys"]["SS"].as_array().is_some_and(|passkeys| passkeys.len() > PASSKEYS_MAX + 1) => {
                return Some("an account has too many passkeys".to_owned());
            }
            Some(is) if was.get("disabled_at").is_some() && was != is => {
                return Some("a disabled account has changed".to_owned());
            }
            _ => {}
        }
        if was["id"]["N"] == states::STRANGER && after.get(key) != Some(was) {
            return Some("somebody else's account has changed".to_owned());
        }
    }
    let account = states::account(recorded)?;
    let key = (account.clone(), "profile".to_owned());
    let (base, was, is) = (recorded.base.get(&key), before.get(&key), after.get(&key));
    let named = |rows: &Rows| rows.values().filter(|row| row["account"]["S"] == *account).count();
    match state.account {
        Change::Gone if is.is_some() && !states::creates(recorded) => Some("a deleted account is back".to_owned()),
        Change::Reborn if was != is || named(before) != named(after) => {
            Some("an account was taken for the one that had its address before".to_owned())
        }
        Change::Newer if was != is && is_by_session(recorded) => {
            Some("an ended session has changed the account".to_owned())
        }
        _ => {
            let token = states::token(recorded)?;
            let of = |row: Option<&Value>, name: &str| row.and_then(|row| row.get(name).cloned());
            let until = token.replace("_hash", "_expires_at");
            let has_expired = of(was, &until).is_some_and(|time| time["N"] == rights::PASSED);
            let is_live = of(base, token) == of(was, token) && !has_expired;
            (was != is && !is_live).then(|| format!("a link without its {token} has changed the account"))
        }
    }
}

/// Whether the request's right is its session.
fn is_by_session(recorded: &Recorded) -> bool {
    // The mail of this one goes to the owner of the address alone.
    recorded.request.name != "send-verification"
        && matches!(recorded.request.caller, Caller::SignedIn | Caller::SignedInWithGoogle)
        && states::token(recorded).is_none()
}

/// What a write without one of its guards does.
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

fn judge(engine: &mut Engine, recorded: &Recorded, passkey: &Value) -> Verdict {
    let states = states::all(recorded, passkey);
    let in_state = |state: &State, what: &str| format!("{} in {:?}: {what}", recorded.request.name, state.account);
    let afters: Vec<_> = states.iter().map(|state| engine.after(&state.rows, &recorded.parts)).collect();
    let wrong = states.iter().zip(&afters).find_map(|(state, after)| {
        let why = broken(recorded, state, after.as_ref()?)?;
        Some(in_state(state, &why))
    });
    let guards = without_each_guard(&recorded.parts).into_iter().map(|(guard, parts)| {
        let mut left_out = LeftOut::Nothing;
        for (state, _) in states.iter().zip(&afters).filter(|(_, whole)| whole.is_none()) {
            let Some(after) = engine.after(&state.rows, &parts) else { continue };
            if let Some(why) = broken(recorded, state, &after) {
                left_out = LeftOut::Breaks(in_state(state, &why));
                break;
            }
            if matches!(left_out, LeftOut::Nothing) {
                left_out = LeftOut::Accepts(in_state(state, "accepted"));
            }
        }
        (format!("{}, {guard}", recorded.request.name), left_out)
    });
    let guards = guards.collect();
    Verdict { states: states.len(), wrong, guards }
}

#[tokio::test]
async fn every_write_keeps_the_invariants_in_every_small_state_and_without_its_guards_it_does_not() {
    let all = writes::recorded().await;
    let is_passkey = |(_, sk): &(String, String)| sk.starts_with("passkey#");
    let passkey = all.iter().find_map(|write| write.base.iter().find(|(key, _)| is_passkey(key)).map(|(_, row)| row));
    let passkey = passkey.unwrap();
    let lanes = available_parallelism().map_or(2, usize::from);
    let verdicts: Vec<Verdict> = std::thread::scope(|scope| {
        let lane = |lane: usize| {
            let all = &all;
            scope.spawn(move || {
                let mut engine = Engine::new();
                let mine = all.iter().skip(lane).step_by(lanes);
                mine.map(|write| judge(&mut engine, write, passkey)).collect::<Vec<_>>()
            })
        };
        let running: Vec<_> = (0..lanes).map(lane).collect();
        running.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    let wrong: Vec<_> = verdicts.iter().filter_map(|verdict| verdict.wrong.as_ref()).collect();
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
    assert!(wrong.is_empty(), "{wrong:#?}");
    let idle =
        guards.iter().filter(|(_, left_out)| matches!(left_out, LeftOut::Nothing)).map(|(guard, _)| guard.as_str());
    let idle: Vec<_> = idle.collect();
    let superfluous: Vec<_> = idle.iter().filter(|guard| reasons::reason(guard).is_none()).collect();
    assert!(superfluous.is_empty(), "no other guard of these writes needs them: {superfluous:#?}");
    assert_eq!(reasons::unused(&idle), [""; 0], "these guards are needed or gone");
    assert!(all.len() >= WRITES_MIN && states >= STATES_MIN && caught >= CAUGHT_MIN, "the search has become smaller");
}
