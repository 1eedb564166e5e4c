//! The lines of calls and the audit lines, as far as they are judged.

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use serde::Deserialize;

/// The name of this tool in its lines.
const OPERATOR: &str = "accounts";

/// A line of the log.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Line {
    pub(super) timestamp: String,
    #[serde(default)]
    pub(super) function: String,
    #[serde(rename = "request.id", default)]
    pub(super) request_id: String,
    /// The event, unless it is the line of a call.
    #[serde(rename = "audit.event")]
    pub(super) event: Option<String>,
    #[serde(rename = "audit.method")]
    pub(super) method: Option<String>,
    #[serde(rename = "audit.stage")]
    pub(super) stage: Option<String>,
    #[serde(rename = "account.id")]
    pub(super) account_id: Option<u64>,
    #[serde(rename = "session.id")]
    pub(super) session: Option<String>,
    #[serde(rename = "session.other")]
    pub(super) other_session: Option<String>,
    #[serde(rename = "passkey.id")]
    pub(super) passkey: Option<String>,
    #[serde(rename = "http.status")]
    pub(super) status: Option<u16>,
    #[serde(rename = "problem.code")]
    pub(super) problem: Option<String>,
    /// Whether it is in a stream of operators.
    #[serde(skip)]
    pub(super) is_operators: bool,
    /// `timestamp` in milliseconds.
    #[serde(skip)]
    pub(super) at: u64,
}

impl Line {
    /// The line in a text; `None` if it is neither of a call nor an audit line.
    pub(super) fn parse(text: &str, is_operators: bool) -> Option<Self> {
        let mut line: Self = serde_json::from_str(text).ok()?;
        let time = DateTime::from_str(&line.timestamp, Format::DateTime).ok()?;
        line.at = u64::try_from(time.to_millis().ok()?).ok()?;
        line.is_operators = is_operators;
        (line.event.is_some() || line.status.is_some()).then_some(line)
    }

    /// Whether an operator made the change.
    pub(super) fn is_by_operator(&self) -> bool {
        self.function == OPERATOR
    }

    /// Whether it is the line of a call that succeeded.
    pub(super) fn is_success(&self) -> bool {
        self.event.is_none() && self.problem.is_none() && matches!(self.status, Some(200 | 303))
    }
}
