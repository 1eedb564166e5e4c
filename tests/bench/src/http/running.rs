//! A service that runs: started in order, stopped with all that descends from it.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::service::{Part, Place, Service, Step};
use crate::Outcome;
use crate::process::{kill_tree, usage_of_tree};

/// How long a start may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Between two looks whether it listens.
const LOOK: Duration = Duration::from_millis(20);

/// A service's processes. Dropping it ends them.
pub struct Running {
    processes: Vec<(Part, Child)>,
}

/// What a service has used since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Processor time of what answers requests.
    pub server: Duration,
    /// Processor time of the database, where that is a process of its own.
    pub tables: Duration,
    /// The most memory that was resident at once, in bytes: the sum of all processes' most.
    pub peak_rss: u64,
}

impl Running {
    /// Starts a service and waits until it listens. What it prints goes to `log`.
    ///
    /// # Errors
    /// It cannot be started, or does not listen in time; the error names the log.
    pub async fn start(service: &dyn Service, place: &Place, log: &Path) -> Outcome<Self> {
        let file = File::create(log)?;
        let failed = |what: String| format!("{}: {what}; {} has what it said", service.name(), log.display());
        let mut running = Self { processes: Vec::new() };
        for step in service.start(place) {
            match step {
                Step::Run(mut command) => {
                    let status =
                        quiet(&mut command, &file)?.status().await.map_err(|error| failed(error.to_string()))?;
                    if !status.success() {
                        return Err(failed(format!("{command:?} ended with {status}")).into());
                    }
                }
                Step::Serve { part, mut command, port } => {
                    let child = quiet(&mut command, &file)?.spawn();
                    let child = child.map_err(|error| failed(format!("{command:?}: {error}")))?;
                    running.processes.push((part, child));
                    let listening = timeout(PATIENCE, running.listens(port)).await;
                    listening
                        .map_err(|_| failed("it does not listen".to_owned()))?
                        .map_err(|error| failed(error.to_string()))?;
                }
            }
        }
        Ok(running)
    }

    async fn listens(&mut self, port: u16) -> Outcome<()> {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
            for (_, child) in &mut self.processes {
                if let Some(status) = child.try_wait()? {
                    return Err(format!("it ended with {status}").into());
                }
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// What it has used since it started.
    ///
    /// # Errors
    /// A process has ended.
    pub fn used(&self) -> Outcome<Used> {
        let mut used = Used::default();
        for (part, child) in &self.processes {
            let tree = usage_of_tree(child.id().ok_or("a process of the service has ended")?)?;
            used.peak_rss += tree.peak_rss;
            match part {
                Part::Server => used.server += tree.cpu,
                Part::Tables => used.tables += tree.cpu,
            }
        }
        Ok(used)
    }

    /// Ends it, and waits until it has gone.
    pub async fn stop(mut self) {
        self.kill();
        for (_, child) in &mut self.processes {
            drop(child.wait().await);
        }
    }

    fn kill(&self) {
        for pid in self.processes.iter().filter_map(|(_, child)| child.id()) {
            // What has gone already needs no end.
            drop(kill_tree(pid));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn quiet<'a>(command: &'a mut Command, log: &File) -> Outcome<&'a mut Command> {
    Ok(command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?).kill_on_drop(true))
}

/// Two ports that are free now.
///
/// # Errors
/// There are none.
pub fn free_ports() -> Outcome<(u16, u16)> {
    let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let (one, other) = (bind()?, bind()?);
    Ok((one.local_addr()?.port(), other.local_addr()?.port()))
}
