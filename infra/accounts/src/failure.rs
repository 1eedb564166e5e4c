//! How a command ends, and its exit code.

use std::fmt;
use std::process::ExitCode;

use shared::Fault;
use shared::problem::FaultKind;

/// A command that did not do what it was asked. The text says why and, if it can, what to do next.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something failed: the file, the table, the network. Exit code 1.
    Failed(String),
    /// The command line is wrong. Exit code 3.
    Usage(String),
    /// There is no such account, session or passkey. Exit code 4.
    NotFound(String),
}

/// How a command ends if it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// Everything is done. Exit code 0.
    All,
    /// An import refused rows, also in a dry run, or an export left out rows. Exit code 2.
    WithRefusals,
    /// `doctor` found problems. Exit code 2.
    WithProblems,
}

impl From<Done> for ExitCode {
    fn from(done: Done) -> Self {
        match done {
            Done::All => Self::SUCCESS,
            Done::WithRefusals | Done::WithProblems => Self::from(2),
        }
    }
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 3,
            Self::NotFound(_) => 4,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Failed(text) | Self::Usage(text) | Self::NotFound(text)) = self;
        f.write_str(text)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let of_kind = match fault.kind {
            FaultKind::Throttled | FaultKind::Unprocessed => {
                Some("AWS throttles the table: try again later, or with a lower --rate")
            }
            FaultKind::Timeout => Some("AWS has not answered in time: try again; check the network"),
            _ => None,
        };
        let advice = fault.advice.or(of_kind).map_or_else(String::new, |advice| format!(": {advice}"));
        Self::Failed(format!("{} failed: {}{advice}", fault.operation, fault.cause))
    }
}
