//! The ways in which a call fails, and what each may lead to.

use journeys::{Embedded, Failure, Proxy};
use serde_json::json;

use crate::support::scenarios::Scenario;

/// A service that the functions call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    Table,
    Mail,
    Keys,
    Captcha,
    Secrets,
}

impl Peer {
    pub(super) const ALL: [Self; 5] = [Self::Secrets, Self::Captcha, Self::Keys, Self::Table, Self::Mail];

    /// The proxy before it.
    pub(super) fn of(self, stack: &Embedded) -> &Proxy {
        match self {
            Self::Table => &stack.table,
            Self::Mail => &stack.mail,
            Self::Keys => &stack.keys,
            Self::Captcha => &stack.captcha,
            Self::Secrets => &stack.secrets,
        }
    }

    /// Whether AWS' SDK talks to it, which sends again what failed once.
    fn is_aws(self) -> bool {
        matches!(self, Self::Table | Self::Mail | Self::Secrets)
    }
}

/// A call of an undisturbed run: what it asks for, and which one of its kind it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) peer: Peer,
    pub(super) place: usize,
    pub(super) operation: String,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Throttled,
    DroppedBefore,
    DroppedAfter,
    Delayed,
    Conflict,
    Unprocessed,
    Refused,
}

/// How often it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Times {
    Once,
    ForGood,
}

/// What a request comes to whose call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is done, and the answer says so.
    Done,
    /// The answer is the failure, nothing is half done, and the same request is done afterwards.
    FailedThenDone,
    /// The answer is the failure, but the request had been done: its repetition says so.
    FailedYetDone,
}

impl Way {
    pub(super) const ALL: [Self; 7] = [
        Self::Throttled,
        Self::DroppedBefore,
        Self::DroppedAfter,
        Self::Delayed,
        Self::Conflict,
        Self::Unprocessed,
        Self::Refused,
    ];

    /// The failures of this way that a call may meet; none where the way has no meaning.
    pub(super) fn failures(self, scenario: Scenario, call: &Call, times: Times) -> Vec<Failure> {
        match self {
            Self::Throttled => vec![if call.peer.is_aws() { Failure::Throttle } else { answered(429) }],
            Self::DroppedBefore => vec![Failure::DropBefore],
            Self::DroppedAfter => vec![Failure::DropAfter],
            Self::Delayed => vec![Failure::Delay],
            Self::Conflict => conflicts(scenario, call, times),
            Self::Unprocessed if call.operation.starts_with("Batch") => vec![Failure::Unprocessed],
            Self::Unprocessed => vec![],
            Self::Refused => match (times, call.peer.is_aws()) {
                (Times::Once, true) => vec![Failure::Error],
                (Times::ForGood, true) => vec![refused("AccessDeniedException")],
                (_, false) => vec![answered(500)],
            },
        }
    }

    /// What a request may come to.
    pub(super) fn promise(self, peer: Peer, times: Times) -> &'static [Outcome] {
        use Outcome::{Done, FailedThenDone, FailedYetDone};
        match (self, times) {
            // A captcha's token is good for one question.
            (_, Times::Once) if peer == Peer::Captcha => &[FailedThenDone],
            (Self::Delayed, Times::Once) if peer == Peer::Keys => &[FailedThenDone],
            // The second attempt is in time unless the machine is not.
            (Self::Delayed, Times::Once) => &[Done, FailedThenDone, FailedYetDone],
            (_, Times::Once) => &[Done],
            (Self::DroppedAfter | Self::Delayed, Times::ForGood) => &[FailedThenDone, FailedYetDone],
            (_, Times::ForGood) => &[FailedThenDone],
        }
    }
}

/// What a write meets when another is under way. The counter of ids is never part of a transaction that it
/// could meet.
fn conflicts(scenario: Scenario, call: &Call, times: Times) -> Vec<Failure> {
    match (call.operation.as_str(), times) {
        ("TransactWriteItems", Times::Once) => vec![
            cancelled("TransactionConflict"),
            cancelled("ThrottlingError"),
            refused("TransactionInProgressException"),
        ],
        ("TransactWriteItems", Times::ForGood) => vec![cancelled("TransactionConflict")],
        ("UpdateItem", _) if scenario.leases_an_id() => vec![],
        ("PutItem" | "UpdateItem" | "DeleteItem", _) => vec![refused("TransactionConflictException")],
        _ => vec![],
    }
}

/// A transaction that the table has cancelled for this reason.
fn cancelled(reason: &str) -> Failure {
    let reasons = json!([{"Code": "None"}, {"Code": reason, "Message": "so told"}]);
    let kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
    let body = json!({"__type": kind, "Message": "Transaction cancelled", "CancellationReasons": reasons});
    Failure::Answer(400, body.to_string())
}

fn refused(kind: &str) -> Failure {
    let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{kind}"), "message": "so told"});
    Failure::Answer(400, body.to_string())
}

/// An answer of a provider that is no answer to the question.
fn answered(status: u16) -> Failure {
    Failure::Answer(status, "{}".to_owned())
}
