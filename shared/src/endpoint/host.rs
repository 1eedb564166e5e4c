//! Runs an endpoint: method, caller, body, rule, answer. It answers every request, even after a panic or a timeout.
//!
//! `Parts::respond` bounds the whole call, `Parts::serve` checks the method, and `Guarded::serve` checks the caller and
//! the body and calls the rule. Then `Parts::reply` or [`refuse`] writes the answer, with the `Outcome` for the log
//! line.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE, USER_AGENT, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, Response, StatusCode};
use lambda_http::Service;

use super::body::{ReadBody, Unreadable};
use super::caller::{Caller, Refusal, require_header};
use super::cookies::{Cookies, Presented};
use super::reply::{Body, Members, Reply, SessionChange};
use super::request::{self, Request, header};
use super::{Call, Client, Endpoint};
use crate::log::audit::{Audit, Event, Seen};
use crate::log::{Log, Outcome};
use crate::system::clock::Clock;
use crate::{BrowserName, Fault, Problem, Setup};

/// The time after which a call answers 500. Each deadline is shorter than that of its caller: 2 seconds for an attempt
/// of the SDK, 5 for an AWS operation, 7 for a call, 10 for the function, 30 for the gateway. So every failure has an
/// answer and a log line of our own.
pub(crate) const DEADLINE: Duration = Duration::from_secs(7);

/// An endpoint as a tower service for `lambda_http`'s requests. The type is not generic over the endpoint, so that it
/// and the layers around it are compiled only once in a program with all endpoints.
#[derive(Clone)]
pub(crate) struct Host(Arc<Parts>);

struct Parts {
    rule: Box<dyn Rule>,
    cookies: Cookies,
    function: &'static str,
    clock: Arc<dyn Clock>,
    log: Arc<dyn Log>,
    is_audited: bool,
}

impl Service<lambda_http::Request> for Host {
    type Response = Response<lambda_http::Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: lambda_http::Request) -> Self::Future {
        let parts = Arc::clone(&self.0);
        Box::pin(async move { Ok(parts.respond(request::with_bytes(request)).await) })
    }
}

impl Host {
    /// Builds the endpoint and the check of its callers. Faulty settings are reported to `setup`.
    pub(crate) fn new<E: Endpoint>(setup: &Setup) -> Self {
        let rule = Guarded { endpoint: E::new(setup), gate: E::Caller::gate(setup) };
        Self::of(setup, E::NAME, Box::new(rule))
    }

    fn of(setup: &Setup, function: &'static str, rule: Box<dyn Rule>) -> Self {
        Self(Arc::new(Parts {
            rule,
            cookies: Cookies::new(setup),
            function,
            clock: setup.clock(),
            log: setup.log(),
            is_audited: setup.settings().flag("AUDIT_LOG"),
        }))
    }
}

/// The part of a call that depends on the endpoint: caller, body, rule.
trait Rule: Send + Sync {
    /// The id of the caller's account is stored in `caller_id` as soon as it is known, so that the log line of a
    /// refused call has it too.
    fn serve<'a>(
        &'a self,
        request: Request,
        client: Client,
        audit: Audit,
        caller_id: &'a mut Option<u64>,
    ) -> BoxFuture<'a, Result<Reply, Problem>>;

    /// [`Endpoint::page_of_failure`].
    fn page_of_failure(&self) -> Option<String>;
}

/// An endpoint behind the check of its callers.
struct Guarded<E: Endpoint> {
    endpoint: E,
    gate: <E::Caller as Caller>::Gate,
}

impl<E: Endpoint> Rule for Guarded<E> {
    fn serve<'a>(
        &'a self,
        request: Request,
        client: Client,
        audit: Audit,
        caller_id: &'a mut Option<u64>,
    ) -> BoxFuture<'a, Result<Reply, Problem>> {
        Box::pin(async move {
            let caller = E::Caller::admit(&self.gate, &request, &client.presented).await;
            let caller = caller.map_err(|refusal| match refusal {
                Refusal::Forbidden => E::FORBIDDEN,
                Refusal::NoSession => E::NO_SESSION,
                Refusal::Unproved(session) => {
                    let id = session.account.id;
                    *caller_id = Some(id);
                    audit.clone().of_session(session.token.session_id()).record(Event::ProofRequired, id);
                    Problem::Unproved
                }
                Refusal::Failed(fault) => fault.into(),
            })?;
            *caller_id = caller.session().map(|session| session.account.id);
            let audit = match caller.session() {
                Some(session) => audit.of_session(session.token.session_id()),
                None => audit,
            };
            let body = E::Body::read(&request).await.map_err(|unreadable| match unreadable {
                Unreadable::NotThisType => E::UNREADABLE,
                Unreadable::Refused(problem) => problem,
            })?;
            let recording = audit.clone();
            let answer = self.endpoint.answer(Call { caller, body, client, audit }).await;
            if matches!(answer, Err(Problem::Unproved)) {
                recording.record(Event::ProofRequired, *caller_id);
            }
            answer
        })
    }

    fn page_of_failure(&self) -> Option<String> {
        self.endpoint.page_of_failure()
    }
}

impl Parts {
    /// Answers a request, even if the rule panics or takes too long.
    async fn respond(&self, request: Request) -> Response<lambda_http::Body> {
        let mut caller_id = None;
        let page = self.rule.page_of_failure().filter(|_| is_navigation(&request));
        let presented = self.cookies.presented(&request);
        let is_doubled = matches!(presented, Presented::Several);
        let served = AssertUnwindSafe(self.serve(request, presented, &mut caller_id)).catch_unwind();
        let served = match tokio::time::timeout(DEADLINE, served).await {
            Ok(Ok(served)) => served,
            Ok(Err(_)) => Err(Fault::new("call", "panic").into()),
            Err(_) => Err(Fault::new("call", "deadline").into()),
        };
        let mut answer = match served {
            Ok(reply) => self.reply(reply, is_doubled),
            Err(problem) => match page {
                Some(page) => redirect(refuse(problem), page),
                None => refuse(problem),
            },
        };
        if let Some(outcome) = answer.extensions_mut().get_mut::<Outcome>() {
            outcome.account_id = outcome.account_id.or(caller_id);
        }
        answer
    }

    async fn serve(
        &self,
        request: Request,
        presented: Presented,
        caller_id: &mut Option<u64>,
    ) -> Result<Reply, Problem> {
        if request.method() != Method::POST {
            return Err(Problem::MethodNotAllowed);
        }
        let audit = Audit {
            seen: if self.is_audited { seen(&request) } else { Seen::default() },
            is_on: self.is_audited,
            function: self.function,
            request_id: request::id(&request),
            invocation: request::invocation(&request),
            clock: Arc::clone(&self.clock),
            log: Arc::clone(&self.log),
        };
        let user_agent = header(&request, USER_AGENT).map(str::to_owned);
        let client = Client { presented, secret: self.cookies.browser(&request), user_agent };
        self.rule.serve(request, client, audit, caller_id).await
    }

    fn reply(&self, reply: Reply, is_doubled: bool) -> Response<lambda_http::Body> {
        let outcome = Outcome { account_id: reply.account_id, ..Outcome::default() };
        let mut answer = match reply.body {
            Body::Json(body) => json_answer(StatusCode::OK, body.to_text(), outcome),
            Body::SeeOther(address) => {
                let mut answer = json_answer(StatusCode::SEE_OTHER, "{}".to_owned(), outcome);
                set(&mut answer, LOCATION, address);
                answer
            }
        };
        let session = match reply.session {
            SessionChange::None => None,
            SessionChange::Open(token) => Some(self.cookies.opening(&token)),
            SessionChange::End => Some(self.cookies.ending()),
        };
        let other = self.cookies.ending_other_kind().filter(|_| is_doubled && session.is_some());
        let browser = reply.browser.as_ref().map(|secret| self.cookies.remembering(secret));
        for cookie in [session, browser, other].into_iter().flatten() {
            set(&mut answer, SET_COOKIE, cookie);
        }
        answer
    }
}

/// Who makes a call, for the lines of its events.
fn seen(request: &Request) -> Seen {
    let (address, forwarded) = request::addresses(request);
    Seen {
        address,
        forwarded,
        browser: header(request, USER_AGENT).map(|text| BrowserName::of(Some(text)).as_str().to_owned()),
        ..Seen::default()
    }
}

/// Whether a browser shows the answer to a person: a form or a link has sent the request, and no script.
fn is_navigation(request: &Request) -> bool {
    let is_post = request.method() == Method::POST;
    let is_page = match header(request, "sec-fetch-mode") {
        Some(mode) => mode == "navigate",
        // Older browsers do not send it.
        None => header(request, ACCEPT).is_some_and(|types| types.contains("text/html")),
    };
    is_post && is_page && require_header(request).is_err()
}

/// The redirection to a page, with the outcome of an answer for the log line.
fn redirect(mut answer: Response<lambda_http::Body>, page: String) -> Response<lambda_http::Body> {
    *answer.status_mut() = StatusCode::SEE_OTHER;
    *answer.body_mut() = "{}".into();
    set(&mut answer, LOCATION, page);
    answer
}

/// The answer to a problem.
pub(crate) fn refuse(problem: Problem) -> Response<lambda_http::Body> {
    let row = problem.row();
    let mut members = Members::verdict(false, row.message);
    if matches!(problem, Problem::UnknownPasskey) {
        members = members.and("unknown", &true);
    }
    let fault = if let Problem::Internal(fault) = problem { Some(fault) } else { None };
    let outcome = Outcome { account_id: None, problem: Some(row.code), fault };
    let status = StatusCode::from_u16(row.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = json_answer(status, members.to_text(), outcome);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    }
    answer
}

fn json_answer(status: StatusCode, body: String, outcome: Outcome) -> Response<lambda_http::Body> {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    answer.extensions_mut().insert(outcome);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

/// Adds a header. Its value is always valid: cookies are ASCII, and addresses are checked at start.
fn set(answer: &mut Response<lambda_http::Body>, name: http::HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        answer.headers_mut().append(name, value);
    }
}
