//! Parallel requests create an account once and delete it completely.

use journeys::sentences::{
    DELETED, EMAIL_TAKEN, LOGGED_IN, NO_SESSION, NO_SESSION_EMAIL, REGISTERED, WRONG_CREDENTIALS,
};
use journeys::{Answer, Embedded, PASSWORD, paths};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{CROWD, ROUNDS, at_once, model, of_profile, says, winner, winners};
use journeys::rows;
use journeys::sound::assert_sound;

/// The logins that run in parallel with deletions. Each computes a hash.
const LOGINS: usize = CROWD / 4;

#[tokio::test]
async fn one_of_many_simultaneous_registrations_of_an_address_succeeds() {
    let stack = Embedded::start(&[]).await;
    for _ in 0..ROUNDS {
        let ana = stack.service.visitor();
        let answers = at_once(async |index| {
            let name = format!("Ana {index}");
            ana.elsewhere().register_with(&[("nombre", &name)]).await
        });
        let winner = winner(&answers.await, REGISTERED, EMAIL_TAKEN);
        assert_eq!(of_profile(&stack, &ana, "name").await, format!("Ana {winner}"));
        assert_sound(&stack).await;
    }
    assert_eq!(stack.items("accounts").await.len(), ROUNDS + 1, "accounts, and the counter of ids");
}

#[tokio::test]
async fn simultaneous_first_logins_of_one_identity_create_one_account() {
    let stack = Embedded::start(&[]).await;
    for round in 1..=ROUNDS {
        let ana = stack.service.visitor();
        let document = json!({"credential": ana.credential(json!({})).await}).to_string();
        let logins = at_once(async |_| ana.elsewhere().json(paths::GOOGLE_LOGIN, document.clone()).await).await;
        let count = |status: &str| logins.iter().filter(|login| login.json()["status"] == status).count();
        assert_eq!((count("inserted"), count("exists")), (1, CROWD - 1), "{logins:?}");
        let id: Value = of_profile(&stack, &ana, "id").await.parse().unwrap();
        assert!(logins.iter().all(|login| login.user("id") == id), "{logins:?}");
        assert_eq!(rows::sessions(&stack, &ana.email).await.len(), CROWD);
        assert_sound(&stack).await;
        let rows = stack.items("accounts").await.len();
        assert_eq!(rows, round * (CROWD + 2) + 1, "accounts, identities and sessions, and the counter of ids");
    }
}

#[tokio::test]
async fn parallel_deletions_from_two_devices_leave_nothing_and_do_not_fail() {
    let (stack, model) = model().await;
    let before = stack.items("accounts").await.len();
    for _ in 0..ROUNDS {
        let ana = stack.service.visitor();
        rows::copy_account(&stack, &model, &ana).await;
        let devices = [rows::open_session(&stack, &ana).await, rows::open_session(&stack, &ana).await];
        let answers = at_once(async |index| devices[index % 2].clone().form(paths::DELETE_ACCOUNT, &[]).await);
        assert_ne!(winners(&answers.await, DELETED, NO_SESSION_EMAIL).len(), 0);
        assert_eq!(stack.items("accounts").await.len(), before);
    }
    let deletions = stack.log().iter().filter(|line| line.contains(r#""audit.event":"account-deleted""#)).count();
    assert_eq!(deletions, ROUNDS, "each account is deleted once");
}

#[tokio::test]
async fn no_session_of_simultaneous_logins_survives_a_deletion() {
    let (stack, model) = model().await;
    for round in 0..ROUNDS {
        let ana = stack.service.visitor();
        rows::copy_account(&stack, &model, &ana).await;
        let owner = rows::open_session(&stack, &ana).await;
        // The deletions start at different times during the logins.
        let (done, doing) = watch::channel(0);
        let answers = at_once(async |index| {
            if index < LOGINS {
                let mut device = ana.elsewhere();
                let login = device.login(PASSWORD).await;
                done.send_modify(|done| *done += 1);
                return (login, device);
            }
            let enough = doing.clone().wait_for(|done| *done >= round % LOGINS).await.map(|done| *done);
            assert!(enough.is_ok());
            (owner.clone().form(paths::DELETE_ACCOUNT, &[]).await, ana.elsewhere())
        });
        let mut answers = answers.await;
        let deletions: Vec<Answer> = answers.split_off(LOGINS).into_iter().map(|(answer, _)| answer).collect();
        assert_ne!(winners(&deletions, DELETED, NO_SESSION_EMAIL).len(), 0);
        let (logins, devices): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
        assert!(winners(&logins, LOGGED_IN, WRONG_CREDENTIALS).len() >= round % LOGINS);

        // A session row may be left, but nothing else of the account. For a later account of the address the row is not
        // a session.
        let (pk, all) = (rows::partition_key(&ana.email), stack.items("accounts").await);
        let left = all.iter().filter(|row| rows::text(row, "pk") == pk);
        assert!(left.clone().all(|row| rows::text(row, "sk").starts_with("session#")), "{left:?}");
        assert!(left.clone().all(|row| !rows::text(row, "expires_at").is_empty()), "{left:?}");
        let mut new_owner = ana.elsewhere();
        assert_eq!(new_owner.google(json!({})).await.json()["status"], "inserted");
        for mut device in devices {
            assert!(says(&device.session().await, NO_SESSION), "{round}");
        }
        assert_eq!(new_owner.session().await.status, 200);
    }
}
