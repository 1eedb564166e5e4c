//! Reads the memory of a process from `/proc`, and detects whether it grows steadily.

use std::fs;

/// How much the memory may grow in a sixth of the run without being counted, in KiB. Allocator and caches vary by half
/// of this in short runs. Therefore a short run finds only large leaks.
const IGNORED_KIB: u64 = 1024;

/// One measurement of the process.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// Anonymous memory in KiB. Pages of files are left out, because the kernel can take them back.
    pub(crate) own_kib: u64,
    /// The number of answers until then.
    pub(crate) answers: u64,
}

/// The anonymous memory of a process in KiB. `None` if the process has ended.
pub(crate) fn own_kib(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let row = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    row.split_whitespace().next()?.parse().ok()
}

/// Steady growth in bytes per answer, which is the smallest growth from one sixth of the run to the next. `None` if
/// there are too few samples. The samples have equal distances in time.
///
/// The first third of the run is the warm-up and does not count. A leak shows in every later sixth. A single step is
/// not a leak: when a function computes more hashes at once than ever before, it allocates the memory of one more hash
/// (19 MiB) and keeps it.
pub(crate) fn growth(samples: &[Sample]) -> Option<u64> {
    let sixth = samples.len() / 6;
    let later = samples.get(2 * sixth..).filter(|_| sixth > 0)?;
    let sixths: Vec<Sample> = later.chunks_exact(sixth).map(middle).collect();
    let gains = sixths.windows(2).map(|pair| {
        let [from, to] = [pair[0], pair[1]];
        let gained = to.own_kib.saturating_sub(from.own_kib + IGNORED_KIB) * 1024;
        gained / to.answers.saturating_sub(from.answers).max(1)
    });
    gains.min()
}

/// The median memory, and the number of answers at half of the time.
fn middle(samples: &[Sample]) -> Sample {
    let mut own_kib: Vec<u64> = samples.iter().map(|sample| sample.own_kib).collect();
    own_kib.sort_unstable();
    Sample { own_kib: own_kib[samples.len() / 2], answers: samples[samples.len() / 2].answers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_memory_that_grows_in_every_sixth_of_a_run_is_growth() {
        let grown = |own_kib: fn(u64) -> u64| {
            let samples = (0..60).map(|at| Sample { own_kib: own_kib(at), answers: 100 * at });
            growth(&samples.collect::<Vec<_>>()).unwrap()
        };
        // Each sample has 300 KiB and 100 answers more, and a sixth has ten samples. Of its 3000 KiB, 1024 do not
        // count.
        assert_eq!(grown(|at| at * 300), (3000 - IGNORED_KIB) * 1024 / 1000);
        assert_eq!(grown(|at| at.min(15) * 10_000), 0);
        assert_eq!(grown(|at| if at < 45 { 100 } else { 20_000 }), 0);
        assert_eq!(grown(|at| 100 - at), 0);
        assert_eq!(growth(&[Sample { own_kib: own_kib("self").unwrap(), answers: 0 }; 5]), None, "too few");
        assert_eq!(own_kib("no such process"), None);
    }
}
