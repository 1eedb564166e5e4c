//! What failed, for the log alone.

/// A failure of a dependency, or broken data. It holds names and codes, never data of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The operation, such as `table.PutItem`.
    pub operation: &'static str,
    /// What code decides on.
    pub kind: FaultKind,
    /// The cause for whoever reads the log, as a code such as `ThrottlingException` or `timeout`.
    pub cause: String,
    /// What to do about it, where that is known.
    pub advice: Option<&'static str>,
}

/// The kinds of failure that are handled in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A single write met a transaction on the same item that is under way.
    Conflict,
    /// The service has no room for the request now.
    Throttled,
    /// There was no answer in time.
    Timeout,
    /// Anything else.
    Other,
}

impl Fault {
    /// A fault of `operation` of no special kind. `cause` must hold no personal data: it is logged as it is.
    #[must_use]
    pub fn new(operation: &'static str, cause: impl Into<String>) -> Self {
        Self { operation, kind: FaultKind::Other, cause: cause.into(), advice: None }
    }

    /// A fault because there was no answer in time.
    #[must_use]
    pub fn timeout(operation: &'static str) -> Self {
        Self { kind: FaultKind::Timeout, ..Self::new(operation, "timeout") }
    }
}
