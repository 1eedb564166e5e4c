//! A table that is slow or fails, and a mail service that fails.

use std::time::Duration;

use futures_util::future::join_all;
use journeys::requests::{Actor, is_failure, requests};
use journeys::sound::assert_sound;
use journeys::{Answer, Embedded, Failure, PASSWORD, Visitor, paths, proofs};
use serde_json::json;

/// The longest that an answer may take: one second more than the deadline of a call.
const PATIENCE: Duration = Duration::from_secs(8);

/// A visitor for each request that one stack can serve: all but those that need the service as its own captcha provider.
async fn everybody(stack: &Embedded) -> Vec<Actor> {
    let mut actors = Vec::new();
    for request in requests().filter(|request| request.is_swept && request.settings != proofs::SETTINGS) {
        actors.push(Actor::ready(request, stack).await);
    }
    actors
}

/// Sends all requests in parallel, and asserts that each is answered in time.
async fn ask(actors: &mut [Actor]) -> Vec<Answer> {
    let asked = actors.iter_mut().map(async |actor| {
        let answer = tokio::time::timeout(PATIENCE, actor.send()).await;
        answer.unwrap_or_else(|_| panic!("{}", actor.request.name))
    });
    join_all(asked).await
}

#[tokio::test]
async fn a_slow_call_to_the_table_never_causes_a_wrong_answer() {
    let stack = Embedded::start_at_full_cost(&[("NOTICES", "on")]).await;
    let mut actors = everybody(&stack).await;
    stack.table.fail_first_attempts(Failure::Delay);
    let answers = ask(&mut actors).await;
    stack.table.heal();
    for (actor, answer) in actors.iter_mut().zip(answers) {
        if actor.is_success(&answer) {
            actor.assert_done(&stack).await;
        } else {
            assert!(is_failure(&answer), "{}: {answer:?}", actor.request.name);
        }
    }
    assert_sound(&stack).await;
}

#[tokio::test]
async fn a_slow_table_fails_each_request_within_eight_seconds() {
    let stack = Embedded::start(&[]).await;
    let mut actors = everybody(&stack).await;
    stack.table.fail_always(Failure::Delay);
    let answers = ask(&mut actors).await;
    for (answer, actor) in answers.iter().zip(&actors) {
        assert!(is_failure(answer), "{}: {answer:?}", actor.request.name);
    }
    stack.table.heal();
    assert_sound(&stack).await;
    let mut eva = stack.service.visitor().signed_in().await;
    assert_eq!(eva.session().await.status, 200);
}

#[tokio::test]
async fn an_outage_that_one_function_meets_does_not_stop_the_retries_of_another() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    stack.table.fail_always(Failure::Error);
    // The SDK's quota pays for at most a hundred retries, and each of these calls is retried twice.
    let mut devices = vec![ana.clone(); 100];
    let answers = join_all(devices.iter_mut().map(Visitor::session)).await;
    assert!(answers.iter().all(is_failure), "{answers:?}");
    stack.table.heal();
    stack.table.fail_call(0, Failure::Error);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

/// The failures of a mail service.
fn mail_failures() -> [Failure; 6] {
    let refused =
        |status: u16, kind: &str| Failure::Answer(status, json!({"__type": kind, "message": "no"}).to_string());
    [
        Failure::Throttle,
        Failure::Error,
        Failure::DropBefore,
        refused(400, "MessageRejected"),
        refused(429, "TooManyRequestsException"),
        refused(403, "AccessDeniedException"),
    ]
}

async fn ask_for_a_link(ana: &mut Visitor) -> Answer {
    let email = ana.email.clone();
    tokio::time::timeout(PATIENCE, ana.form(paths::SEND_RESET_LINK, &[("email", &email)])).await.unwrap()
}

#[tokio::test]
async fn a_reset_link_that_was_not_sent_is_never_reported_as_sent() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    for failure in mail_failures() {
        stack.mail.fail_always(failure.clone());
        let answer = ask_for_a_link(&mut ana).await;
        assert!(is_failure(&answer), "{failure:?}: {answer:?}");
        assert!(stack.service.mails(&ana.email).await.is_empty());
        stack.mail.heal();
    }
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, "Otra1234").await.success(), true);
}

#[tokio::test]
async fn a_mail_service_that_fails_once_is_asked_again() {
    let stack = Embedded::start(&[]).await;
    for failure in [Failure::Throttle, Failure::Error, Failure::DropBefore, Failure::DropAfter] {
        let mut ana = stack.service.visitor();
        ana.register().await;
        stack.mail.fail_call(0, failure.clone());
        let answer = ask_for_a_link(&mut ana).await;
        assert_eq!(answer.sentence(), (200, "Correo de restablecimiento enviado".to_owned()), "{failure:?}");
        assert!(!stack.service.mails(&ana.email).await.is_empty(), "{failure:?}");
    }
}

#[tokio::test]
async fn a_mail_service_that_never_answers_fails_the_request_before_its_deadline() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    stack.mail.fail_always(Failure::Silence);
    assert!(is_failure(&ask_for_a_link(&mut ana).await));
    // The timeout of sending mail, which is shorter than the call's deadline.
    let log = stack.log();
    assert!(
        log.iter().any(|line| line.contains(r#""fault.operation":"mail.SendEmail","fault.cause":"timeout""#)),
        "{log:#?}"
    );
    stack.mail.heal();
    stack.mail.fail_always(Failure::DropAfter);
    assert!(is_failure(&ask_for_a_link(&mut ana).await));
    stack.mail.heal();
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, "Otra1234").await.success(), true);
}
