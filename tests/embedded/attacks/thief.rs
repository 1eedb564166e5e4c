//! Somebody was in the account once: with a stolen session, which makes a passkey, whose login makes a session, and so
//! on without a pause. The owner has the mailbox alone, and must win with one step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use journeys::authenticator::{Algorithm, Authenticator};
use journeys::sentences::{
    CONFIRMED, INVALID_PASSKEY, INVALID_TOKEN, LOCKED, LOGGED_IN, RESET, UNPROVED, WRONG_CREDENTIALS, assert_says,
};
use journeys::{Embedded, FRONT_END, PASSWORD, Visitor, paths};
use serde_json::json;

const OTHER: &str = "Otra1234";
/// The remedies of the owner.
const REMEDIES: [&str; 3] = ["lock", "reset with the passkeys removed", "first proof"];

/// A thief who has a session and no mailbox.
struct Thief {
    visitor: Visitor,
    passkeys: Vec<Authenticator>,
}

impl Thief {
    /// Makes a passkey of a session and a session of each passkey, until told to stop. Nothing that is refused ends it.
    async fn go_on(mut self, stop: Arc<AtomicBool>, rounds: Arc<AtomicUsize>) -> Self {
        while !stop.load(Ordering::SeqCst) {
            let mut authenticator = Authenticator::new(Algorithm::EdDsa, FRONT_END);
            let options = self.visitor.form(paths::PASSKEY_REGISTER_OPTIONS, &[]).await;
            if options.success() == true {
                let created = authenticator.create(&options.json()).json();
                if self.visitor.register_passkey(&created).await.success() == true {
                    self.passkeys.push(authenticator);
                }
            }
            for passkey in self.passkeys.iter_mut().rev().take(2) {
                self.visitor.passkey_login(passkey).await;
            }
            rounds.fetch_add(1, Ordering::SeqCst);
        }
        self
    }

    /// Asserts that nothing that the thief has opens the account.
    async fn assert_out(&mut self, remedy: &str) {
        assert_eq!(self.visitor.session().await.status, 401, "{remedy}: a session");
        for passkey in &mut self.passkeys {
            let login = self.visitor.elsewhere().passkey_login(passkey).await;
            assert_says(&login, INVALID_PASSKEY, remedy);
        }
        assert_says(&self.visitor.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, remedy);
    }
}

#[tokio::test]
async fn after_one_step_of_the_owner_nothing_that_a_thief_made_without_a_pause_opens_the_account() {
    for remedy in REMEDIES {
        let (stack, mut owner) = Embedded::signed_in(&[]).await;
        if remedy != "first proof" {
            owner.prove_address().await;
        }
        let (lock, reset) = (stack.lock_token(&owner).await, owner.reset_token().await);
        let (stop, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let thieves: Vec<_> = (0..2)
            .map(|_| {
                let thief = Thief { visitor: owner.clone(), passkeys: Vec::new() };
                tokio::spawn(thief.go_on(Arc::clone(&stop), Arc::clone(&rounds)))
            })
            .collect();
        let until = async |count| {
            while rounds.load(Ordering::SeqCst) < count {
                assert!(thieves.iter().all(|thief| !thief.is_finished()), "{remedy}: a thief has given up");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        until(4).await;
        let mut home = owner.elsewhere();
        match remedy {
            "lock" => assert_says(&home.lock(&lock).await, LOCKED, remedy),
            "first proof" => assert_says(&home.reset(&reset, OTHER).await, RESET, remedy),
            _ => assert_says(&home.reset_with(&reset, OTHER, "remove").await, RESET, remedy),
        }
        until(rounds.load(Ordering::SeqCst) + 6).await;
        stop.store(true, Ordering::SeqCst);
        let mut made = 0;
        for thief in thieves {
            let mut thief = thief.await.unwrap();
            made += thief.passkeys.len();
            thief.assert_out(remedy).await;
        }
        assert!(made > 0, "{remedy}: the thief never had a passkey");
        if remedy == "lock" {
            let token = home.newest_token().await;
            assert_says(&home.reset(&token, OTHER).await, RESET, remedy);
        }
        assert_says(&home.login(OTHER).await, LOGGED_IN, remedy);
        assert_eq!(home.passkeys().await.len(), 0, "{remedy}");
        journeys::sound::assert_sound(&stack).await;
    }
}

#[tokio::test]
async fn an_old_session_makes_no_credential_ends_no_other_session_and_exports_nothing_until_it_confirms() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.with_passkey().await;
    let id = ana.first_passkey().await;
    let mut phone = ana.on_another_device().await;
    let other = ana.other_sessions().await.swap_remove(0);
    let options = ana.form(paths::PASSKEY_REGISTER_OPTIONS, &[]).await.json();
    let mut more = ana.authenticator(Algorithm::Es256).await;
    let created = more.create(&options).json();
    stack.advance(Duration::from_secs(901));
    let mut thief = ana.clone();
    assert_says(&thief.form(paths::PASSKEY_REGISTER_OPTIONS, &[]).await, UNPROVED, "options");
    assert_says(&thief.register_passkey(&created).await, UNPROVED, "registration");
    assert_says(&thief.delete_passkey(&id).await, UNPROVED, "removal");
    assert_says(&thief.form(paths::CLOSE_SESSION, &[("others", "on")]).await, UNPROVED, "all sessions");
    assert_says(&thief.form(paths::CLOSE_SESSION, &[("id", &other)]).await, UNPROVED, "one session");
    assert_says(&thief.form(paths::EXPORT_ACCOUNT, &[]).await, UNPROVED, "export");
    assert_says(&thief.change_email(&thief.new_email()).await, UNPROVED, "change of address");
    assert_eq!((phone.session().await.status, ana.passkeys().await.len()), (200, 1));
    assert!(stack.log().iter().any(|line| line.contains("\"audit.event\":\"proof-required\"")));

    // The proof is the session's own, and neither the use of the session nor another session's proof renews it.
    assert_says(&phone.confirm(PASSWORD).await, CONFIRMED, "another session");
    assert_says(&thief.form(paths::EXPORT_ACCOUNT, &[]).await, UNPROVED, "export");
    let answer = authenticator.get(&ana.passkey_login_options().await);
    let body = json!({"credential": authenticator.sign(&answer)}).to_string();
    assert_says(&ana.json(paths::CONFIRM, body).await, CONFIRMED, "with a passkey");
    assert_eq!(ana.form(paths::EXPORT_ACCOUNT, &[]).await.success(), true);
    stack.advance(Duration::from_mins(10));
    let closed = ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await;
    assert_eq!(closed.success(), true);
    stack.advance(Duration::from_secs(301));
    let export = ana.form(paths::EXPORT_ACCOUNT, &[]).await;
    assert_says(&export, UNPROVED, "a session that replaces another is no proof");
}

#[tokio::test]
async fn the_interface_asks_for_a_proof_only_if_a_setting_says_so_and_never_if_proofs_are_off() {
    let password = [("name", "Ana"), ("password", OTHER), ("confirm_password", OTHER)];
    for (settings, refused) in [
        (&[][..], false),
        (&[("CONFIRM_INTERFACE", "on")], true),
        (&[("CONFIRM_INTERFACE", "on"), ("CONFIRM_SECONDS", "0")], false),
    ] {
        let (stack, mut ana) = Embedded::signed_in(settings).await;
        stack.advance(Duration::from_hours(1));
        let name = ana.form(paths::USER_CONFIG, &[("name", "Ana")]).await;
        assert_eq!(name.success(), true, "{settings:?}: no password");
        let old = ana.clone();
        for (path, form) in [(paths::USER_CONFIG, &password[..]), (paths::DELETE_ACCOUNT, &[])] {
            let mut ana = if refused { old.clone() } else { ana.clone() };
            let answer = ana.form(path, form).await;
            assert_eq!(answer.status == 403, refused, "{settings:?} {path}: {answer:?}");
            if path == paths::USER_CONFIG && !refused {
                assert_eq!(answer.success(), true);
                assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true, "{settings:?}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn guesses_of_the_password_at_the_confirmation_count_as_failed_logins() {
    let (_stack, ana) = Embedded::signed_in(&[("LOGIN_MAX_FAILURES", "3")]).await;
    let mut thief = ana.clone();
    for _ in 0..3 {
        assert_eq!(thief.confirm(OTHER).await.success(), false);
    }
    assert_eq!(thief.confirm(PASSWORD).await.success(), false, "the limit of this browser is reached");
    assert_says(&thief.without_session().login(PASSWORD).await, WRONG_CREDENTIALS, "at the login too");
}

#[tokio::test]
async fn a_link_of_a_notice_lives_seventy_two_hours_and_ends_with_a_lock_and_with_the_account() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    ana.prove_address().await;
    let old = stack.lock_token(&ana).await;
    stack.advance(Duration::from_hours(72));
    assert_says(&ana.elsewhere().lock(&old).await, INVALID_TOKEN, "after 72 hours");
    let first = stack.lock_token(&ana).await;
    stack.advance(Duration::from_hours(71));
    let second = stack.lock_token(&ana).await;
    assert_says(&ana.elsewhere().lock(&first).await, LOCKED, "after 71 hours");
    assert_says(&ana.elsewhere().lock(&second).await, INVALID_TOKEN, "every other link has ended");
    let mut home = ana.elsewhere();
    let token = home.newest_token().await;
    assert_says(&home.reset(&token, PASSWORD).await, RESET, "the reset link");

    home.login(PASSWORD).await;
    let third = stack.lock_token(&home).await;
    assert_eq!(home.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert_says(&ana.elsewhere().lock(&third).await, INVALID_TOKEN, "no account");
    let mut successor = home.elsewhere().signed_in().await;
    assert_says(&ana.elsewhere().lock(&third).await, INVALID_TOKEN, "a later account of the address");
    assert_eq!(successor.session().await.status, 200);
}

#[tokio::test]
async fn a_lock_whose_mail_cannot_be_sent_can_be_repeated_with_the_same_link() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let lock = stack.lock_token(&ana).await;
    stack.mail.fail_always(journeys::Failure::Error);
    let mut home = ana.elsewhere();
    assert_eq!(home.lock(&lock).await.status, 500);
    assert_eq!(ana.clone().session().await.status, 401, "it is locked all the same");
    stack.mail.heal();
    assert_says(&home.lock(&lock).await, LOCKED, "again");
    let token = home.newest_token().await;
    assert_says(&home.reset(&token, OTHER).await, RESET, "the reset link");
}
