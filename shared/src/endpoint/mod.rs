//! The processing of every call, in this order: method, caller, body, rule, answer. All endpoints share it.
//!
//! An endpoint only says what it needs. Its type [`Caller`] decides which callers are admitted, its type of body how
//! the body is read, and `host` does both before it calls the rule, [`Endpoint::answer`]. So a rule can neither forget
//! a check nor change their order. The rule gets a [`Call`], and returns a [`Reply`] or the [`Problem`] that the client
//! is told. It reads no header, no environment variable and no clock of the system, so tests can pass all of these in.

pub mod body;
pub mod caller;
pub mod cookies;
mod host;
pub mod proof;
pub mod reply;
pub mod request;

pub(crate) use host::{DEADLINE, Host, refuse};

use self::body::ReadBody;
use self::caller::Caller;
use self::cookies::Presented;
use self::reply::Reply;
use crate::account::BrowserSecret;
use crate::log::audit::Audit;
use crate::store::{Browser, BrowserCookie};
use crate::{Problem, Setup};

/// One endpoint: its dependencies (the fields of the type), its caller, its body, and its rule.
pub trait Endpoint: Sized + Send + Sync + 'static {
    /// The endpoint's name in logs, which is the crate's.
    const NAME: &'static str;
    /// The answer to a call that lacks the proof that it does not come from another site.
    const FORBIDDEN: Problem = Problem::Forbidden;
    /// The answer to a caller without the session that the endpoint requires.
    const NO_SESSION: Problem = Problem::NoSession;
    /// The answer to a body that the endpoint cannot read.
    const UNREADABLE: Problem = Problem::InvalidParameters;
    /// The kind of caller that is admitted.
    type Caller: Caller;
    /// The type of the body.
    type Body: ReadBody;

    /// Builds the endpoint, once at start. Faulty settings are reported to `setup`, which lists them together.
    fn new(setup: &Setup) -> Self;

    /// Where a browser is redirected that would show the answer to a failed call to a person. Only scripts call most endpoints.
    fn page_of_failure(&self) -> Option<String> {
        None
    }

    /// Answers a call.
    fn answer(&self, call: Call<Self::Caller, Self::Body>) -> impl Future<Output = Result<Reply, Problem>> + Send;
}

/// A call whose method, caller and body have been checked.
pub struct Call<C, B> {
    /// The caller.
    pub caller: C,
    /// The body.
    pub body: B,
    /// The browser that makes the call.
    pub client: Client,
    /// Records the security events of accounts.
    pub audit: Audit,
}

/// The browser that makes a call.
pub struct Client {
    /// Its session cookie. The session may have ended.
    pub presented: Presented,
    /// The secret in its known-browser cookie.
    pub secret: Option<BrowserSecret>,
    /// Its `User-Agent`, from which the name of a new session is made.
    pub user_agent: Option<String>,
}

impl Client {
    /// The browser, for a login.
    #[must_use]
    pub fn browser(&self) -> Browser<'_> {
        Browser {
            user_agent: self.user_agent.as_deref(),
            presented: self.presented.token(),
            cookie: BrowserCookie::Sent(self.secret.as_ref()),
        }
    }

    /// As [`Client::browser`], for a call from a page of another site. Browsers send none of the service's cookies
    /// with it.
    #[must_use]
    pub fn cross_site_browser(&self) -> Browser<'_> {
        Browser { cookie: BrowserCookie::Withheld, ..self.browser() }
    }
}
