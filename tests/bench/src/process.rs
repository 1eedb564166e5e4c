//! Whether a process is idle, and its end.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::Outcome;

/// Whether every thread of a process waits for something.
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
pub fn terminate(pid: u32) -> Outcome<()> {
    Ok(kill(of(pid)?, Signal::SIGTERM)?)
}

fn of(pid: u32) -> Outcome<Pid> {
    Ok(Pid::from_raw(pid.try_into()?))
}
