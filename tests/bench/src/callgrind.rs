//! Counts a function's instructions by valgrind, which a busy machine does not change.

use std::ffi::OsString;
use std::path::Path;

use crate::Outcome;
use crate::runtime_api::{Function, Program};
use crate::scenario::Scenario;
use crate::table::{Count, Table};

/// What one run used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Instructions, from the first of the process to its last.
    pub instructions: u64,
    /// Calls to the services.
    pub count: Count,
}

/// Runs a function until it has answered so many requests and rests, and counts. `log` is a file for valgrind's own
/// words.
///
/// # Errors
/// The function failed or answered anything else than the scenario expects; valgrind is not installed.
pub async fn run(program: Program, scenario: &Scenario, table: &Table, requests: u32, log: &Path) -> Outcome<Run> {
    profile(program, scenario, table, requests, log, Path::new("/dev/null")).await
}

/// As [`run`], with the profile written to a file.
///
/// # Errors
/// As [`run`].
pub async fn profile(
    program: Program,
    scenario: &Scenario,
    table: &Table,
    requests: u32,
    log: &Path,
    profile: &Path,
) -> Outcome<Run> {
    let mut function = Function::spawn(&watched(program, log, profile)).await?;
    function.ready().await?;
    for _ in 0..requests {
        function.succeed(scenario).await?;
    }
    function.rest().await?;
    function.end().await?;
    let said = std::fs::read_to_string(log)?;
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")?.1.split(' ').next()?.parse().ok());
    let instructions = collected.ok_or_else(|| format!("valgrind did not count; {} says why", log.display()))?;
    Ok(Run { instructions, count: table.count() })
}

/// The same program under valgrind. The sum needs no symbols.
fn watched(mut program: Program, log: &Path, profile: &Path) -> Program {
    let option = |name: &str, file: &Path| {
        let mut option = OsString::from(name);
        option.push(file);
        option
    };
    let (log, profile) = (option("--log-file=", log), option("--callgrind-out-file=", profile));
    let mut command = vec!["valgrind".into(), "--tool=callgrind".into(), profile.into(), log.into()];
    command.append(&mut program.command);
    Program { command, ..program }
}
