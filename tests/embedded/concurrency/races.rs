//! Races with a fixed order: a write is delayed, and reaches the table after a conflicting change.

use std::time::Duration;

use journeys::sentences::{NO_SESSION, owned_sentence};
use journeys::sound::assert_sound;
use journeys::{Answer, Embedded, Failure, PASSWORD, Visitor, paths, rows};

/// Delays the call of `slow` that comes after `after` others, runs `meanwhile`, and waits until the delayed call has
/// arrived.
pub(crate) async fn held_up<T>(
    stack: &Embedded,
    after: usize,
    slow: impl Future<Output = Answer>,
    meanwhile: impl Future<Output = T>,
) -> Answer {
    drop(stack.table.calls());
    stack.table.fail_call(after, Failure::Delay);
    let conflicting = async {
        let mut seen = 0;
        while seen <= after {
            seen += stack.table.calls().len();
            tokio::task::yield_now().await;
        }
        meanwhile.await
    };
    let (answer, _) = tokio::join!(slow, conflicting);
    while stack.table.late() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    answer
}

async fn signed_in() -> (Embedded, Visitor) {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    (stack, ana)
}

#[tokio::test]
async fn a_stolen_session_cannot_change_the_password_after_a_reset() {
    let (stack, mut ana) = signed_in().await;
    let (token, mut thief) = (ana.reset_token().await, ana.clone());
    let fields = [("name", "Eva"), ("password", "Robada123"), ("confirm_password", "Robada123")];
    let theft = thief.form(paths::USER_CONFIG, &fields);
    let answer = held_up(&stack, 1, theft, ana.reset(&token, "Otra1234")).await;
    assert_eq!(answer.sentence(), owned_sentence(NO_SESSION));
    assert_eq!(thief.session().await.sentence(), owned_sentence(NO_SESSION));
    assert_eq!(ana.elsewhere().login("Robada123").await.success(), false);
    assert_eq!(ana.login("Otra1234").await.success(), true);
    assert_eq!(ana.session().await.user("name"), "Ana García");
}

#[tokio::test]
async fn recording_a_use_after_the_logout_does_not_revive_the_session() {
    let (stack, mut ana) = signed_in().await;
    stack.advance(Duration::from_mins(11));
    let mut slow = ana.clone();
    let answer = held_up(&stack, 1, slow.session(), ana.form(paths::LOGOUT, &[])).await;
    assert_eq!(answer.sentence(), owned_sentence(NO_SESSION));
    assert!(rows::sessions(&stack, &ana.email).await.is_empty());
}

#[tokio::test]
async fn a_late_deletion_does_not_delete_a_new_account_of_the_address() {
    // After it has read its session, and after it has also read the account.
    for calls in [1, 2] {
        let (stack, ana) = signed_in().await;
        let (mut new_owner, mut slow) = (ana.elsewhere(), ana.clone());
        let meanwhile = async {
            ana.clone().form(paths::DELETE_ACCOUNT, &[]).await;
            new_owner.register().await;
            new_owner.login(PASSWORD).await
        };
        let answer = held_up(&stack, calls, slow.form(paths::DELETE_ACCOUNT, &[]), meanwhile).await;
        assert_eq!(answer.status, 200);
        assert_eq!(new_owner.session().await.status, 200);
        assert_sound(&stack).await;
    }
}
