//! The way of every call: method, caller, body, rule, answer, log line. In this order, for every
//! endpoint; nothing else in the project decides it.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use crate::audit::Audit;
use crate::body::{ReadBody, Unreadable};
use crate::caller::{Caller, Refusal};
use crate::clock::Clock;
use crate::cookies::{Presented, SessionCookie};
use crate::event::{Answer, Request};
use crate::log::{Line, Log};
use crate::metrics::Metrics;
use crate::reply::{self, Body, Reply, SessionChange};
use crate::{Fault, Problem, SettingsError, Setup};

/// How long a call may take before it answers 500: below the function's 10 seconds, above one
/// operation's 5.
const DEADLINE: Duration = Duration::from_secs(7);

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

/// An endpoint at work.
pub struct Host<E: Endpoint> {
    endpoint: E,
    gate: <E::Caller as Caller>::Gate,
    cookie: SessionCookie,
    clock: Arc<dyn Clock>,
    log: Arc<dyn Log>,
    is_audited: bool,
    metrics: Option<Metrics>,
}

impl<E: Endpoint> Host<E> {
    /// Builds the endpoint and its guard.
    ///
    /// # Errors
    /// All faults of the settings.
    pub fn start(setup: &Setup) -> Result<Self, SettingsError> {
        let host = Self {
            endpoint: E::new(setup),
            gate: E::Caller::gate(setup),
            cookie: SessionCookie::new(setup),
            clock: setup.clock(),
            log: setup.log(),
            is_audited: setup.flag("AUDIT_LOG", true),
            metrics: Metrics::new(setup),
        };
        setup.check().map(|()| host)
    }

    /// Answers an event of the gateway, both as JSON text.
    pub async fn invoke(&self, event: &str) -> String {
        let answer = self.respond(event).await;
        serde_json::to_string(&answer).unwrap_or_default()
    }

    /// Answers an event of the gateway. Whatever the event is, and even if the rule panics, there is an
    /// answer and a log line.
    pub async fn respond(&self, event: &str) -> Answer {
        self.respond_to(Request::from_event(event)).await
    }

    /// Answers a request; none is an event that could not be read as one.
    pub async fn respond_to(&self, request: Option<Request>) -> Answer {
        let started = self.clock.now();
        let mut line = Line::new(E::NAME, started);
        let outcome = match request {
            Some(request) => {
                line.request_id.clone_from(&request.id);
                // Boxed: the whole way of a call as one value is too deep for the compiler to lay out.
                let served = AssertUnwindSafe(Box::pin(self.serve(request, &mut line))).catch_unwind();
                match tokio::time::timeout(DEADLINE, served).await {
                    Ok(Ok(outcome)) => outcome,
                    Ok(Err(_)) => Err(Fault::new("call", "panic").into()),
                    Err(_) => Err(Fault::new("call", "deadline").into()),
                }
            }
            None => Err(Problem::InvalidParameters),
        };
        let answer = match outcome {
            Ok(reply) => self.reply(reply, &mut line),
            Err(problem) => refuse(problem, &mut line),
        };
        line.status = answer.status_code;
        line.duration_ms = self.clock.now().milliseconds().saturating_sub(started.milliseconds());
        line.write(self.log.as_ref(), self.metrics.as_ref());
        answer
    }

    async fn serve(&self, request: Request, line: &mut Line) -> Result<Reply, Problem> {
        if request.method != "POST" {
            return Err(Problem::MethodNotAllowed);
        }
        let presented = self.cookie.presented(&request);
        let caller = E::Caller::admit(&self.gate, &request, &presented).await.map_err(|refusal| match refusal {
            Refusal::Forbidden => E::FORBIDDEN,
            Refusal::NoSession => E::NO_SESSION,
            Refusal::Failed(fault) => fault.into(),
        })?;
        line.account_id = caller.account_id();
        let body = E::Body::read(&request).await.map_err(|unreadable| match unreadable {
            Unreadable::NotThisType => E::UNREADABLE,
            Unreadable::Refused(problem) => problem,
        })?;
        let audit = Audit {
            is_on: self.is_audited,
            function: E::NAME,
            request_id: request.id,
            clock: Arc::clone(&self.clock),
            log: Arc::clone(&self.log),
        };
        self.endpoint.answer(Call { caller, body, presented, audit }).await
    }

    fn reply(&self, reply: Reply, line: &mut Line) -> Answer {
        line.account_id = reply.account_id.or(line.account_id);
        let mut answer = match reply.body {
            Body::Json(body) => json_answer(200, body.into_text()),
            Body::SeeOther(address) => {
                let mut answer = json_answer(303, "{}".to_owned());
                answer.headers.insert("location", address.into());
                answer
            }
        };
        match reply.session {
            SessionChange::None => {}
            SessionChange::Open(token) => answer.cookies.push(self.cookie.opening(&token)),
            SessionChange::End => answer.cookies.push(self.cookie.ending()),
        }
        answer
    }
}

fn refuse(problem: Problem, line: &mut Line) -> Answer {
    let row = problem.row();
    line.problem = Some(row.code);
    if let Problem::Internal(fault) = problem {
        line.fault = Some(fault);
    }
    let mut answer = json_answer(row.status, reply::said(false, row.message).into_text());
    if row.status == 405 {
        answer.headers.insert("allow", "POST".into());
    }
    answer
}

fn json_answer(status_code: u16, body: String) -> Answer {
    let headers = BTreeMap::from([
        ("content-type", "application/json; charset=utf-8".into()),
        ("cache-control", "no-store".into()),
        ("x-content-type-options", "nosniff".into()),
    ]);
    Answer { status_code, headers, cookies: Vec::new(), body, is_base64_encoded: false }
}
