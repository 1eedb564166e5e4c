//! Letters while the mail service is down or refuses them, and batches of records as Lambda delivers them, including broken
//! ones.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use journeys::{Embedded, Failure, Visitor, paths, rows};
use notices::Notices;
use serde_json::{Value, json};
use shared::log::Invocation;
use shared::stream::Batches;

use super::{PASSWORD_CHANGED, PASSWORD_REMOVED, subjects, subjects_after_delivery, with_notices_on};

#[tokio::test]
async fn while_mail_is_down_a_sign_in_works_and_all_letters_arrive_afterwards_once() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    let eva = stack.service.visitor().registered().await;
    stack.mail.fail_always(Failure::Error);
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    assert_eq!(eva.elsewhere().google(json!({})).await.status, 200, "a link needs no mail");
    for _ in 0..3 {
        assert!(!stack.deliver_changes().await);
        stack.advance(Duration::from_mins(20));
    }
    assert_eq!(subjects(&ana).await, [""; 0]);
    stack.mail.heal();
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
    assert_eq!(subjects_after_delivery(&stack, &eva).await, [PASSWORD_REMOVED]);
    assert_eq!(stack.dead_letters().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_permanently_refused_mail_blocks_no_other_and_goes_to_the_dead_letter_queue() {
    let stack = with_notices_on().await;
    let visitors: Vec<_> = stream::iter(0..3).then(|_| stack.service.visitor().signed_in()).collect().await;
    assert!(stack.deliver_changes().await);
    let [mut ana, mut eva, mut leo] = <[Visitor; 3]>::try_from(visitors).ok().unwrap();
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    let refusal = json!({"__type": "MessageRejected", "message": "Address is on the list of ana@example.com"});
    stack.mail.fail_always(Failure::Answer(400, refusal.to_string()));
    assert!(stack.deliver_changes().await, "it is not delivered again");
    stack.mail.heal();
    for visitor in [&mut eva, &mut leo] {
        assert_eq!(visitor.set_password("Otra1234").await.success(), true);
    }
    assert_eq!(subjects_after_delivery(&stack, &eva).await, [PASSWORD_CHANGED]);
    assert_eq!(subjects_after_delivery(&stack, &leo).await, [PASSWORD_CHANGED]);
    assert_eq!(subjects(&ana).await, [""; 0]);
    let dead = stack.dead_letters().await;
    assert_eq!(dead.len(), 1, "{dead:?}");
    assert_eq!((&dead[0]["operation"], &dead[0]["cause"]), (&json!("mail.SendEmail"), &json!("MessageRejected")));
    assert!(!dead[0].to_string().contains('@'), "no address: {dead:?}");
    let lines = stack.log();
    let line = lines.iter().rfind(|line| line.contains(r#""dead_letters":1"#)).unwrap();
    assert!(line.contains(r#""function":"notices""#) && line.contains("MessageRejected"), "{line}");
}

#[tokio::test]
async fn a_login_and_a_change_make_no_call_to_the_mail_service() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    ana.elsewhere().google(json!({})).await;
    let mut owner = ana.elsewhere();
    owner.google(json!({})).await;
    owner.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_eq!(stack.mail.calls(), [""; 0]);
    assert!(stack.deliver_changes().await);
    assert!(!stack.mail.calls().is_empty());
}

/// A stack, a visitor who has changed the password, a listener that the test calls with batches, and the record of the
/// change.
async fn changed() -> (Embedded, Visitor, Batches<Notices>, Value) {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let before = rows::to_json(&rows::profile(&stack, &ana.email).await.unwrap());
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    let after = rows::to_json(&rows::profile(&stack, &ana.email).await.unwrap());
    let batches = Batches::<Notices>::start(&stack.setup(&[])).unwrap();
    let record = json!({
        "eventID": "1",
        "eventName": "MODIFY",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_700_000_000.5,
            "Keys": {"pk": after["pk"], "sk": after["sk"]},
            "NewImage": after,
            "OldImage": before,
            "SequenceNumber": "100",
        },
    });
    (stack, ana, batches, record)
}

async fn handle(batches: &Batches<Notices>, records: &[Value]) -> Value {
    let response = batches.handle(&json!({"Records": records}).to_string(), &Invocation::default()).await;
    serde_json::to_value(response.unwrap()).unwrap()
}

fn none_failed() -> Value {
    json!({"batchItemFailures": []})
}

#[tokio::test]
async fn a_record_that_is_delivered_again_sends_no_second_letter() {
    let (_stack, ana, batches, record) = changed().await;
    for _ in 0..3 {
        assert_eq!(handle(&batches, std::slice::from_ref(&record)).await, none_failed());
    }
    assert_eq!(subjects(&ana).await, [PASSWORD_CHANGED]);
}

#[tokio::test]
async fn a_broken_record_goes_to_the_dead_letter_queue_and_the_others_are_handled() {
    let (stack, ana, batches, record) = changed().await;
    let mut odd = record.clone();
    odd["eventID"] = json!("3");
    odd["dynamodb"]["NewImage"]["generation"] = json!({"S": "many"});
    let nobodys = json!({"eventID": "4", "dynamodb": {"Keys": {"pk": {"S": "erasure#x"}, "sk": {"S": "erasure"}}}});
    let broken = [json!({}), json!([1]), json!("text"), json!(null), odd, nobodys];
    let batch: Vec<Value> = broken.iter().cloned().chain([record]).collect();
    assert_eq!(handle(&batches, &batch).await, none_failed());
    assert_eq!(subjects(&ana).await, [PASSWORD_CHANGED]);
    let dead = stack.dead_letters().await;
    assert_eq!(dead.len(), broken.len(), "{dead:?}");
    assert!(!json!(dead).to_string().contains('@'), "no address: {dead:?}");
    let account = rows::partition_key(&ana.email);
    assert_eq!(dead.iter().filter(|letter| letter["account_key"] == account).count(), 1);
}

#[tokio::test]
async fn an_event_that_is_not_a_batch_fails() {
    let (_stack, _ana, batches, _record) = changed().await;
    for event in ["", "{}", "[]", "null", r#"{"Records":{}}"#] {
        assert!(batches.handle(event, &Invocation::default()).await.is_err(), "{event}");
    }
    assert_eq!(handle(&batches, &[]).await, none_failed());
}

#[tokio::test]
async fn a_record_that_cannot_be_put_into_the_dead_letter_queue_is_delivered_again() {
    let (stack, _ana, _batches, _record) = changed().await;
    let settings = [("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:9")];
    let batches = Batches::<Notices>::start(&stack.setup(&settings)).unwrap();
    let broken = json!({"dynamodb": {"SequenceNumber": "7"}});
    assert_eq!(handle(&batches, &[broken]).await, json!({"batchItemFailures": [{"itemIdentifier": "7"}]}));
}
