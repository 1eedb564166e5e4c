//! Letters while the mail service is down or refuses them.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use journeys::{Failure, Visitor, paths};
use serde_json::json;

use super::{PASSWORD_CHANGED, PASSWORD_REMOVED, subjects, subjects_after_delivery, with_notices_on};

async fn change_password(visitor: &mut Visitor, password: &str) {
    let fields = [("name", "Ana"), ("password", password), ("confirm_password", password)];
    assert_eq!(visitor.form(paths::USER_CONFIG, &fields).await.success(), true);
}

#[tokio::test]
async fn while_mail_is_down_a_sign_in_works_and_all_letters_arrive_afterwards_once() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    let eva = stack.service.visitor().registered().await;
    stack.mail.fail_always(Failure::Error);
    change_password(&mut ana, "Otra1234").await;
    assert_eq!(eva.elsewhere().google(json!({})).await.status, 200, "a link needs no mail");
    for _ in 0..3 {
        assert!(!stack.deliver_changes().await);
        stack.advance(Duration::from_mins(20));
    }
    assert_eq!(subjects(&ana).await, [""; 0]);
    stack.mail.heal();
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
    assert_eq!(subjects_after_delivery(&stack, &eva).await, [PASSWORD_REMOVED]);
    assert_eq!(stack.dead_letters().await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn a_permanently_refused_mail_blocks_no_other_and_goes_to_the_dead_letter_queue() {
    let stack = with_notices_on().await;
    let visitors: Vec<_> = stream::iter(0..3).then(|_| stack.service.visitor().signed_in()).collect().await;
    assert!(stack.deliver_changes().await);
    let [mut ana, mut eva, mut leo] = <[Visitor; 3]>::try_from(visitors).ok().unwrap();
    change_password(&mut ana, "Otra1234").await;
    let refusal = json!({"__type": "MessageRejected", "message": "Address is on the list of ana@example.com"});
    stack.mail.fail_always(Failure::Answer(400, refusal.to_string()));
    assert!(stack.deliver_changes().await, "it is not delivered again");
    stack.mail.heal();
    for visitor in [&mut eva, &mut leo] {
        change_password(visitor, "Otra1234").await;
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
    change_password(&mut ana, "Otra1234").await;
    ana.elsewhere().google(json!({})).await;
    let mut owner = ana.elsewhere();
    owner.google(json!({})).await;
    owner.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_eq!(stack.mail.calls(), [""; 0]);
    assert!(stack.deliver_changes().await);
    assert!(!stack.mail.calls().is_empty());
}
