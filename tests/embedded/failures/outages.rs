//! A table that is slow or fails for many calls, and a mail service that never answers.

use std::time::Duration;

use futures_util::future::join_all;
use journeys::requests::is_failure;
use journeys::{Embedded, Failure, PASSWORD, Visitor, paths};

#[tokio::test]
async fn an_outage_that_one_function_meets_does_not_stop_the_retries_of_another() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    stack.table.fail_always(Failure::Error);
    // The SDK's quota pays for at most a hundred retries, and each of these calls is retried twice.
    let mut devices = vec![ana.clone(); 100];
    let answers = join_all(devices.iter_mut().map(Visitor::session)).await;
    assert!(answers.iter().all(is_failure), "{answers:?}");
    stack.table.heal();
    stack.table.fail_call(0, Failure::Error);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn a_mail_service_that_never_answers_fails_the_request_before_its_deadline() {
    let (stack, mut ana) = Embedded::registered(&[]).await;
    let email = ana.email.clone();
    stack.mail.fail_always(Failure::Silence);
    let fields = [("email", &*email)];
    let asked = ana.form(paths::SEND_RESET_LINK, &fields);
    assert!(is_failure(&tokio::time::timeout(Duration::from_secs(8), asked).await.unwrap()));
    // The timeout of sending mail, which is shorter than the call's deadline.
    let log = stack.log();
    let timeout = r#""fault.operation":"mail.SendEmail","fault.cause":"timeout""#;
    assert!(log.iter().any(|line| line.contains(timeout)), "{log:#?}");
}
