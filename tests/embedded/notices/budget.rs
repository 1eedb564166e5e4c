//! The mails that an address gets: nobody can fill somebody's inbox, hide a notice among others, or hold up another's.

use std::time::Duration;

use journeys::sentences::{LINK_SENT, RESET, assert_says};
use journeys::{Embedded, PASSWORD, paths};

use super::subjects_after_delivery;

const JOINED: &str = "Tu cuenta ha cambiado muchas veces";

async fn proved(stack: &Embedded) -> journeys::Visitor {
    let mut ana = stack.service.visitor().signed_in().await;
    ana.reset_to(PASSWORD).await;
    ana.login(PASSWORD).await;
    ana
}

#[tokio::test]
async fn above_the_budget_of_a_day_notices_are_joined_into_one_an_hour_and_none_is_lost() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "3")]).await;
    let mut ana = proved(&stack).await;
    for _ in 0..2 {
        assert_eq!(ana.set_password(PASSWORD).await.success(), true);
    }
    assert_eq!(subjects_after_delivery(&stack, &ana).await.len(), 3);
    for _ in 0..4 {
        assert_eq!(ana.set_password(PASSWORD).await.success(), true);
    }
    let subjects = subjects_after_delivery(&stack, &ana).await;
    assert_eq!(subjects.iter().filter(|subject| *subject == JOINED).count(), 1, "{subjects:?}");
    assert_eq!(subjects.len(), 4);
    ana.with_passkey().await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await.len(), 4, "within the hour");
    stack.advance(Duration::from_secs(3601));
    ana.login(PASSWORD).await;
    assert_eq!(ana.set_password(PASSWORD).await.success(), true);
    let subjects = subjects_after_delivery(&stack, &ana).await;
    assert_eq!((subjects.len(), subjects.last().map(String::as_str)), (5, Some(JOINED)), "{subjects:?}");
    let letter = super::newest(&ana).await;
    for said in ["ha cambiado la contraseña", "se ha guardado una llave de acceso", "/no-fui-yo?token="] {
        assert!(letter["text"].as_str().unwrap().contains(said), "{letter}");
    }
    stack.advance(Duration::from_hours(25));
    ana.login(PASSWORD).await;
    assert_eq!(ana.set_password(PASSWORD).await.success(), true);
    assert_eq!(subjects_after_delivery(&stack, &ana).await.last().unwrap(), "Tu contraseña ha cambiado", "a day later");
}

#[tokio::test]
async fn an_address_that_nobody_has_proved_gets_one_notice_of_each_kind_whatever_is_registered_and_deleted() {
    let stack = Embedded::start(&[("VERIFY_EMAIL", "on"), ("MAILS_PER_DAY", "2")]).await;
    let mut stranger = stack.service.visitor();
    for _ in 0..4 {
        assert_eq!(stranger.register().await.success(), true);
        stranger.login(PASSWORD).await;
        assert_eq!(stranger.set_password(PASSWORD).await.success(), true);
        assert_says(&stranger.ask_for_reset().await, LINK_SENT, "");
        assert_eq!(stranger.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
        assert!(stack.deliver_changes().await);
    }
    let mut subjects = subjects_after_delivery(&stack, &stranger).await;
    subjects.sort();
    let kinds = subjects.chunk_by(PartialEq::eq).map(|same| (same[0].clone(), same.len())).collect::<Vec<_>>();
    let most = |kind: &str| if kind.starts_with("Tu c") { 1 } else { 4 };
    assert!(kinds.iter().all(|(kind, count)| *count <= most(kind)), "{kinds:?}");
    assert!(subjects.iter().any(|subject| subject == "Tu cuenta se ha eliminado"), "{kinds:?}");
}

#[tokio::test]
async fn a_reset_link_that_was_mailed_is_live_or_a_new_one_goes_out_whatever_a_stranger_has_requested() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "2"), ("RESET_COOLDOWN_SECONDS", "86400")]).await;
    let ana = proved(&stack).await;
    let mut stranger = ana.elsewhere();
    let request = async |stranger: &mut journeys::Visitor| {
        assert_says(&stranger.ask_for_reset().await, LINK_SENT, "");
    };
    for _ in 0..6 {
        request(&mut stranger).await;
    }
    for _ in 0..3 {
        let mails = ana.mailed_tokens().await.len();
        stack.advance(Duration::from_mins(30));
        request(&mut stranger).await;
        assert_eq!(ana.mailed_tokens().await.len(), mails + 1, "the last link has expired");
        request(&mut stranger).await;
        assert_eq!(ana.mailed_tokens().await.len(), mails + 1, "the last link is live");
    }
    let mut owner = ana.elsewhere();
    let token = owner.newest_token().await;
    assert_says(&owner.reset(&token, "Otra1234").await, RESET, "the owner");
}

#[tokio::test]
async fn a_flood_of_changes_of_one_account_delays_neither_a_reset_nor_a_notice_of_another() {
    let stack = Embedded::start(&[]).await;
    let (mut flooder, mut owner) = (proved(&stack).await, proved(&stack).await);
    assert!(stack.deliver_changes().await);
    let before = stack.service.mails(&flooder.email).await.len();
    for number in 0..1000 {
        if number == 500 {
            assert_eq!(owner.set_password(PASSWORD).await.success(), true);
        }
        flooder.form(paths::CLOSE_SESSION, &[("others", "on")]).await;
        if number % 2 == 0 {
            assert_eq!(flooder.set_password(PASSWORD).await.success(), true);
        }
    }
    let delivery = async { assert!(stack.deliver_changes().await) };
    let reset = async {
        let token = owner.elsewhere().reset_token().await;
        assert!(!token.is_empty());
    };
    let ((), waited) = tokio::join!(delivery, tokio::time::timeout(Duration::from_secs(5), reset));
    assert!(waited.is_ok(), "the reset link took more than five seconds");
    let told = subjects_after_delivery(&stack, &owner).await;
    assert!(told.iter().any(|subject| subject == "Tu contraseña ha cambiado"), "{told:?}");
    assert!(stack.service.mails(&flooder.email).await.len() - before <= 21, "the budget and one joined notice");
}
