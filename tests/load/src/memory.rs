//! What the stack's process takes of memory and processors, from `/proc`, and whether its memory stays flat.

use std::fs;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::ledger::LEDGER;

/// Between two samples.
const SAMPLE_EVERY: Duration = Duration::from_millis(250);
/// Between two lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// `/proc` counts processor time in these (`USER_HZ`, 100 on every Linux).
const TICKS_PER_SECOND: f64 = 100.0;

/// What a sixth may gain in any case: allocator and caches were seen to move by half of it in short runs. So a short run
/// finds large leaks alone.
const RESTLESS_KIB: u64 = 1024;

/// One look at the process.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sample {
    /// Seconds since the start.
    pub(crate) at: f64,
    /// Memory of its own, in KiB: without the pages of files, which the kernel takes back.
    pub(crate) own_kib: u64,
    /// Answers until then.
    pub(crate) answers: u64,
}

/// Samples the process until `seconds` have passed or it has gone, and says how far the run is.
pub(crate) async fn watch(process: String, seconds: u64) -> Vec<Sample> {
    let start = Instant::now();
    let mut samples = Vec::new();
    let mut told = Duration::ZERO;
    while start.elapsed() < Duration::from_secs(seconds) {
        let Some(sample) = sample(&process, start.elapsed().as_secs_f64()) else { break };
        samples.push(sample);
        if start.elapsed() >= told + PROGRESS_EVERY {
            told += PROGRESS_EVERY;
            println!(
                "{:>5} s  {:>8} answers  {:>4} failures  {:>5.1} MiB",
                told.as_secs(),
                LEDGER.answers(),
                LEDGER.failed(),
                mib(sample.own_kib)
            );
        }
        sleep(SAMPLE_EVERY).await;
    }
    samples
}

fn sample(process: &str, at: f64) -> Option<Sample> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(Sample { at, own_kib: field(&status, "RssAnon:")?, answers: LEDGER.answers() })
}

fn field(status: &str, name: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Processor time that a process has used, in seconds.
pub(crate) fn processor_seconds(process: &str) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before the last bracket may hold blanks. After it, fields 14 and 15 of proc(5) are 11 and 12.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u32>().ok();
    Some(f64::from(ticks(11)?.checked_add(ticks(12)?)?) / TICKS_PER_SECOND)
}

/// How the memory went after the warm-up, which is a run's first third: the median of each sixth.
///
/// A leak shows in every sixth. A step in one of them does not count: a function takes the memory for one more hash
/// (19 MiB) when it first has that many at once, and keeps it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Course([Sample; 4]);

impl Course {
    /// Of a whole run's samples; `None` if there are too few to tell.
    pub(crate) fn of(samples: &[Sample]) -> Option<Self> {
        let end = samples.last()?.at;
        let median = |sixth: f64| {
            let (from, to) = (end * sixth / 6.0, end * (sixth + 1.0) / 6.0);
            let window = samples.iter().filter(|sample| sample.at >= from && sample.at <= to);
            let window: Vec<Sample> = window.copied().collect();
            let mut own_kib: Vec<u64> = window.iter().map(|sample| sample.own_kib).collect();
            own_kib.sort_unstable();
            let middle = window.len() / 2;
            Some(Sample { own_kib: *own_kib.get(middle)?, ..*window.get(middle)? })
        };
        Some(Self([median(2.0)?, median(3.0)?, median(4.0)?, median(5.0)?]))
    }

    /// After the warm-up and at the end, in KiB.
    pub(crate) fn ends_kib(self) -> (u64, u64) {
        let [first, .., last] = self.0;
        (first.own_kib, last.own_kib)
    }

    /// Bytes that are gained steadily for each answer: the least of what each sixth gains
    /// beyond [`RESTLESS_KIB`].
    pub(crate) fn growth_per_answer(self) -> u64 {
        let [first, second, third, last] = self.0;
        let gain = |from: Sample, to: Sample| {
            to.own_kib.saturating_sub(from.own_kib + RESTLESS_KIB) * 1024
                / to.answers.saturating_sub(from.answers).max(1)
        };
        gain(first, second).min(gain(second, third)).min(gain(third, last))
    }
}

/// KiB as MiB.
pub(crate) fn mib(kib: u64) -> f64 {
    f64::from(u32::try_from(kib).unwrap_or(u32::MAX)) / 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(own_kib: impl Fn(u32) -> u64) -> Vec<Sample> {
        let sample = |at| Sample { at: f64::from(at), own_kib: own_kib(at), answers: 100 * u64::from(at) };
        (0..=60).map(sample).collect()
    }

    #[test]
    fn what_is_gained_while_warming_up_is_no_growth() {
        let course = Course::of(&run(|at| if at < 15 { u64::from(at) } else { 15 })).unwrap();
        assert_eq!(course.growth_per_answer(), 0);
    }

    #[test]
    fn what_is_gained_steadily_is_growth() {
        let course = Course::of(&run(|at| u64::from(at) * 300)).unwrap();
        // 300 KiB and 100 answers a second, for ten seconds: 3000 KiB, of which 1024 do not count.
        assert_eq!(course.growth_per_answer(), (3000 - RESTLESS_KIB) * 1024 / 1000);
    }

    #[test]
    fn memory_that_is_taken_once_and_kept_is_no_growth() {
        assert_eq!(Course::of(&run(|at| if at < 45 { 100 } else { 20_000 })).unwrap().growth_per_answer(), 0);
    }

    #[test]
    fn memory_given_back_is_no_growth() {
        assert_eq!(Course::of(&run(|at| 100 - u64::from(at))).unwrap().growth_per_answer(), 0);
    }

    #[test]
    fn this_process_is_seen() {
        let sample = sample("self", 0.0).unwrap();
        assert!(sample.own_kib > 0, "{sample:?}");
        assert!(processor_seconds("self").unwrap() >= 0.0);
    }
}
