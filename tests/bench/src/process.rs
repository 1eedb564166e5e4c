//! The kernel's figures for a process: processor time in nanoseconds, and memory.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

use crate::Outcome;

/// The resources that a process has used since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// User and system time of all threads.
    pub cpu: Duration,
    /// The peak resident memory in bytes.
    pub peak_rss: u64,
}

/// The resources that a process has used.
///
/// # Errors
/// There is no such process.
pub fn usage(pid: u32) -> Outcome<Usage> {
    let clock = clock_getcpuclockid(of(pid)?)?.now()?;
    let cpu = Duration::new(clock.tv_sec().try_into()?, clock.tv_nsec().try_into()?);
    Ok(Usage { cpu, peak_rss: kibibytes(pid, "VmHWM:")? * 1024 })
}

/// Whether every thread of a process waits for something.
///
/// # Errors
/// There is no such process.
pub fn is_idle(pid: u32) -> Outcome<bool> {
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let stat = std::fs::read_to_string(thread?.path().join("stat"))?;
        // The name before the state may contain any character. It ends at the last parenthesis.
        if !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S')) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sends SIGTERM to a process.
///
/// # Errors
/// There is no such process.
pub fn terminate(pid: u32) -> Outcome<()> {
    Ok(kill(of(pid)?, Signal::SIGTERM)?)
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
