//! What the program says about calls that fail: the cause, and what to type.

use axum::Router;
use axum::http::StatusCode;
use journeys::{ClosedPort, Embedded, Failure, serve};
use shared::system::clock::{Clock, SystemClock};

use crate::support::accounts;
use crate::{Ended, Program, run};

/// Runs a command for a stack whose services give this answer.
async fn with_answer(status: u16, code: &str, message: &str, command: &[&str]) -> Ended {
    let body = format!("<ErrorResponse><Error><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>");
    let status = StatusCode::from_u16(status).unwrap();
    let url = serve(Router::new().fallback(async move || (status, body))).await;
    let keys = [("AWS_ACCESS_KEY_ID", "x"), ("AWS_SECRET_ACCESS_KEY", "y"), ("AWS_REGION", "eu-west-1")];
    let keys = keys.map(|(name, value)| (name, value.to_owned()));
    run([&keys[..], &[("AWS_ENDPOINT_URL", url)]].concat(), &[&["--stack", "cuentas"], command].concat()).await
}

#[tokio::test]
async fn a_refusal_of_aws_is_told_with_its_cause_and_with_what_to_type() {
    for (status, code, message, told) in [
        (403, "ExpiredToken", "The security token is expired", "aws sso login"),
        (403, "InvalidClientTokenId", "The security token is invalid", "aws sts get-caller-identity"),
        (403, "SignatureDoesNotMatch", "The signature does not match", "AWS_SECRET_ACCESS_KEY"),
        (403, "AccessDenied", "You are not authorized", "cloudformation:DescribeStacks"),
        (400, "ValidationError", "Stack with id cuentas does not exist", "aws cloudformation list-stacks"),
    ] {
        for command in [&["find", "1"][..], &["doctor"]] {
            let ended = with_answer(status, code, message, command).await;
            let all = format!("{}{}", ended.out, ended.err);
            assert_eq!(ended.code, 1, "{ended:?}");
            assert!(all.contains(code) && all.contains(message) && all.contains(told), "{code} {command:?}: {all}");
        }
    }
}

#[tokio::test]
async fn missing_credentials_are_named_and_not_the_network() {
    let nowhere = "/nowhere".to_owned();
    let variables = vec![
        ("AWS_ACCESS_KEY_ID", String::new()),
        ("AWS_SECRET_ACCESS_KEY", String::new()),
        ("AWS_SHARED_CREDENTIALS_FILE", nowhere.clone()),
        ("AWS_CONFIG_FILE", nowhere.clone()),
        ("HOME", nowhere),
        ("AWS_REGION", "eu-west-1".to_owned()),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9".to_owned()),
    ];
    for command in [&["find", "1"][..], &["doctor"]] {
        let ended = run(variables.clone(), &[&["--stack", "cuentas"], command].concat()).await;
        let all = format!("{}{}", ended.out, ended.err);
        assert!(ended.code == 1 && all.contains("credentials") && all.contains("aws sso login"), "{all}");
        assert!(!all.contains("check the network"), "{all}");
    }
}

#[tokio::test]
async fn a_local_stack_that_does_not_run_is_told_at_once() {
    let closed = ClosedPort::take().unwrap();
    let port = closed.address().unwrap().port().to_string();
    for command in [&["find", "1"][..], &["doctor"], &["stats"]] {
        let begun = SystemClock.now().seconds();
        let ended = run(vec![("DYNAMODB_PORT", port.clone())], &[&["--local"], command].concat()).await;
        assert!(ended.code == 1 && ended.err.contains("start `make dev`") && ended.err.contains(&port), "{ended:?}");
        assert!(SystemClock.now().seconds() - begun < 10, "{ended:?}");
    }
}

#[tokio::test]
async fn a_throttled_table_is_named() {
    let throttled = async |call: &str| {
        let stack = Embedded::start(&[]).await;
        let failure = Failure::Answer(400, r#"{"__type":"ProvisionedThroughputExceededException"}"#.to_owned());
        stack.table.fail_call_of(call, 0, failure, true);
        let ended = Program::of(&stack).run(&["find", "nobody@example.com"]).await;
        assert!(ended.code == 1 && ended.err.contains("ProvisionedThroughputExceededException"), "{ended:?}");
        stack.table.heal();
        assert_eq!(accounts(&stack, &["find", "nobody@example.com"]).await.code, 4);
    };
    // Both at once, because the tool repeats a throttled call for 20 seconds.
    tokio::join!(throttled("DescribeTable"), throttled("BatchGetItem"));
}
