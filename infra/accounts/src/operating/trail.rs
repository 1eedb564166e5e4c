//! The audit lines of the operator's changes.
//!
//! The intent is written before the change, and the outcome afterwards. If the intent cannot be written, nothing is
//! changed. If the outcome cannot be written, the command says so and fails; the intent then says who wanted what. The
//! lines of one command have the same `request.id`.
//!
//! For a stack, the lines go to its log group, into the stream `operator/<date>`. For the local stack they go to the file
//! `operator.ndjson` in its data folder, or to standard error if it has none.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shared::Fault;
use shared::system::clock::{Clock, SystemClock, Timestamp};

use super::log_group::LogGroup;
use crate::connection::Deployment;
use crate::failure::Failure;
use crate::output;

/// A change by an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Event {
    AccountDisabled,
    AccountEnabled,
    AccountErased,
    /// A legacy hash was removed.
    LegacyHashRemoved,
    /// The password was removed, and all sessions ended.
    PasswordRemoved,
    SessionEnded,
    /// All sessions of the account ended.
    SessionsEnded,
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    /// The table has not been written yet.
    Intended,
    /// The table has confirmed the change.
    Done,
    /// The account or its session was not as it had been read, and nothing was changed.
    Refused,
    /// The table failed. It may have made the change.
    Failed,
}

impl Stage {
    /// The outcome of a change.
    pub(super) fn of(changed: &Result<bool, Fault>) -> Self {
        match changed {
            Ok(true) => Self::Done,
            Ok(false) => Self::Refused,
            Err(_) => Self::Failed,
        }
    }
}

/// A line. It starts with the members of the service's audit lines.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: &'a str,
    level: &'static str,
    function: &'static str,
    #[serde(rename = "request.id")]
    request_id: &'a str,
    #[serde(rename = "audit.event")]
    event: Event,
    #[serde(rename = "audit.stage")]
    stage: Stage,
    #[serde(rename = "account.id")]
    account_id: u64,
    operator: &'a str,
    reason: &'a str,
}

/// A line of the service or of an operator, as `accounts audit` prints it.
#[derive(Serialize, Deserialize)]
pub(super) struct Recorded {
    timestamp: String,
    function: String,
    #[serde(rename = "request.id", default)]
    request_id: Option<String>,
    #[serde(rename = "audit.event")]
    event: String,
    #[serde(rename = "audit.stage", default)]
    stage: Option<String>,
    #[serde(rename = "audit.reason", default)]
    audit_reason: Option<String>,
    #[serde(rename = "account.id")]
    pub(super) account_id: u64,
    #[serde(default)]
    operator: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// Where the lines go.
enum Place {
    LogGroup(LogGroup),
    File(PathBuf),
    StandardError,
}

/// Writes the audit lines of one command.
pub(super) struct Trail {
    order_id: String,
    operator: String,
    reason: String,
    place: Place,
}

impl Trail {
    /// Finds out who the operator is, and where the lines go.
    pub(super) async fn open(deployment: &Deployment, reason: &str) -> Result<Self, Failure> {
        let (operator, place) = match &deployment.stack {
            Some(stack) => {
                let group = LogGroup::of(&deployment.config, stack).await?;
                (caller(&deployment.config).await?, Place::LogGroup(group))
            }
            None => ("local".to_owned(), local_file().map_or(Place::StandardError, Place::File)),
        };
        Ok(Self { order_id: super::order_id()?, operator, reason: reason.to_owned(), place })
    }

    /// Records the intent, makes a change of one account, and records the outcome. Gives what the change gave.
    pub(super) async fn record(
        &self,
        event: Event,
        account_id: u64,
        change: impl Future<Output = Result<bool, Fault>>,
    ) -> Result<bool, Failure> {
        self.intend(event, &[account_id]).await?;
        let changed = change.await;
        let written = self.conclude(event, &[(account_id, Stage::of(&changed))]).await;
        both(changed, written)
    }

    /// Records that these accounts are about to be changed.
    pub(super) async fn intend(&self, event: Event, accounts: &[u64]) -> Result<(), Failure> {
        let lines: Vec<_> = accounts.iter().map(|id| (*id, Stage::Intended)).collect();
        let failed = |why| Failure::Failed(format!("the audit line cannot be written ({why}): nothing was changed"));
        Box::pin(self.write(event, &lines)).await.map_err(failed)
    }

    /// Records the outcomes.
    pub(super) async fn conclude(&self, event: Event, accounts: &[(u64, Stage)]) -> Result<(), Failure> {
        Box::pin(self.write(event, accounts)).await.map_err(|why| {
            let done = accounts.iter().filter(|(_, stage)| *stage == Stage::Done).count();
            let request = &self.order_id;
            Failure::Failed(format!(
                "the audit line of the outcome cannot be written ({why}): {done} of {} changes were made; the line of \
                 the intent has the request.id {request}",
                accounts.len()
            ))
        })
    }

    async fn write(&self, event: Event, accounts: &[(u64, Stage)]) -> Result<(), String> {
        let now = SystemClock.now();
        let timestamp = now.to_rfc3339();
        let line = |(account_id, stage): &(u64, Stage)| {
            serde_json::to_string(&Line {
                timestamp: &timestamp,
                level: "INFO",
                function: "accounts",
                request_id: &self.order_id,
                event,
                stage: *stage,
                account_id: *account_id,
                operator: &self.operator,
                reason: &self.reason,
            })
        };
        let lines: Result<Vec<String>, _> = accounts.iter().map(line).collect();
        let lines = lines.map_err(|error| error.to_string())?;
        match &self.place {
            Place::LogGroup(group) => group.put(lines, now).await,
            Place::File(path) => append(path, &lines).map_err(|error| format!("{}: {error}", path.display())),
            Place::StandardError => {
                for line in &lines {
                    output::note(line);
                }
                Ok(())
            }
        }
    }
}

impl Recorded {
    /// The audit line in a text; `None` for any other line.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Whether the line is about an account and not older than a time.
    pub(super) fn is_about(&self, account_id: u64, since: Timestamp) -> bool {
        // In UTC, the order of the texts is that of the times, to the second.
        self.account_id == account_id && self.timestamp.as_str() >= since.to_rfc3339().as_str()
    }
}

/// What a change gave, if its outcome was recorded too. If both failed, the text says both.
pub(super) fn both<T>(changed: Result<T, Fault>, written: Result<(), Failure>) -> Result<T, Failure> {
    match (changed.map_err(Failure::from), written) {
        (Err(fault), Err(unwritten)) => Err(Failure::Failed(format!("{fault}. {unwritten}"))),
        (changed, written) => written.and(changed),
    }
}

/// The file of the local stack's lines, if it keeps its data.
pub(super) fn local_file() -> Option<PathBuf> {
    let folder = match std::env::var_os("LOCAL_DATA") {
        None => PathBuf::from(".local"),
        Some(memory) if memory == "memory" => return None,
        Some(folder) => PathBuf::from(folder),
    };
    Some(folder.join("operator.ndjson"))
}

fn append(path: &Path, lines: &[String]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all((lines.join("\n") + "\n").as_bytes())?;
    file.sync_all()
}

/// The operator's identity at AWS.
async fn caller(config: &aws_config::SdkConfig) -> Result<String, Failure> {
    let asked = aws_sdk_sts::Client::new(config).get_caller_identity().send().await;
    let identity = asked.map_err(|error| {
        let error = aws_sdk_sts::Error::from(error);
        Failure::Failed(format!("your identity cannot be read, and audit lines need it: {error}"))
    })?;
    identity.arn.ok_or_else(|| Failure::Failed("your identity has no ARN, and audit lines need it".to_owned()))
}
