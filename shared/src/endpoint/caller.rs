//! The kinds of callers. Each is a type with its own check. A rule that takes `Call<Signed, _>` cannot run without a
//! live session, because only the check builds a [`Signed`].

use crate::endpoint::cookies::Presented;
use crate::endpoint::proof::ProofAge;
use crate::endpoint::request::{Request, header};
use crate::store::{Session, Sessions};
use crate::{Fault, Setup, Token};

/// The reason why a caller is refused. The endpoint decides the answer.
pub enum Refusal {
    /// The request lacks the proof that it does not come from another site, such as the required header.
    Forbidden,
    /// There is no live session.
    NoSession,
    /// The last proof of the session is too old.
    Unproved(Box<Session>),
    /// The check itself failed.
    Failed(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// A kind of caller, and the check that admits it.
pub trait Caller: Sized + Send {
    /// The dependencies of the check.
    type Gate: Send + Sync;

    /// Builds the dependencies of the check, once at start.
    fn gate(setup: &Setup) -> Self::Gate;

    /// Checks the caller.
    ///
    /// # Errors
    /// The reason why the caller is refused.
    fn admit(
        gate: &Self::Gate,
        request: &Request,
        presented: &Presented,
    ) -> impl Future<Output = Result<Self, Refusal>> + Send;

    /// The caller's session, for the log.
    fn session(&self) -> Option<&Session> {
        None
    }
}

/// Any caller that sends `X-Requested-With: XMLHttpRequest`. A page of another origin can send this header only if
/// `CORS_ORIGINS` lists its origin, or listed it two hours ago; then `lambda::origins` takes the header away.
pub struct Public;

impl Caller for Public {
    type Gate = ();

    fn gate(_: &Setup) -> Self::Gate {}

    async fn admit((): &(), request: &Request, _: &Presented) -> Result<Self, Refusal> {
        require_header(request).map(|()| Self)
    }
}

/// A caller with a live session.
#[non_exhaustive]
pub struct Signed {
    /// The session, with the current account.
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

    fn session(&self) -> Option<&Session> {
        Some(&self.session)
    }
}

/// A caller with a live session who has proved recently who they are. Whoever adds or removes a credential, or ends the
/// access of others, must be one.
#[non_exhaustive]
pub struct Proved {
    /// The session, with the current account.
    pub session: Session,
}

impl Caller for Proved {
    type Gate = (Sessions, ProofAge);

    fn gate(setup: &Setup) -> Self::Gate {
        (Sessions::new(setup), ProofAge::new(setup))
    }

    async fn admit((sessions, age): &Self::Gate, request: &Request, presented: &Presented) -> Result<Self, Refusal> {
        let Signed { session } = Signed::admit(sessions, request, presented).await?;
        if age.require(&session).is_err() {
            return Err(Refusal::Unproved(Box::new(session)));
        }
        Ok(Self { session })
    }

    fn session(&self) -> Option<&Session> {
        Some(&self.session)
    }
}

/// Any caller, like [`Public`], with the caller's live session if there is one. A session that is not live is ignored.
#[non_exhaustive]
pub struct Anyone {
    /// The live session, with the current account.
    pub session: Option<Session>,
}

impl Caller for Anyone {
    type Gate = Sessions;

    fn gate(setup: &Setup) -> Self::Gate {
        Sessions::new(setup)
    }

    async fn admit(sessions: &Sessions, request: &Request, presented: &Presented) -> Result<Self, Refusal> {
        require_header(request)?;
        let Some(token) = presented.token() else { return Ok(Self { session: None }) };
        Ok(Self { session: sessions.live(token).await? })
    }

    fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }
}

fn required_token<'a>(request: &Request, presented: &'a Presented) -> Result<&'a Token, Refusal> {
    require_header(request)?;
    presented.token().ok_or(Refusal::NoSession)
}

/// Checks the header that every endpoint requires.
///
/// # Errors
/// [`Refusal::Forbidden`] unless its value is exactly `XMLHttpRequest`.
pub fn require_header(request: &Request) -> Result<(), Refusal> {
    let exact = header(request, "x-requested-with") == Some("XMLHttpRequest");
    exact.then_some(()).ok_or(Refusal::Forbidden)
}
