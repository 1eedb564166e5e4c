//! On what a measurement was made, for the reader of its figures.

use std::process::Command;

use shared::system::clock::{Clock, SystemClock};

/// Processors, their name, and how busy they were before anything was measured.
#[must_use]
pub fn describe() -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    format!(
        "{processors} processors of {}, {}, beside a load of {load}",
        name.unwrap_or(std::env::consts::ARCH),
        today()
    )
}

/// The day, in UTC.
#[must_use]
pub fn today() -> String {
    SystemClock.now().to_rfc3339().chars().take("2026-01-01".len()).collect()
}

/// The first line of what a program says about its version, or that it is not there.
#[must_use]
pub fn version(program: &str, arguments: &[&str]) -> String {
    let said = Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    said.lines().next().map_or_else(|| format!("{program}: not found"), |line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_says_its_processors_and_the_day() {
        let said = describe();
        assert!(said.contains("processors of") && said.contains(&today()), "{said}");
        assert!(today().starts_with("20") && today().len() == 10);
    }

    #[test]
    fn a_program_that_is_missing_is_said_to_be() {
        assert!(version("rustc", &["--version"]).starts_with("rustc 1."));
        assert_eq!(version("no-such-program", &[]), "no-such-program: not found");
    }
}
