//! What the kernel knows of a process: processor time to the nanosecond, and memory.

use std::collections::BTreeMap;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

use crate::Outcome;

/// What a process, or several together, have used since they started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time, user's and system's, of all threads.
    pub cpu: Duration,
    /// The most memory that was resident at once, in bytes; of several processes the sum of each one's most.
    pub peak_rss: u64,
}

/// What one process has used.
///
/// # Errors
/// There is no such process.
pub fn usage(pid: u32) -> Outcome<Usage> {
    let clock = clock_getcpuclockid(of(pid)?)?.now()?;
    let cpu = Duration::new(clock.tv_sec().try_into()?, clock.tv_nsec().try_into()?);
    Ok(Usage { cpu, peak_rss: kibibytes(pid, "VmHWM:")? * 1024 })
}

/// What a process and all that descend from it have used, as far as they are still there.
///
/// # Errors
/// There is no such process.
pub fn usage_of_tree(root: u32) -> Outcome<Usage> {
    let mut sum = usage(root)?;
    // A descendant may end while the list is read: what it used is then its parent's to tell, and is left out.
    for part in descendants(root)?.into_iter().filter_map(|pid| usage(pid).ok()) {
        sum.cpu += part.cpu;
        sum.peak_rss += part.peak_rss;
    }
    Ok(sum)
}

/// Whether every thread of a process waits for something.
///
/// # Errors
/// There is no such process.
pub fn is_idle(pid: u32) -> Outcome<bool> {
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let stat = std::fs::read_to_string(thread?.path().join("stat"))?;
        // The name before the state may hold anything but ends with the last parenthesis.
        if !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S')) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks a process to end.
///
/// # Errors
/// There is no such process.
pub fn terminate(pid: u32) -> Outcome<()> {
    Ok(kill(of(pid)?, Signal::SIGTERM)?)
}

/// Ends a process and all that descend from it, at once and unasked.
///
/// # Errors
/// There is no such process.
pub fn kill_tree(root: u32) -> Outcome<()> {
    // The list first: whoever has lost its parent is not found by it.
    let descendants = descendants(root)?;
    kill(of(root)?, Signal::SIGKILL)?;
    for pid in descendants {
        // One that has ended meanwhile needs no end.
        let _ = kill(of(pid)?, Signal::SIGKILL);
    }
    Ok(())
}

fn of(pid: u32) -> Outcome<Pid> {
    Ok(Pid::from_raw(pid.try_into()?))
}

fn kibibytes(pid: u32, row: &str) -> Outcome<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let found = status.lines().find_map(|line| line.strip_prefix(row));
    let number = found.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| format!("/proc/{pid}/status has no {row}").into())
}

fn descendants(root: u32) -> Outcome<Vec<u32>> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
        children.entry(parent.unwrap_or_default()).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut next = vec![root];
    while let Some(pid) = next.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        found.extend(&below);
        next.extend(below);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn shell(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).spawn().unwrap()
    }

    fn until(condition: impl Fn() -> bool) {
        while !condition() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_process_that_works_uses_the_processor_and_is_not_idle() {
        let mut busy = shell("while :; do :; done");
        until(|| usage(busy.id()).unwrap().cpu > Duration::from_millis(5));
        assert!(usage(busy.id()).unwrap().peak_rss > 100_000);
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(usage(busy.id()).is_err());
    }

    #[test]
    fn what_a_child_uses_counts_with_its_parent_and_ends_when_asked_to() {
        let mut parent = shell("sh -c 'while :; do :; done' & trap 'kill $!; exit' TERM; wait");
        until(|| usage_of_tree(parent.id()).unwrap().cpu > Duration::from_millis(20));
        assert!(usage(parent.id()).unwrap().cpu < Duration::from_millis(20));
        until(|| is_idle(parent.id()).unwrap());
        terminate(parent.id()).unwrap();
        parent.wait().unwrap();
    }
}
