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

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
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
    fn a_busy_process_uses_processor_time_and_is_not_idle() {
        let mut busy = shell("while :; do :; done");
        until(|| usage(busy.id()).unwrap().cpu > Duration::from_millis(5));
        assert!(usage(busy.id()).unwrap().peak_rss > 100_000);
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(usage(busy.id()).is_err());
    }

    #[test]
    fn a_waiting_process_is_idle_and_can_be_terminated() {
        let mut waiting = shell("exec sleep 60");
        until(|| is_idle(waiting.id()).unwrap());
        terminate(waiting.id()).unwrap();
        assert_eq!(waiting.wait().unwrap().signal(), Some(Signal::SIGTERM as i32));
    }
}
