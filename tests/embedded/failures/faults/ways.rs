//! The ways in which a call fails, and the outcomes that each may have.

use std::time::Duration;

use journeys::{Embedded, Failure, Proxy, Request, paths};
use serde_json::json;
use tokio::sync::SemaphorePermit;

use super::BUSY;

/// A service that the functions call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backend {
    Table,
    Mail,
    Keys,
    Captcha,
    Secrets,
    Bus,
}

impl Backend {
    const ALL: [Self; 6] = [Self::Secrets, Self::Captcha, Self::Keys, Self::Table, Self::Bus, Self::Mail];

    /// The proxy in front of it.
    fn proxy(self, stack: &Embedded) -> &Proxy {
        match self {
            Self::Table => &stack.table,
            Self::Mail => &stack.mail,
            Self::Keys => &stack.keys,
            Self::Captcha => &stack.captcha,
            Self::Secrets => &stack.secrets,
            Self::Bus => &stack.bus,
        }
    }

    /// Whether it is called with the AWS SDK, which retries a failed call.
    fn is_aws(self) -> bool {
        matches!(self, Self::Table | Self::Mail | Self::Secrets | Self::Bus)
    }
}

/// A call of a run without faults.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) backend: Backend,
    /// How many calls of the same operation the run makes before it.
    place: usize,
    pub(super) operation: String,
}

impl Call {
    /// The calls that a stack has made since the last time this was asked.
    pub(super) fn of(stack: &Embedded) -> Vec<Self> {
        let mut calls: Vec<Self> = Vec::new();
        for backend in Backend::ALL {
            for operation in backend.proxy(stack).calls() {
                let place =
                    calls.iter().filter(|call| (call.backend, &call.operation) == (backend, &operation)).count();
                calls.push(Self { backend, place, operation });
            }
        }
        calls
    }
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
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) call: Call,
    pub(super) way: Way,
    pub(super) times: Times,
    failure: Failure,
}

impl Fault {
    /// Each of these calls, failing in each way, once and permanently. Delays come first, because their runs mostly wait;
    /// the other runs use the processors in the meantime. The counter of ids has no conflicts, because no transaction
    /// writes it.
    pub(super) fn all(calls: &[Call], leases_an_id: bool) -> Vec<Self> {
        let mut faults = Vec::new();
        for (call, times) in calls.iter().flat_map(|call| [(call, Times::Once), (call, Times::ForGood)]) {
            let (is_aws, operation) = (call.backend.is_aws(), call.operation.as_str());
            let mut ways = vec![
                (Way::Delayed, Failure::Delay),
                (Way::Throttled, if is_aws { Failure::Throttle } else { answered(429) }),
                (Way::DroppedBefore, Failure::DropBefore),
                (Way::DroppedAfter, Failure::DropAfter),
                (
                    Way::Refused,
                    match (is_aws, times) {
                        (true, Times::Once) => Failure::Error,
                        (true, Times::ForGood) => refused("AccessDeniedException"),
                        (false, _) => answered(500),
                    },
                ),
            ];
            if operation.starts_with("Batch") {
                ways.push((Way::Unprocessed, Failure::Unprocessed));
            }
            let conflicts = match (operation, times) {
                ("TransactWriteItems", Times::Once) => vec![
                    Failure::cancelled("TransactionConflict"),
                    Failure::cancelled("ThrottlingError"),
                    refused("TransactionInProgressException"),
                ],
                ("TransactWriteItems", Times::ForGood) => vec![Failure::cancelled("TransactionConflict")],
                ("UpdateItem", _) if leases_an_id => vec![],
                ("PutItem" | "UpdateItem" | "DeleteItem", _) => vec![refused("TransactionConflictException")],
                _ => vec![],
            };
            ways.extend(conflicts.into_iter().map(|failure| (Way::Conflict, failure)));
            faults.extend(ways.into_iter().map(|(way, failure)| Self { call: call.clone(), way, times, failure }));
        }
        faults.sort_by_key(|fault| fault.way != Way::Delayed);
        faults
    }

    /// Runs something while the call fails, and waits until delayed calls have been executed. Returns its result and the
    /// number of failed calls. `permit` is given back while a delayed call is awaited.
    pub(super) async fn during<T>(
        &self,
        stack: &Embedded,
        permit: &mut Option<SemaphorePermit<'static>>,
        work: impl Future<Output = T>,
    ) -> (T, usize) {
        let (proxy, is_delayed) = (self.call.backend.proxy(stack), self.way == Way::Delayed);
        let is_for_good = self.times == Times::ForGood;
        proxy.fail_call_of(&self.call.operation, self.call.place, self.failure.clone(), is_for_good);
        if is_delayed {
            *permit = None;
        }
        let done = work.await;
        proxy.heal();
        let failed = proxy.failed();
        assert_ne!(failed, 0, "{self:?}: no such call");
        if is_delayed {
            while proxy.late() < failed {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            *permit = Some(BUSY.acquire().await.unwrap());
        }
        (done, failed)
    }

    /// The outcomes that a request may have.
    pub(super) fn allowed_outcomes(&self, request: &Request) -> &'static [Outcome] {
        use Outcome::{Done, FailedThenDone, FailedYetDone};
        match (self.way, self.times) {
            // These reads come after the write, and only add to the answer.
            _ if request.path == paths::VERIFY_EMAIL && ["GetItem", "Query"].contains(&&*self.call.operation) => {
                &[Done]
            }
            // A captcha token can be verified only once.
            (_, Times::Once) if self.call.backend == Backend::Captcha => &[FailedThenDone],
            (Way::Delayed, Times::Once) if self.call.backend == Backend::Keys => &[FailedThenDone],
            // The second attempt meets the deadline unless the machine is too slow.
            (Way::Delayed, Times::Once) => &[Done, FailedThenDone, FailedYetDone],
            (_, Times::Once) => &[Done],
            (Way::DroppedAfter | Way::Delayed, Times::ForGood) => &[FailedThenDone, FailedYetDone],
            (_, Times::ForGood) => &[FailedThenDone],
        }
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

fn refused(kind: &str) -> Failure {
    let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{kind}"), "message": "no details"});
    Failure::Answer(400, body.to_string())
}

/// A provider's answer with this status and an empty object as its body.
fn answered(status: u16) -> Failure {
    Failure::Answer(status, "{}".to_owned())
}
