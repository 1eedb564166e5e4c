//! The storm: random orders of two to four random requests, with any number of faults. Each round has its own account.
//! The same seed gives the same requests, and the same choices as long as the calls arrive in the same order.

use journeys::Fate;

use crate::case::{Case, Start};
use crate::judging::judge::{Wrong, verdict};
use crate::kinds::Kind;
use crate::running::explore::{Step, faults, shrink};
use crate::running::run::{End, Guide, Lane};

/// One in this many steps is a fault, if a fault is possible.
const STEPS_PER_FAULT: usize = 6;

/// The accounts that it begins with.
const STARTS: [Start; 4] = [Start::Absent, Start::Registered, Start::Verified, Start::Linked];

/// A reproducible generator of random numbers (xorshift64*).
pub(crate) struct RandomChoices(u64);

impl RandomChoices {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % end
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// The results of a storm.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) rounds: usize,
    pub(crate) faults: usize,
    /// Rounds whose answers and rows had to be explained: those with at most one fault.
    pub(crate) explained: usize,
    pub(crate) wrong: Vec<(String, Wrong)>,
}

impl Guide for RandomChoices {
    fn choose(&mut self, possible: &[Step]) -> Option<Step> {
        let is_without_faults = self.below(STEPS_PER_FAULT) > 0;
        let fitting: Vec<Step> =
            possible.iter().copied().filter(|step| (step.fate == Fate::Done) == is_without_faults).collect();
        Some(self.one(if fitting.is_empty() { possible } else { &fitting }))
    }

    fn allows_one_fault(&self) -> bool {
        false
    }
}

/// One round, of two to `most` requests.
pub(crate) async fn round(lane: &Lane, round_seed: u64, most: usize, seen: &mut Seen) {
    let mut choices = RandomChoices::of(round_seed);
    let count = 2 + choices.below(most - 1);
    let mut kinds: Vec<Kind> = Vec::new();
    while kinds.len() < count {
        let kind = choices.one(Kind::ALL);
        let is_second_clock = kind.is_clock() && kinds.contains(&kind);
        let is_apart = !kind.is_in_storms();
        let has_notices = kinds.iter().any(|other| other.is_notices());
        let has_import = kinds.contains(&Kind::Import);
        let needs_other_start =
            if kind.is_notices() { has_notices || has_import } else { kind == Kind::Import && has_notices };
        if !(is_second_clock || needs_other_start || is_apart) {
            kinds.push(kind);
        }
    }
    // A record of a registration or of a change contains the account of the start, so there must be one.
    let start = if kinds.iter().any(|kind| kind.is_notices()) { Start::Registered } else { choices.one(&STARTS) };
    let case = Case { start, kinds };
    let End::Finished(run) = lane.run(&case, &[], &mut choices).await else { return };
    let steps: Vec<Step> = run.points.iter().map(|point| point.step).collect();
    let faults = faults(&steps);
    seen.rounds += 1;
    seen.faults += faults;
    seen.explained += usize::from(faults < 2);
    if let Err(why) = verdict(&case, &run) {
        let (schedule, why) = shrink(lane, &case, steps, why).await;
        seen.wrong.push((schedule, format!("seed {round_seed}: {why}")));
    }
}
