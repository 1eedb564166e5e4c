//! Runs one function with only the environment that Lambda would give it, sends it events through a Runtime API, and
//! checks its answers.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use stand_ins::runtime_api::{RuntimeApi, environment};
use tokio::process::{Child, Command};

use crate::Outcome;
use crate::scenario::Scenario;

/// The longest that one step may take. After that, the function counts as stuck. Under valgrind, a step takes fifty times
/// as long.
const PATIENCE: Duration = Duration::from_mins(2);
/// The pause between two checks whether a function is idle.
const PAUSE: Duration = Duration::from_millis(2);
/// The number of consecutive checks that must find the function idle.
const CHECKS: usize = 5;

/// A function's program.
#[derive(Debug, Clone)]
pub struct Program {
    /// The function's name on Lambda.
    pub name: String,
    /// The file to run, and its arguments.
    pub command: Vec<PathBuf>,
    /// The function's settings, with the addresses of its services.
    pub environment: Vec<(String, String)>,
}

/// A running function. It is killed when dropped.
pub struct Function {
    child: Child,
    api: RuntimeApi,
    /// Its standard output and its standard error.
    output: File,
}

impl Function {
    /// Starts the program.
    ///
    /// # Errors
    /// No port is free, or the program cannot be run.
    pub async fn spawn(program: &Program) -> Outcome<Self> {
        let api = RuntimeApi::start().await?;
        let (file, arguments) = program.command.split_first().ok_or("a program needs a file to run")?;
        let output = output_file(api.address())?;
        let mut command = Command::new(file);
        command
            .args(arguments)
            .env_clear()
            .envs(environment(&program.name, api.address()))
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output.try_clone()?)
            .kill_on_drop(true);
        let child = command.spawn().map_err(|error| format!("{} cannot be run: {error}", file.display()))?;
        Ok(Self { child, api, output })
    }

    /// Waits until the function asks for an event.
    ///
    /// # Errors
    /// The function has ended or is stuck.
    pub async fn ready(&mut self) -> Outcome<()> {
        let asked = tokio::select! {
            Some(()) = self.api.asked() => true,
            _ = self.child.wait() => false,
            () = tokio::time::sleep(PATIENCE) => false,
        };
        asked.then_some(()).ok_or_else(|| self.failure("it did not ask for an event"))
    }

    /// Sends a scenario's event and checks the answer.
    ///
    /// # Errors
    /// The function has ended, is stuck, reports a failure, or gives another answer.
    pub async fn succeed(&mut self, scenario: &Scenario) -> Outcome<()> {
        self.api.send(scenario.event());
        let answer = tokio::select! {
            Some(answer) = self.api.answer() => Some(answer),
            _ = self.child.wait() => None,
            () = tokio::time::sleep(PATIENCE) => None,
        };
        let answer = answer.ok_or_else(|| self.failure("it did not answer"))?;
        let checked = match answer {
            Ok(answer) => scenario.check(&answer).map_err(|error| error.to_string()),
            Err(error) => Err(format!("it failed with {}", String::from_utf8_lossy(&error))),
        };
        checked.map_err(|error| self.failure(&error))
    }

    /// Waits until the function is idle.
    ///
    /// # Errors
    /// The function has ended.
    pub async fn until_idle(&self) -> Outcome<()> {
        let mut checks = 0;
        while checks < CHECKS {
            checks = if is_idle(self.pid()?)? { checks + 1 } else { 0 };
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Sends SIGTERM, and waits until the function has ended.
    ///
    /// # Errors
    /// The function had already ended.
    pub async fn end(mut self) -> Outcome<()> {
        terminate(self.pid()?)?;
        self.child.wait().await?;
        Ok(())
    }

    fn pid(&self) -> Outcome<u32> {
        Ok(self.child.id().ok_or("the function has ended")?)
    }

    /// An error with this text and the function's whole output.
    fn failure(&mut self, text: &str) -> Box<dyn std::error::Error + Send + Sync> {
        let mut output = String::new();
        let read = self.output.seek(SeekFrom::Start(0)).and_then(|_| self.output.read_to_string(&mut output));
        format!("{text}; its output: {output}{}", read.err().map_or(String::new(), |error| error.to_string())).into()
    }
}

/// A file for a function's output. Its name is removed at once, so the file is deleted when it is closed.
fn output_file(address: &str) -> Outcome<File> {
    let path = std::env::temp_dir().join(format!("bench-{address}"));
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Whether every thread of a process waits for something.
fn is_idle(pid: u32) -> Outcome<bool> {
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
fn terminate(pid: u32) -> Outcome<()> {
    Ok(kill(id(pid)?, Signal::SIGTERM)?)
}

fn id(pid: u32) -> Outcome<Pid> {
    Ok(Pid::from_raw(pid.try_into()?))
}
