//! Internal failures. They are logged and never sent to clients.

/// A failure of a dependency, broken data, or a call that panicked or took too long. It contains names and codes, and
/// no personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The operation, such as `table.PutItem`.
    pub operation: &'static str,
    /// The kind of failure. The code that handles the failure depends on it.
    pub kind: FaultKind,
    /// The cause as a code, such as `ThrottlingException` or `timeout`, for the log only.
    pub cause: String,
    /// How to fix it, if known.
    pub advice: Option<&'static str>,
}

/// The kinds of failure that are handled in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A write conflicted with a concurrent transaction on the same item.
    Conflict,
    /// An earlier attempt of the same transaction, whose answer was lost, may still be carried out.
    InProgress,
    /// The dependency throttled the request.
    Throttled,
    /// The dependency did only a part of the request, because it is busy.
    Unprocessed,
    /// The dependency did not answer in time.
    Timeout,
    /// Anything else.
    Other,
}

impl Fault {
    /// A fault of `operation`, of the kind [`FaultKind::Other`]. `cause` must not contain personal data, because it is
    /// logged as it is.
    #[must_use]
    pub fn new(operation: &'static str, cause: impl Into<String>) -> Self {
        Self { operation, kind: FaultKind::Other, cause: cause.into(), advice: None }
    }

    /// A fault of `operation`, which the dependency did only in part.
    #[must_use]
    pub fn unprocessed(operation: &'static str) -> Self {
        Self { kind: FaultKind::Unprocessed, ..Self::new(operation, "unprocessed") }
    }

    /// A fault of `operation` that did not answer in time.
    #[must_use]
    pub fn timeout(operation: &'static str) -> Self {
        Self { kind: FaultKind::Timeout, ..Self::new(operation, "timeout") }
    }
}
