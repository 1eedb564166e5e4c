//! The events that other services of the product get.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, stream};
use journeys::events::{Known, known_after};
use journeys::{Embedded, Failure, PASSWORD, paths, rows};
use serde_json::{Value, json};

use super::{PASSWORD_CHANGED, subjects, subjects_after_delivery};

/// Delivers all changes, and returns the kinds of the events since the last time, in their order.
async fn published(stack: &Embedded, seen: &mut usize) -> Vec<String> {
    assert!(stack.deliver_changes().await, "{:?}", stack.log().last());
    let events = stack.events().await;
    drop(known_after(&events));
    let new = events[*seen..].iter().map(|event| event["detail-type"].as_str().unwrap().to_owned()).collect();
    *seen = events.len();
    new
}

#[tokio::test]
async fn every_change_that_a_product_must_know_is_published_and_nothing_else() {
    let (stack, mut ana) = Embedded::signed_in(&[("CONFIRM_SECONDS", "0")]).await;
    let mut seen = 0;
    assert_eq!(published(&stack, &mut seen).await, ["AccountRegistered"]);
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Otro nombre")]).await.success(), true);
    ana.exported_elsewhere().await;
    assert_eq!(ana.json(paths::RECEIVE_DATA, "{}").await.success(), true);
    assert_eq!(published(&stack, &mut seen).await, [""; 0], "a name, logins, an export and entries");
    drop(ana.with_passkey().await);
    assert_eq!(published(&stack, &mut seen).await, ["PasskeyAdded"]);
    let passkey = ana.first_passkey().await;
    assert_eq!(ana.delete_passkey(&passkey).await.success(), true);
    assert_eq!(published(&stack, &mut seen).await, ["PasskeyRemoved"]);
    ana.reset_to("Otra1234").await;
    assert_eq!(published(&stack, &mut seen).await, ["EmailVerified", "PasswordChanged"]);
    assert_eq!(ana.login("Otra1234").await.success(), true);
    let now = AttributeValue::N(stack.now().seconds().to_string());
    for (disabled_at, kind) in [(Some(now), "AccountDisabled"), (None, "AccountEnabled")] {
        let profile = rows::profile(&stack, &ana.email).await.unwrap();
        rows::put(&stack, rows::with(&profile, "disabled_at", disabled_at)).await;
        assert_eq!(published(&stack, &mut seen).await, [kind]);
    }
    let (old_email, new_email) = (ana.email.clone(), ana.new_email());
    let mut ana = ana.moved_to(&new_email).await;
    assert_eq!(published(&stack, &mut seen).await, ["EmailChanged", "EmailVerified"]);
    drop(ana.with_passkey().await);
    drop(published(&stack, &mut seen).await);
    let lock = ana.lock_tokens().await.swap_remove(0);
    assert_eq!(ana.lock(&lock).await.success(), true);
    let locked = published(&stack, &mut seen).await;
    let expected = ["EmailChanged", "EmailVerified", "PasswordChanged", "PasskeyRemoved", "AccountLocked"];
    assert_eq!(locked, expected, "the address of before is back");
    ana.email = old_email;
    ana.reset_to(PASSWORD).await;
    assert_eq!(published(&stack, &mut seen).await, ["PasswordChanged"]);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert_eq!(published(&stack, &mut seen).await, ["AccountDeleted"]);
    let known = known_after(&stack.events().await);
    assert!(known.is_empty(), "{known:?}");
}

#[tokio::test]
async fn an_event_has_the_id_of_the_account_and_the_time_of_the_change_and_no_personal_data() {
    let stack = Embedded::start(&[]).await;
    let mut eva = stack.service.visitor();
    let user = eva.google(json!({})).await.json();
    assert!(stack.deliver_changes().await);
    let events = stack.events().await;
    let id = user["user"]["id"].as_u64().unwrap();
    let expected = Known { is_verified: true, is_disabled: false };
    assert_eq!(known_after(&events).into_iter().collect::<Vec<_>>(), [(id, expected)]);
    for event in &events {
        assert_eq!(event["time"], event["detail"]["at"], "{event}");
        let text = event.to_string();
        assert!(!text.contains(&eva.email) && !text.contains('@') && !text.contains("Ana"), "{event}");
    }
}

#[tokio::test]
async fn a_bus_that_is_down_holds_up_no_letter_and_its_events_arrive_afterwards() {
    let stack = Embedded::start(&[]).await;
    let failures = [Failure::Error, Failure::Throttle, Failure::DropBefore, Failure::DropAfter];
    let visitors: Vec<_> =
        stream::iter(0..failures.len()).then(|_| stack.service.visitor().signed_in()).collect().await;
    assert!(stack.deliver_changes().await);
    let before = stack.events().await.len();
    for (failure, visitor) in failures.into_iter().zip(&visitors) {
        stack.bus.fail_always(failure);
        assert_eq!(visitor.clone().set_password("Otra1234").await.success(), true);
        assert!(!stack.deliver_changes().await, "the events are not published");
        assert_eq!(subjects(visitor).await, [PASSWORD_CHANGED], "the letter does not wait for the bus");
        assert!(stack.log().last().unwrap().contains(r#""letters":1"#), "{:?}", stack.log().last());
        stack.bus.heal();
    }
    for visitor in &visitors {
        assert_eq!(subjects_after_delivery(&stack, visitor).await, [PASSWORD_CHANGED], "none is sent twice");
    }
    let events = stack.events().await;
    let mut ids: Vec<_> = events[before..].iter().map(|event| event["detail"]["id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), visitors.len(), "each change has one id, also if it was published twice: {events:?}");
    assert_eq!(stack.dead_letters().await, Vec::<Value>::new());
}

#[tokio::test]
async fn while_mail_is_down_a_repeated_event_keeps_its_id() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    assert!(stack.deliver_changes().await);
    let before = stack.events().await.len();
    stack.mail.fail_always(Failure::Error);
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    for _ in 0..2 {
        assert!(!stack.deliver_changes().await);
    }
    let events = stack.events().await;
    assert_eq!(events.len(), before + 2, "published at each delivery");
    assert_eq!(events[before]["detail"], events[before + 1]["detail"]);
}

#[tokio::test]
async fn events_that_the_bus_refuses_for_fifteen_minutes_go_to_the_dead_letter_queue() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    assert!(stack.deliver_changes().await);
    assert_eq!(ana.set_password("Otra1234").await.success(), true);
    let refused = json!({"FailedEntryCount": 1, "Entries": [{"ErrorCode": "NotAuthorizedForSourceException", "ErrorMessage": "no"}]});
    stack.bus.fail_always(Failure::Answer(200, refused.to_string()));
    assert!(!stack.deliver_changes().await, "it is delivered again");
    stack.advance(Duration::from_mins(16));
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
    let dead = stack.dead_letters().await;
    assert_eq!(dead.len(), 1, "{dead:?}");
    let cause = json!(["events.PutEvents", "NotAuthorizedForSourceException"]);
    assert_eq!(json!([dead[0]["operation"], dead[0]["cause"]]), cause);
    assert_eq!(dead[0]["events"][0]["detail-type"], "PasswordChanged");
    assert_eq!(dead[0]["events"][0]["detail"]["version"], 1);
}

#[tokio::test]
async fn without_a_bus_nothing_is_published() {
    let (stack, _ana) = Embedded::signed_in(&[("EVENT_BUS", "")]).await;
    assert!(stack.deliver_changes().await);
    assert_eq!(stack.events().await, Vec::<Value>::new());
    assert_eq!(stack.bus.calls(), [""; 0]);
}
