//! `accounts sessions end-all`: one time ends all sessions.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Failure, PASSWORD, rows};
use serde_json::{Value, json};

use super::start;
use crate::Ended;
use crate::support::accounts;

/// Longer than a function goes on with what it knows.
const MINUTE: std::time::Duration = std::time::Duration::from_secs(61);

async fn end_all(stack: &Embedded, more: &[&str]) -> Ended {
    let command = ["sessions", "end-all", "--reason", "after a break-in", "--json"];
    accounts(stack, &[&command, more].concat()).await
}

/// The row that ends all sessions.
async fn row(stack: &Embedded) -> Option<journeys::Item> {
    stack.items("accounts").await.into_iter().find(|item| rows::text(item, "pk") == "sessions")
}

#[tokio::test]
async fn the_sessions_of_all_accounts_end_by_one_write_and_the_tool_agrees() {
    let (stack, ana) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    assert_eq!(end_all(&stack, &[]).await.code, 3, "without a terminal nobody is asked");
    let dry = end_all(&stack, &["--dry-run"]).await;
    assert_eq!((dry.code, &dry.json()["changed"], row(&stack).await), (0, &json!(false), None), "{dry:?}");
    drop(stack.table.calls());
    let done = end_all(&stack, &["--yes"]).await;
    assert_eq!((done.code, &done.json()["changed"]), (0, &json!(true)), "{done:?}");
    assert_eq!(done.trail(), ["sessions-ended intended", "sessions-ended done"]);
    assert!(done.err.contains("within a minute"), "{done:?}");
    assert_eq!(stack.table.calls(), ["DescribeTable", "GetItem", "PutItem"]);
    let listed = accounts(&stack, &["sessions", &ana.email, "--json"]).await.lines();
    assert_eq!(listed.iter().map(|line| &line["state"]).collect::<Vec<_>>(), ["ended"]);
    let shown = accounts(&stack, &["show", &ana.email, "--json"]).await;
    assert_eq!((shown.count("sessions"), shown.count("live_sessions")), (1, 0), "{shown:?}");
    assert_eq!(accounts(&stack, &["stats", "--json"]).await.count("live_sessions"), 0);
    stack.advance(MINUTE);
    for mut visitor in [ana, eva] {
        assert_eq!(visitor.session().await.status, 401);
        assert_eq!(visitor.login(PASSWORD).await.success(), true);
        assert_eq!(visitor.session().await.status, 200);
    }
    let healthy = accounts(&stack, &["doctor", "--data", "--json"]).await;
    assert!(!healthy.out.contains("does not know") && !healthy.out.contains("cannot read"), "{healthy:?}");
}

#[tokio::test]
async fn the_end_of_all_sessions_only_moves_forward_and_is_never_in_the_future() {
    let (stack, ana) = start().await;
    let refused = end_all(&stack, &["--before", "2999-01-01T00:00:00Z", "--yes"]).await;
    assert_eq!((refused.code, row(&stack).await), (3, None), "{refused:?}");
    assert!(refused.err.contains("in the future"), "{refused:?}");
    let old = end_all(&stack, &["--before", "2026-01-01T00:00:00Z", "--yes"]).await;
    assert_eq!(old.json()["signed_in_before"], "2026-01-01T00:00:00Z", "{old:?}");
    assert_eq!(ana.clone().session().await.status, 200, "a login after that time");
    let stored = row(&stack).await;
    for earlier in ["2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"] {
        let again = end_all(&stack, &["--before", earlier, "--yes"]).await;
        assert_eq!((again.code, &again.json()["changed"]), (0, &Value::Bool(false)), "{again:?}");
        assert!(again.err.contains("nothing was changed"), "{again:?}");
        assert_eq!(again.trail(), ["sessions-ended intended", "sessions-ended refused"]);
        assert_eq!(row(&stack).await, stored);
    }
    assert_eq!(end_all(&stack, &["--yes"]).await.json()["changed"], true);
}

#[tokio::test]
async fn a_broken_end_of_all_sessions_is_named_by_the_doctor_and_replaced_by_the_next_one() {
    let (stack, ana) = start().await;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let broken = [("pk", text("sessions")), ("sk", text("not-before")), ("not_before", text("soon"))];
    rows::put(&stack, broken.map(|(name, value)| (name.to_owned(), value)).into()).await;
    let found = accounts(&stack, &["doctor", "--data", "--json"]).await;
    assert!(found.code == 2 && found.out.contains("sessions not-before"), "{found:?}");
    assert!(found.out.contains("accounts sessions end-all"), "{found:?}");
    let shown = accounts(&stack, &["show", &ana.email]).await;
    assert!(shown.code == 1 && shown.err.contains("table.not-before"), "{shown:?}");
    assert_eq!(end_all(&stack, &["--yes"]).await.json()["changed"], true);
    assert_eq!(accounts(&stack, &["show", &ana.email]).await.code, 0);
    assert_eq!(ana.clone().session().await.status, 401);
}

#[tokio::test]
async fn an_end_of_all_sessions_that_the_table_refuses_is_reported_as_failed() {
    let (stack, ana) = start().await;
    stack.table.fail_call_of("PutItem", 0, Failure::Answer(400, "{}".to_owned()), true);
    let failed = end_all(&stack, &["--yes"]).await;
    assert_eq!((failed.code, failed.trail()[1].as_str()), (1, "sessions-ended failed"), "{failed:?}");
    stack.table.heal();
    assert_eq!((row(&stack).await, ana.clone().session().await.status), (None, 200));
}
