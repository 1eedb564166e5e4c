//! The ways in which a call fails, and the outcomes that each may have.

use journeys::{Embedded, Failure, Proxy, Request};
use serde_json::json;

/// A service that the functions call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backend {
    Table,
    Mail,
    Keys,
    Captcha,
    Secrets,
}

impl Backend {
    pub(super) const ALL: [Self; 5] = [Self::Secrets, Self::Captcha, Self::Keys, Self::Table, Self::Mail];

    /// The proxy in front of it.
    pub(super) fn proxy(self, stack: &Embedded) -> &Proxy {
        match self {
            Self::Table => &stack.table,
            Self::Mail => &stack.mail,
            Self::Keys => &stack.keys,
            Self::Captcha => &stack.captcha,
            Self::Secrets => &stack.secrets,
        }
    }

    /// Whether it is called with the AWS SDK, which retries a failed call.
    fn is_aws(self) -> bool {
        matches!(self, Self::Table | Self::Mail | Self::Secrets)
    }
}

/// A call of a run without faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) backend: Backend,
    /// How many calls of the same operation the run makes before it.
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

/// A call that fails.
pub(super) struct Fault {
    pub(super) call: Call,
    pub(super) way: Way,
    pub(super) times: Times,
    pub(super) failure: Failure,
}

impl Fault {
    /// Each of these calls, failing in each way, once and permanently. Delays come first, because their runs mostly wait;
    /// the other runs use the processors in the meantime.
    pub(super) fn all(request: &Request, calls: &[Call]) -> Vec<Self> {
        let mut faults = Vec::new();
        for call in calls {
            for way in Way::ALL {
                for times in [Times::Once, Times::ForGood] {
                    let failures = way.failures(request, call, times).into_iter();
                    faults.extend(failures.map(|failure| Self { call: call.clone(), way, times, failure }));
                }
            }
        }
        faults.sort_by_key(|fault| fault.way != Way::Delayed);
        faults
    }
}

/// The outcome of a request with a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The request was done, and the answer says so.
    Done,
    /// The answer is a failure and nothing is half done. The retried request succeeds.
    FailedThenDone,
    /// The answer is a failure although the request was done. The answer to the retried request shows it.
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

    /// The failures of this kind for a call. Empty if the kind does not apply to it.
    fn failures(self, request: &Request, call: &Call, times: Times) -> Vec<Failure> {
        match self {
            Self::Throttled => vec![if call.backend.is_aws() { Failure::Throttle } else { answered(429) }],
            Self::DroppedBefore => vec![Failure::DropBefore],
            Self::DroppedAfter => vec![Failure::DropAfter],
            Self::Delayed => vec![Failure::Delay],
            Self::Conflict => conflicts(request, call, times),
            Self::Unprocessed if call.operation.starts_with("Batch") => vec![Failure::Unprocessed],
            Self::Unprocessed => vec![],
            Self::Refused => match (times, call.backend.is_aws()) {
                (Times::Once, true) => vec![Failure::Error],
                (Times::ForGood, true) => vec![refused("AccessDeniedException")],
                (_, false) => vec![answered(500)],
            },
        }
    }

    /// The outcomes that a request may have.
    pub(super) fn allowed_outcomes(self, backend: Backend, times: Times) -> &'static [Outcome] {
        use Outcome::{Done, FailedThenDone, FailedYetDone};
        match (self, times) {
            // A captcha token can be verified only once.
            (_, Times::Once) if backend == Backend::Captcha => &[FailedThenDone],
            (Self::Delayed, Times::Once) if backend == Backend::Keys => &[FailedThenDone],
            // The second attempt meets the deadline unless the machine is too slow.
            (Self::Delayed, Times::Once) => &[Done, FailedThenDone, FailedYetDone],
            (_, Times::Once) => &[Done],
            (Self::DroppedAfter | Self::Delayed, Times::ForGood) => &[FailedThenDone, FailedYetDone],
            (_, Times::ForGood) => &[FailedThenDone],
        }
    }
}

/// The failures of a write that conflicts with a transaction. The counter of ids has no such failures, because no
/// transaction writes it.
fn conflicts(request: &Request, call: &Call, times: Times) -> Vec<Failure> {
    match (call.operation.as_str(), times) {
        ("TransactWriteItems", Times::Once) => vec![
            Failure::cancelled("TransactionConflict"),
            Failure::cancelled("ThrottlingError"),
            refused("TransactionInProgressException"),
        ],
        ("TransactWriteItems", Times::ForGood) => vec![Failure::cancelled("TransactionConflict")],
        ("UpdateItem", _) if request.leases_an_id() => vec![],
        ("PutItem" | "UpdateItem" | "DeleteItem", _) => vec![refused("TransactionConflictException")],
        _ => vec![],
    }
}

fn refused(kind: &str) -> Failure {
    let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{kind}"), "message": "no details"});
    Failure::Answer(400, body.to_string())
}

/// A provider's answer with this status and an empty object as its body.
fn answered(status: u16) -> Failure {
    Failure::Answer(status, "{}".to_owned())
}
