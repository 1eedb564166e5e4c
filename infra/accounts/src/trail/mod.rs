//! The audit lines of the operator's changes.
//!
//! The intent is written before the change, and the outcome afterwards. If the intent cannot be written, the change is
//! not made. If the outcome cannot be written, the command says so and fails; the intent then says who wanted what. The
//! lines of one command have the same `request.id`.
//!
//! For a stack, the lines go to its log group, into the stream `operator/<date>`. For the local stack they go to the
//! file `operator.ndjson` in its data folder, or to standard error if it has none.

mod log_group;

pub(crate) use log_group::{LogGroup, Logs};

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde::{Deserialize, Serialize};
use shared::Fault;
use shared::system::clock::{Clock, SystemClock, Timestamp};

use crate::cli::Order;
use crate::connection::Deployment;
use crate::failure::Failure;
use crate::output;
use crate::why::{Why, why};

/// A change by an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Event {
    AccountDisabled,
    AccountEnabled,
    AccountErased,
    /// The account was locked: every way in ended but the mailbox and Google.
    AccountLocked,
    /// The account came back from a restored copy of the table.
    AccountRestored,
    /// The pointer of an address that its account does not have was deleted.
    AddressDeleted,
    /// The pointer of an account's address was missing, and was written again.
    AddressRestored,
    /// The account got another address.
    EmailSet,
    /// The address was proved by the operator's word.
    EmailVerified,
    /// The function `notices` was asked to erase the entries of a deleted account.
    EntriesErased,
    /// The counter of ids was lowered, because a wrong id had raised it to its end.
    CounterLowered,
    /// The counter of ids was raised.
    CounterRaised,
    /// An identity without an account was deleted.
    IdentityDeleted,
    /// The row `google#<sub>` of an account was missing, and was written again.
    IdentityRestored,
    /// Accounts that imports created were deleted.
    ImportUndone,
    /// A legacy hash was removed.
    LegacyHashRemoved,
    /// A passkey or a row `credential#…` was deleted, because no profile has its id.
    PasskeyDeleted,
    /// A passkey was removed.
    PasskeyRemoved,
    /// The password was removed, and all sessions ended.
    PasswordRemoved,
    /// The id by which the index finds an account was corrected.
    ProfileIdCorrected,
    /// The row of a session without an account was deleted.
    SessionDeleted,
    SessionEnded,
    /// All sessions of an account ended, or those of all accounts from before a time.
    SessionsEnded,
    /// An import created or updated accounts.
    UsersImported,
}

/// The maximum number of changes whose audit lines are written together.
pub(crate) const CHUNK: usize = 100;
/// How many changes of a chunk run in parallel.
const WRITES: usize = 16;

/// What a change is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The account with this id.
    Account(u64),
    /// Anything but one account: the key of a row, or a description of many.
    Row(String),
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// The table has not been written yet.
    Intended,
    /// The table has confirmed the change.
    Done,
    /// The row had been changed or deleted after it was read, and nothing was changed.
    Refused,
    /// The table failed, or a command with one line for all its changes did not reach its end. Changes may have been
    /// made.
    Failed,
}

impl Stage {
    /// The outcome of a change.
    fn of(changed: &Result<bool, Fault>) -> Self {
        match changed {
            Ok(true) => Self::Done,
            Ok(false) => Self::Refused,
            Err(_) => Self::Failed,
        }
    }
}

/// A line. Except for `audit.reason`, it has the members of the service's audit lines, and it has some of its own.
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
    #[serde(rename = "account.id", skip_serializing_if = "Option::is_none")]
    account_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<&'a str>,
    operator: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// A line of the service or of an operator, as `accounts audit` prints it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Recorded {
    timestamp: String,
    function: String,
    #[serde(rename = "request.id", default)]
    request_id: Option<String>,
    #[serde(rename = "audit.event")]
    event: String,
    #[serde(rename = "audit.stage", default)]
    stage: Option<String>,
    #[serde(rename = "audit.method", default)]
    method: Option<String>,
    #[serde(rename = "audit.reason", default)]
    audit_reason: Option<String>,
    #[serde(rename = "account.id")]
    pub(crate) account_id: u64,
    #[serde(rename = "client.address", default)]
    address: Option<String>,
    #[serde(rename = "client.forwarded", default)]
    forwarded: Option<String>,
    #[serde(rename = "client.browser", default)]
    browser: Option<String>,
    #[serde(rename = "session.id", default)]
    session: Option<String>,
    #[serde(rename = "session.other", default)]
    other_session: Option<String>,
    #[serde(rename = "passkey.id", default)]
    passkey: Option<String>,
    #[serde(default)]
    operator: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// Where the lines go.
enum Destination {
    LogGroup(LogGroup),
    File(PathBuf),
    StandardError,
}

/// Writes the audit lines of one command.
pub(crate) struct Trail {
    command_id: String,
    operator: String,
    /// `None` for an import, whose command has none.
    reason: Option<String>,
    destination: Destination,
    /// The number of audit lines with the outcome `done` so far. A line can describe many changes.
    made: AtomicUsize,
}

impl Trail {
    /// Finds out who the operator is, and where the lines go.
    pub(crate) async fn open(deployment: &Deployment, reason: Option<&str>) -> Result<Self, Failure> {
        let (operator, destination) = match &deployment.stack {
            Some(stack) => {
                let group = LogGroup::of(&deployment.config, stack, Logs::Functions).await?;
                (caller(&deployment.config).await?, Destination::LogGroup(group))
            }
            None => ("local".to_owned(), local_file().map_or(Destination::StandardError, Destination::File)),
        };
        Ok(Self {
            command_id: command_id()?,
            operator,
            reason: reason.map(str::to_owned),
            destination,
            made: AtomicUsize::new(0),
        })
    }

    /// Opens the trail of an order; `None` in a dry run.
    pub(crate) async fn unless_dry(deployment: &Deployment, order: &Order) -> Result<Option<Self>, Failure> {
        if order.dry_run { Ok(None) } else { Self::open(deployment, Some(&order.reason)).await.map(Some) }
    }

    /// Records the intent, makes a change of one account, and records the outcome. Returns the result of the change.
    pub(crate) async fn record(
        &self,
        event: Event,
        account_id: u64,
        change: impl Future<Output = Result<bool, Fault>>,
    ) -> Result<bool, Failure> {
        let changed = self.record_all(event, vec![(Subject::Account(account_id), change)]).await?;
        Ok(changed.into_iter().all(|changed| changed))
    }

    /// The same for several changes, at most [`CHUNK`], with [`WRITES`] in parallel. All intents are recorded before the
    /// first change, and all outcomes after the last. Returns the results in the order of the changes, or the fault
    /// of one of them.
    pub(crate) async fn record_all(
        &self,
        event: Event,
        changes: Vec<(Subject, impl Future<Output = Result<bool, Fault>>)>,
    ) -> Result<Vec<bool>, Failure> {
        let (subjects, changes): (Vec<Subject>, Vec<_>) = changes.into_iter().unzip();
        let intents: Vec<_> = subjects.iter().map(|subject| (subject, Stage::Intended)).collect();
        let failed = |why| {
            let consequence = match self.made.load(Ordering::Relaxed) {
                0 => "nothing was changed".to_owned(),
                made => format!("no more was changed after {made} audit lines with the outcome done"),
            };
            Failure::Failed(format!("the audit line cannot be written ({why}): {consequence}"))
        };
        Box::pin(self.write(event, &intents)).await.map_err(failed)?;
        let outcomes: Vec<Result<bool, Fault>> = iter(changes).buffered(WRITES).collect().await;
        let stages: Vec<_> = subjects.iter().zip(outcomes.iter().map(Stage::of)).collect();
        let done = stages.iter().filter(|(_, stage)| *stage == Stage::Done).count();
        self.made.fetch_add(done, Ordering::Relaxed);
        let written = Box::pin(self.write(event, &stages)).await.map_err(|why| {
            let (all, request) = (stages.len(), &self.command_id);
            Failure::Failed(format!(
                "the audit line of the outcome cannot be written ({why}): at least {done} of {all} changes were made; the \
                 line of the intent has the request.id {request}"
            ))
        });
        both(outcomes.into_iter().collect(), written)
    }

    /// The same for a command whose many changes share one line for the intent and one for the outcome. `row` describes
    /// the changes.
    pub(crate) async fn record_command<T>(
        &self,
        event: Event,
        row: String,
        command: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.intend(event, row.clone()).await?;
        let done = command.await;
        self.conclude(event, row, done).await
    }

    /// Records the intent of a command with many changes.
    pub(crate) async fn intend(&self, event: Event, row: String) -> Result<(), Failure> {
        let failed = |why| Failure::Failed(format!("the audit line cannot be written ({why}): nothing was changed"));
        Box::pin(self.write(event, &[(&Subject::Row(row), Stage::Intended)])).await.map_err(failed)
    }

    /// Records the outcome of a command with many changes, and gives it back.
    pub(crate) async fn conclude<T>(&self, event: Event, row: String, done: Result<T, Failure>) -> Result<T, Failure> {
        let stage = if done.is_ok() { Stage::Done } else { Stage::Failed };
        let written = Box::pin(self.write(event, &[(&Subject::Row(row), stage)])).await;
        let unwritten = |why| {
            let request = &self.command_id;
            format!(
                "the audit line of the outcome cannot be written ({why}); the line of the intent has the request.id \
                 {request}"
            )
        };
        match (done, written.map_err(unwritten)) {
            (Err(failure), Err(unwritten)) => Err(Failure::Failed(format!("{failure}. {unwritten}"))),
            (Ok(_), Err(unwritten)) => Err(Failure::Failed(format!("the changes were made, but {unwritten}"))),
            (done, Ok(())) => done,
        }
    }

    async fn write(&self, event: Event, stages: &[(&Subject, Stage)]) -> Result<(), String> {
        let now = SystemClock.now();
        let timestamp = now.to_rfc3339();
        let line = |(subject, stage): &(&Subject, Stage)| {
            let (account_id, row) = match subject {
                Subject::Account(id) => (Some(*id), None),
                Subject::Row(row) => (None, Some(row.as_str())),
            };
            output::json(&Line {
                timestamp: &timestamp,
                level: "INFO",
                function: "accounts",
                request_id: &self.command_id,
                event,
                stage: *stage,
                account_id,
                row,
                operator: &self.operator,
                reason: self.reason.as_deref(),
            })
        };
        let lines: Result<Vec<String>, _> = stages.iter().map(line).collect();
        let lines = lines.map_err(|error| error.to_string())?;
        match &self.destination {
            Destination::LogGroup(group) => group.put(lines, now).await,
            Destination::File(path) => append(path, &lines).map_err(|error| format!("{}: {error}", path.display())),
            Destination::StandardError => {
                for line in &lines {
                    output::note(line);
                }
                Ok(())
            }
        }
    }
}

impl Recorded {
    /// The audit line about an account in a text; `None` for any other line.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Whether the line is about an account and not older than a time.
    pub(crate) fn is_about(&self, account_id: u64, since: Timestamp) -> bool {
        // Times in UTC sort as texts, except within a second, because the fraction is optional.
        self.account_id == account_id && self.timestamp.as_str() >= since.to_rfc3339().as_str()
    }
}

/// Combines the result of changes with that of recording their outcome. If both failed, the text says both.
fn both<T>(changed: Result<T, Fault>, written: Result<(), Failure>) -> Result<T, Failure> {
    match (changed.map_err(Failure::from), written) {
        (Err(fault), Err(unwritten)) => Err(Failure::Failed(format!("{fault}. {unwritten}"))),
        (changed, written) => written.and(changed),
    }
}

/// A random id for the audit lines of one command.
fn command_id() -> Result<String, Fault> {
    let number = getrandom::u64().map_err(|_| Fault::new("random", "no random number"))?;
    Ok(format!("{number:016x}"))
}

/// The file for the local stack's lines; `None` if the stack keeps its data in memory.
pub(crate) fn local_file() -> Option<PathBuf> {
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
        let Why { cause, next } = why("sts:GetCallerIdentity", &error);
        Failure::Failed(format!("your identity, which audit lines need, cannot be read ({cause}): {next}"))
    })?;
    identity.arn.ok_or_else(|| {
        Failure::Failed("your identity has no ARN, which audit lines need: use another profile".to_owned())
    })
}
