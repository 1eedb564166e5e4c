//! The way of every call: method, caller, body, rule, answer. In this order, for every endpoint; nothing else in the
//! project decides it.

pub mod body;
pub mod caller;
pub mod cookies;
mod host;
pub mod reply;
pub mod request;

pub(crate) use host::{Host, refuse};

use self::body::ReadBody;
use self::caller::Caller;
use self::cookies::Presented;
use self::reply::Reply;
use crate::log::audit::Audit;
use crate::{Problem, Setup};

/// One endpoint: what it may touch (the fields of the type), who may call it, what it reads, and
/// its rule.
pub trait Endpoint: Sized + Send + Sync + 'static {
    /// Its name in logs, as the crate's.
    const NAME: &'static str;
    /// What it answers to a call that lacks the header.
    const FORBIDDEN: Problem = Problem::Forbidden;
    /// What it answers to a caller without the session it requires.
    const NO_SESSION: Problem = Problem::NoSession;
    /// What it answers to a body that it cannot read.
    const UNREADABLE: Problem = Problem::InvalidParameters;
    /// Who may call.
    type Caller: Caller;
    /// What it reads.
    type Body: ReadBody;

    /// Builds it, once at start. Faulty settings are noted in `setup`, which reports them together.
    fn new(setup: &Setup) -> Self;

    /// The rule.
    fn answer(&self, call: Call<Self::Caller, Self::Body>) -> impl Future<Output = Result<Reply, Problem>> + Send;
}

/// A call that has passed the guards.
pub struct Call<C, B> {
    /// Who calls.
    pub caller: C,
    /// What was sent.
    pub body: B,
    /// The session cookie that came along, live or not.
    pub presented: Presented,
    /// Where to record what happens to an account.
    pub audit: Audit,
}
