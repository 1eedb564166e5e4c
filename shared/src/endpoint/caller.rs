//! Who may call: guards as types. A rule that takes `Call<Signed, _>` cannot run without a live
//! session, because nothing else builds a [`Signed`].

use crate::endpoint::cookies::Presented;
use crate::endpoint::request::{Request, header};
use crate::store::{Partition, Session, Sessions};
use crate::{Fault, Setup, Token};

/// Why a caller is not let in. The endpoint says how to put it.
#[derive(Debug)]
pub enum Refusal {
    /// The guard against foreign pages: the required header is missing or wrong.
    Forbidden,
    /// There is no live session.
    NoSession,
    /// Something needed to decide has failed.
    Failed(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// A kind of caller, and the check that lets it in.
pub trait Caller: Sized + Send {
    /// What the check needs.
    type Gate: Send + Sync;

    /// Builds the gate, once at start.
    fn gate(setup: &Setup) -> Self::Gate;

    /// Lets the caller in.
    ///
    /// # Errors
    /// Why it stays out.
    fn admit(
        gate: &Self::Gate,
        request: &Request,
        presented: &Presented,
    ) -> impl Future<Output = Result<Self, Refusal>> + Send;

    /// The account that calls, for the log.
    fn account_id(&self) -> Option<u64> {
        None
    }
}

/// Anybody whose page sends `X-Requested-With: XMLHttpRequest`, which a foreign page cannot.
pub struct Public;

impl Caller for Public {
    type Gate = ();

    fn gate(_: &Setup) -> Self::Gate {}

    async fn admit((): &(), request: &Request, _: &Presented) -> Result<Self, Refusal> {
        require_header(request).map(|()| Self)
    }
}

/// Somebody with a live session.
pub struct Signed {
    /// The session and, with it, the account as it is now.
    pub session: Session,
}

impl Caller for Signed {
    type Gate = Sessions;

    fn gate(setup: &Setup) -> Self::Gate {
        Sessions::new(setup)
    }

    async fn admit(sessions: &Sessions, request: &Request, presented: &Presented) -> Result<Self, Refusal> {
        let session = sessions.live(required_token(request, presented)?).await?;
        session.map(|session| Self { session }).ok_or(Refusal::NoSession)
    }

    fn account_id(&self) -> Option<u64> {
        Some(self.session.account.id)
    }
}

/// Somebody with a live session, let in with what the account's partition holds, as far as one bounded
/// read shows it: whoever erases all of it needs no second look.
pub struct Owner {
    /// The partition as it is now.
    pub partition: Partition,
}

impl Caller for Owner {
    type Gate = Sessions;

    fn gate(setup: &Setup) -> Self::Gate {
        Sessions::new(setup)
    }

    async fn admit(sessions: &Sessions, request: &Request, presented: &Presented) -> Result<Self, Refusal> {
        let partition = sessions.live_partition(required_token(request, presented)?).await?;
        partition.map(|partition| Self { partition }).ok_or(Refusal::NoSession)
    }

    fn account_id(&self) -> Option<u64> {
        Some(self.partition.account.id)
    }
}

fn required_token<'a>(request: &Request, presented: &'a Presented) -> Result<&'a Token, Refusal> {
    require_header(request)?;
    presented.token().ok_or(Refusal::NoSession)
}

/// The one header that every endpoint asks for.
///
/// # Errors
/// [`Refusal::Forbidden`] unless its value is exactly `XMLHttpRequest`.
pub fn require_header(request: &Request) -> Result<(), Refusal> {
    let exact = header(request, "x-requested-with") == Some("XMLHttpRequest");
    exact.then_some(()).ok_or(Refusal::Forbidden)
}
