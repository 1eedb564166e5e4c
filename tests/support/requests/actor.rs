//! A visitor who is prepared to make a request, and the check of what it has done.

use std::time::Duration;

use serde_json::{Value, json};

use super::values::sub;
use super::{Caller, Request, Said, SessionAfter, Values};
use crate::{Answer, Embedded, FRONT_END, PASSWORD, Visitor};

/// The pause before a failed request is repeated, which is longer than the pause after a failed fetch of Google's keys.
/// Tests move the clock instead of waiting.
pub const RETRY_PAUSE: Duration = Duration::from_secs(15);

/// A visitor who is prepared to make a request.
pub struct Actor {
    /// The request.
    pub request: &'static Request,
    /// The visitor.
    pub visitor: Visitor,
    /// The visitor before the request, or another device whose session the request ends.
    pub before: Visitor,
    /// The values of the body.
    pub values: Values,
    /// The number of mails that the visitor had before the request.
    pub mails: usize,
}

/// Whether this is the answer that every failure gets.
pub fn is_failure(answer: &Answer) -> bool {
    let body = json!({"success": false, "message": "Error interno del servidor"});
    let bare = answer.set_cookies().is_empty() && answer.header("content-type") == "application/json; charset=utf-8";
    answer.status == 500 && bare && serde_json::from_str::<Value>(&answer.text).unwrap() == body
}

impl Actor {
    /// Prepares everything but the request.
    pub async fn ready(request: &'static Request, stack: &Embedded) -> Self {
        let mut visitor = stack.service.visitor();
        visitor = match request.caller {
            Caller::Stranger => visitor,
            Caller::Registered => visitor.registered().await,
            Caller::SignedIn => visitor.signed_in().await,
            Caller::SignedInWithGoogle => {
                sign_in_with_google(stack, &mut visitor).await;
                visitor
            }
        };
        let mut actor = Self { request, before: visitor.clone(), visitor, values: Values::default(), mails: 0 };
        (request.prepare)(&mut actor, stack).await;
        actor.values.complete(request, &mut actor.visitor).await;
        actor.mails = stack.service.mails(&actor.visitor.email).await.len();
        actor
    }

    /// Sends the request.
    pub async fn send(&mut self) -> Answer {
        let call = self.request.call(&self.values);
        // A failed login may have used its proof of work, so a repeated one has another.
        if let Some(next) = self.values.take("next-proof") {
            self.values.set("proof", next);
        }
        call.by(&mut self.visitor).await
    }

    /// Whether the answer is the expected one.
    pub fn is_success(&self, answer: &Answer) -> bool {
        said(self.request.answer, answer)
    }

    /// Whether the answer to a repeated request shows that the first one was done and only its answer was lost.
    pub fn had_been_done(&self, answer: &Answer) -> bool {
        self.request.again.is_some_and(|again| said(again, answer))
    }

    /// Checks the effects of a request whose answer was the expected one, including those for the caller.
    pub async fn assert_done(&self, stack: &Embedded) {
        let (request, visitor) = (self.request, &self.visitor);
        match request.session {
            SessionAfter::Ended => assert_eq!(visitor.cookie, None, "{}", request.name),
            SessionAfter::Same if visitor.cookie.is_none() => {}
            SessionAfter::Same | SessionAfter::Opened => {
                assert_eq!(visitor.clone().session().await.user("email"), visitor.email, "{}", request.name);
            }
        }
        self.assert_in_force(stack).await;
    }

    /// Checks the effects of a request that was done, even if its answer was lost.
    pub async fn assert_in_force(&self, stack: &Embedded) {
        if let Some(effect) = self.request.effect {
            effect(self, stack).await;
        }
    }

    /// Creates a passkey in another session.
    pub(super) async fn with_passkey_elsewhere(&self) {
        let mut elsewhere = self.visitor.elsewhere();
        elsewhere.login(PASSWORD).await;
        elsewhere.with_passkey().await;
    }

    /// Checks that the session before the request has ended.
    pub(super) async fn assert_ended(&self) {
        assert_eq!(self.before.clone().session().await.status, 401, "{}", self.request.name);
    }

    /// Whether a login with this password succeeds.
    pub(super) async fn logs_in_with(&self, password: &str) -> bool {
        self.visitor.elsewhere().login(password).await.success() == true
    }

    /// Signs in on another device, whose session the request will end.
    pub(super) async fn with_another_device(&mut self) {
        self.before = self.visitor.elsewhere();
        assert_eq!(self.before.login(PASSWORD).await.success(), true);
    }
}

fn said(expected: Said, answer: &Answer) -> bool {
    let is_home = expected != Said::Redirect || answer.header("location") == format!("{FRONT_END}/");
    expected.is(answer.status, &answer.json()) && is_home
}

/// Signs the visitor in with Google. If the machine stops for some seconds, the fetch of Google's keys times out and is
/// not retried at once. The login is then repeated after the pause.
pub(super) async fn sign_in_with_google(stack: &Embedded, visitor: &mut Visitor) {
    let claims = json!({"sub": sub(visitor)});
    let mut answer = visitor.google(claims.clone()).await;
    if is_failure(&answer) {
        stack.advance(RETRY_PAUSE);
        answer = visitor.google(claims).await;
    }
    assert_eq!(answer.status, 200, "{answer:?}");
}
