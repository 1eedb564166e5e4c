//! Attacks by a change of address, and their limits in time and in mails.

use std::time::Duration;

use journeys::sentences::{
    CHANGE_SENT, EMAIL_CHANGED, INVALID_TOKEN, LOCKED, LOGGED_IN, TOO_MANY_MAILS, UNPROVED, WRONG_CREDENTIALS,
    assert_says,
};
use journeys::{Embedded, PASSWORD, Visitor, paths};

const NOTICE: &str = "El email de tu cuenta ha cambiado";

/// An account with a proved address, and a session.
async fn proved(stack: &Embedded) -> Visitor {
    let mut ana = stack.service.visitor().signed_in().await;
    let token = ana.verification_token().await;
    assert_eq!(ana.verify(&token).await.success(), true);
    ana
}

#[tokio::test]
async fn the_link_to_a_new_address_lives_a_day() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let new = ana.new_email();
    let token = ana.change_token(&new).await;
    stack.advance(Duration::from_hours(24) + Duration::from_secs(1));
    assert_says(&ana.elsewhere().confirm_email(&token).await, INVALID_TOKEN, "too late");
    ana.login(PASSWORD).await;
    let token = ana.change_token(&new).await;
    stack.advance(Duration::from_hours(24) - Duration::from_mins(1));
    assert_says(&ana.elsewhere().confirm_email(&token).await, EMAIL_CHANGED, "in time");
}

#[tokio::test]
async fn an_old_session_asks_for_no_change_until_it_confirms() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    stack.advance(Duration::from_secs(901));
    let new = ana.new_email();
    assert_says(&ana.change_email(&new).await, UNPROVED, "old");
    ana.confirm(PASSWORD).await;
    assert_says(&ana.change_email(&new).await, CHANGE_SENT, "proved");
}

#[tokio::test]
async fn after_seventy_two_hours_a_change_of_address_is_final() {
    let stack = Embedded::start(&[]).await;
    let ana = proved(&stack).await;
    let (left, new) = (ana.elsewhere(), ana.new_email());
    let mut ana = ana.moved_to(&new).await;
    assert!(stack.deliver_changes().await);
    let late = left.lock_tokens().await.swap_remove(0);
    stack.advance(Duration::from_hours(72) + Duration::from_secs(1));
    assert_says(&left.clone().lock(&late).await, INVALID_TOKEN, "the link to the old address");
    // A newer notice locks the account, and leaves its address.
    ana.login(PASSWORD).await;
    let lock = stack.lock_token(&ana).await;
    assert_says(&ana.elsewhere().lock(&lock).await, LOCKED, "locked");
    let token = ana.mailed_tokens().await.swap_remove(0);
    assert_eq!(ana.reset(&token, PASSWORD).await.success(), true);
    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "the new address");
    assert_says(&left.clone().login(PASSWORD).await, WRONG_CREDENTIALS, "the old address");
}

#[tokio::test]
async fn the_old_address_is_told_of_the_change_even_after_a_flood_of_notices() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "2")]).await;
    let mut thief = proved(&stack).await;
    for _ in 0..3 {
        assert_eq!(thief.form(paths::EXPORT_ACCOUNT, &[]).await.success(), true);
        thief.with_passkey().await;
    }
    let (left, new) = (thief.elsewhere(), thief.new_email());
    thief.moved_to(&new).await;
    assert!(stack.deliver_changes().await);
    let mails = stack.service.mails(&left.email).await;
    assert_eq!(mails.first().unwrap()["subject"], NOTICE, "{mails:?}");
    let lock = left.lock_tokens().await.swap_remove(0);
    assert_says(&left.clone().lock(&lock).await, LOCKED, "locked");
}

#[tokio::test]
async fn an_account_sends_links_to_new_addresses_and_an_address_gets_them_up_to_the_budget_of_a_day() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "2")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    for number in 0..2 {
        assert_says(&ana.change_email(&format!("victima-{number}@example.com")).await, CHANGE_SENT, number);
    }
    assert_says(&ana.change_email("victima-2@example.com").await, TOO_MANY_MAILS, "of the account");
    for wave in 0..2 {
        let mut eva = stack.service.visitor().signed_in().await;
        let said = if wave == 0 { CHANGE_SENT } else { TOO_MANY_MAILS };
        assert_says(&eva.change_email("victima-0@example.com").await, said, "to the address");
    }
    stack.advance(Duration::from_hours(25));
    ana.login(PASSWORD).await;
    assert_says(&ana.change_email("victima-2@example.com").await, CHANGE_SENT, "a day later");
}
