//! A Lambda authorizer: API Gateway asks it whether a request to another API may pass. Event and answer have the payload
//! format 2.0 with simple responses
//! ([source](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html)).
//!
//! If a dependency fails, the invocation fails, and the gateway refuses the request.

use futures_util::future::BoxFuture;
use serde::Serialize;

use super::function::read_request;
use super::logged::CallLog;
use crate::endpoint::DEADLINE;
use crate::endpoint::cookies::{Cookies, Presented};
use crate::endpoint::request::Request;
use crate::log::Invocation;
use crate::store::Session;
use crate::{Fault, Problem, SettingsError, Setup};

/// A function that says which requests may pass.
pub trait Authorizer: Sized + Send + Sync + 'static {
    /// The name of the crate, in log lines.
    const NAME: &'static str;

    /// Builds the authorizer from the settings. Faulty settings are reported to the setup.
    fn new(setup: &Setup) -> Self;

    /// The live session with which a request may pass, or the reason why it may not.
    fn authorize(
        &self,
        request: &Request,
        presented: &Presented,
    ) -> impl Future<Output = Result<Session, Problem>> + Send;
}

/// The answer to the gateway.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether the request may pass. If not, the gateway answers 403.
    pub is_authorized: bool,
    /// What the API behind the gateway is told about the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// The session of a request that may pass. All values are text, the only type that a mapping of API Gateway can put into
/// a header. There is no name and no address.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The id of the account.
    pub account_id: String,
    /// The id of the session, as the list of sessions shows it. It opens nothing.
    pub session_id: String,
    /// When the owner signed in, in RFC 3339.
    pub signed_in_at: String,
    /// When the owner last proved who they are, in RFC 3339.
    pub proved_at: String,
    /// Whether the address is verified.
    pub email_verified: String,
}

impl Context {
    fn of(session: &Session) -> Self {
        Self {
            account_id: session.account.id.to_string(),
            session_id: session.token.session_id(),
            signed_in_at: session.signed_in.to_rfc3339(),
            proved_at: session.proved_at.to_rfc3339(),
            email_verified: session.account.email_verified.to_string(),
        }
    }
}

/// An authorizer, with what it needs to answer events.
pub struct Authorizing<A> {
    authorizer: A,
    cookies: Cookies,
    call_log: CallLog,
}

impl<A: Authorizer> Authorizing<A> {
    /// Builds the authorizer.
    ///
    /// # Errors
    /// The list of all faulty settings.
    pub fn start(setup: &Setup) -> Result<Self, SettingsError> {
        let authorizer = A::new(setup);
        let authorizing = Self { authorizer, cookies: Cookies::new(setup), call_log: CallLog::new(A::NAME, setup) };
        setup.settings().check().map(|()| authorizing)
    }

    /// Answers an event, which is JSON text, and logs the call.
    ///
    /// # Errors
    /// A dependency failed. An event that cannot be read is refused.
    pub async fn handle(&self, event: &str, invocation: Invocation) -> Result<Verdict, Fault> {
        let mut line = self.call_log.begin(invocation);
        line.request_id = line.invocation.request_id.clone().unwrap_or_default();
        // In a box, because the types of nested futures become too deep for the compiler.
        let authorizing: BoxFuture<'_, _> = Box::pin(self.authorize(event));
        let authorized = match tokio::time::timeout(DEADLINE, authorizing).await {
            Ok(authorized) => authorized,
            Err(_) => Err(Fault::new("call", "deadline").into()),
        };
        let verdict = match authorized {
            Ok(session) => {
                line.status = 200;
                line.outcome.account_id = Some(session.account.id);
                Ok(Verdict { is_authorized: true, context: Some(Context::of(&session)) })
            }
            Err(problem) => {
                let row = problem.row();
                (line.status, line.outcome.problem) = (row.status, Some(row.code));
                if let Problem::Internal(fault) = problem { Err(fault) } else { Ok(Verdict::default()) }
            }
        };
        line.outcome.fault = verdict.as_ref().err().cloned();
        self.call_log.end(line);
        verdict
    }

    async fn authorize(&self, event: &str) -> Result<Session, Problem> {
        let request = read_request(event).ok_or(Problem::InvalidParameters)?;
        self.authorizer.authorize(&request, &self.cookies.presented(&request)).await
    }
}
