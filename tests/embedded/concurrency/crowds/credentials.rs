//! Parallel changes of a password: the first wins, and everything that depends on the old password ends.

use journeys::sentences::{CONFIGURED, INVALID_TOKEN, LOGGED_IN, NO_SESSION, RESET};
use journeys::{Answer, Embedded, Item, Visitor, paths};
use tokio::sync::watch;

use super::{ROUNDS, at_once, model, of_profile, password, says, winner, winners};
use journeys::rows;
use journeys::sound::assert_sound;

/// Changes name and password from a session.
async fn change(device: &Visitor, name: &str, password: &str) -> Answer {
    let fields = [("name", name), ("password", password), ("confirm_password", password)];
    device.clone().form(paths::USER_CONFIG, &fields).await
}

/// Asserts that the password was changed once: it is this one, and the old sessions have ended.
async fn assert_once(stack: &Embedded, old: &[&Visitor], password: &str, model: &Item) {
    let [ana, ..] = old else { panic!("nobody") };
    let generation: u64 = rows::text(model, "generation").parse().unwrap();
    assert_eq!(of_profile(stack, ana, "generation").await, (generation + 1).to_string());
    assert!(says(&ana.elsewhere().login(password).await, LOGGED_IN));
    for device in old {
        assert!(says(&(*device).clone().session().await, NO_SESSION));
    }
    assert_sound(stack).await;
}

#[tokio::test]
async fn one_of_many_simultaneous_resets_with_one_token_succeeds() {
    let (stack, model) = model().await;
    for _ in 0..ROUNDS {
        let ana = stack.service.visitor();
        rows::copy_account(&stack, &model, &ana).await;
        let (ana, token) = (rows::open_session(&stack, &ana).await, rows::reset_token(&stack, &ana).await);
        let answers = at_once(async |index| ana.elsewhere().reset(&token, &password(index)).await).await;
        let winner = winner(&answers, RESET, INVALID_TOKEN);
        assert_once(&stack, &[&ana], &password(winner), &model).await;
    }
}

#[tokio::test]
async fn a_reset_during_simultaneous_password_changes_leaves_one_password_and_no_old_session() {
    let (stack, model) = model().await;
    for _ in 0..ROUNDS {
        let ana = stack.service.visitor();
        rows::copy_account(&stack, &model, &ana).await;
        let (thief, token) = (rows::open_session(&stack, &ana).await, rows::reset_token(&stack, &ana).await);
        // Resets and password changes take equally long. The requests that change only the name are sent as soon as
        // the first reset or password change writes to the table.
        drop(stack.table.calls());
        let (gate, opening) = watch::channel(false);
        let answers = at_once(async |index| match index % 8 {
            0 => ana.elsewhere().reset(&token, &password(index)).await,
            1 => change(&thief, "Eva", &password(index)).await,
            _ => {
                assert!(opening.clone().wait_for(|is_open| *is_open).await.is_ok());
                thief.clone().form(paths::USER_CONFIG, &[("name", "Eva")]).await
            }
        });
        let first = async {
            while stack.table.calls().iter().all(|call| call == "BatchGetItem") {
                tokio::task::yield_now().await;
            }
            gate.send_replace(true);
        };
        let (answers, ()) = tokio::join!(answers, first);
        let of = |kind: usize| answers.iter().skip(kind).step_by(8).cloned().collect::<Vec<_>>();
        let resets = winners(&of(0), RESET, INVALID_TOKEN).into_iter().map(|index| index * 8);
        let changes = winners(&of(1), CONFIGURED, NO_SESSION).into_iter().map(|index| index * 8 + 1);
        let [winner] = resets.chain(changes).collect::<Vec<_>>()[..] else { panic!("not one: {answers:?}") };
        winners(&(2..8).flat_map(of).collect::<Vec<_>>(), CONFIGURED, NO_SESSION);
        assert_once(&stack, &[&thief], &password(winner), &model).await;
    }
}

#[tokio::test]
async fn only_one_of_many_simultaneous_password_changes_leaves_a_session() {
    let (stack, model) = model().await;
    for _ in 0..ROUNDS {
        let ana = stack.service.visitor();
        rows::copy_account(&stack, &model, &ana).await;
        let (owner, thief) = (rows::open_session(&stack, &ana).await, rows::open_session(&stack, &ana).await);
        let answers = at_once(async |index| match index % 8 {
            0 => change(&owner, "Ana", &password(index)).await,
            1 => change(&thief, "Eva", &password(index)).await,
            _ => thief.clone().form(paths::USER_CONFIG, &[("name", "Eva")]).await,
        });
        let answers = answers.await;
        let won = winners(&answers, CONFIGURED, NO_SESSION);
        let [winner] = won.into_iter().filter(|index| index % 8 < 2).collect::<Vec<_>>()[..] else {
            panic!("not one: {answers:?}")
        };
        assert_once(&stack, &[&owner, &thief], &password(winner), &model).await;
        // Only the winner has a live session.
        let mut live = owner.clone();
        live.cookie = answers[winner].opened();
        assert_eq!(live.session().await.user("name"), if winner % 8 == 0 { "Ana" } else { "Eva" });
        assert_eq!(answers.iter().filter(|answer| answer.opened().is_some()).count(), 1);
    }
}
