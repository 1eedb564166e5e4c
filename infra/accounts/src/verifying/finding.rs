//! What is reported about a line.

use serde::Serialize;

use super::line::Line;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// What the event needs had ended before: the account, its session, passkey, password, or the permission to sign in.
    AfterEnd,
    /// What the event needs begins later or never.
    BeforeBegin,
    /// Something that happens once, a second time.
    Twice,
    /// The same event of the same call twice, or the line of a call twice.
    Doubled,
    /// A session or a passkey of two accounts.
    TwoAccounts,
    /// A call that succeeded has no line of the event that it records.
    EventMissing,
    /// An event has no line of the call that recorded it.
    CallMissing,
    /// An event that does not fit to its call: another account, another time, another function, or a refusal in a call that succeeded.
    CallDiffers,
    /// An operator's change that was intended and has no outcome.
    OutcomeMissing,
    /// The outcome of an operator's change that was not intended.
    IntentMissing,
    /// A line of a function in a stream to which only operators write.
    Misplaced,
}

/// A line that does not fit to the others, and one of these.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Finding {
    #[serde(rename = "account.id")]
    account_id: Option<u64>,
    timestamp: String,
    #[serde(rename = "finding")]
    kind: Kind,
    function: String,
    #[serde(rename = "audit.event")]
    event: Option<String>,
    #[serde(rename = "request.id")]
    request_id: String,
    #[serde(rename = "session.id")]
    session: Option<String>,
    /// The event of the line that it contradicts, with its time.
    other: Option<String>,
}

impl Finding {
    /// A finding about a line, which another one may contradict.
    pub(super) fn about(line: &Line, kind: Kind, other: Option<&Line>) -> Self {
        let other = other.and_then(|other| Some(format!("{} {}", other.event.as_deref()?, other.timestamp)));
        Self {
            account_id: line.account_id,
            timestamp: line.timestamp.clone(),
            kind,
            function: line.function.clone(),
            event: line.event.clone(),
            request_id: line.request_id.clone(),
            session: line.session.clone(),
            other,
        }
    }
}
