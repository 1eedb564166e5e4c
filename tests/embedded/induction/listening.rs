//! What the function `notices` writes, and further requests in states that the catalogue does not prepare.

use std::time::Duration;

use journeys::{Embedded, Failure, PASSWORD, Visitor, paths};
use serde_json::json;
use shared::store::{Accounts, Activities, Happened, Locks};
use shared::{Account, Email};

use super::recording::{Recorder, setup};
use super::writes::Right;

const STREAM: Right = Right::Stream;

async fn deliver(recorder: &mut Recorder, stack: &Embedded, name: &str) {
    recorder.record(stack, (name, STREAM), stack.deliver_changes()).await;
}

async fn account(stack: &Embedded, visitor: &Visitor) -> Account {
    let found = Accounts::new(&setup(stack)).by_email(&Email::parse(&visitor.email).unwrap()).await;
    found.unwrap().unwrap()
}

pub(super) async fn record(recorder: &mut Recorder) {
    notices(recorder).await;
    budgets(recorder).await;
    withdrawn(recorder).await;
    links(recorder).await;
    ways_back(recorder).await;
    resets(recorder).await;
    others(recorder).await;
}

/// Everything that a change leads to: letters, activity, ended sessions, an erasure.
async fn notices(recorder: &mut Recorder) {
    let settings = [("NOTICES", "on"), ("VERIFY_EMAIL", "on"), ("LOGIN_MAX_FAILURES", "20")];
    let stack = Embedded::start(&settings).await;
    let mut ana = stack.service.visitor().registered().await;
    deliver(recorder, &stack, "notices of a registration").await;
    ana.login(PASSWORD).await;
    deliver(recorder, &stack, "notices of a login").await;
    let token = ana.mailed_tokens().await.swap_remove(0);
    ana.verify(&token).await;
    for _ in 0..2 {
        ana.elsewhere().login("Wrong1234").await;
    }
    deliver(recorder, &stack, "notices of refused logins").await;
    let at = stack.now();
    let changed = Happened { at, kind: "password-changed", method: None, browser: Some("Firefox".to_owned()) };
    let activities = Activities::new(&setup(&stack));
    recorder
        .record(&stack, ("notices of a new password in a browser", STREAM), activities.add(1, &changed))
        .await
        .unwrap();
    ana.google(json!({"sub": "200000000000000000002"})).await;
    deliver(recorder, &stack, "notices of a login with Google").await;
    ana.form(paths::EXPORT_ACCOUNT, &[]).await;
    deliver(recorder, &stack, "notices of an export").await;
    let mut elsewhere = ana.elsewhere();
    elsewhere.login(PASSWORD).await;
    elsewhere.form(paths::CLOSE_SESSION, &[("others", "on")]).await;
    deliver(recorder, &stack, "notices of ended sessions").await;
    elsewhere.form(paths::DELETE_ACCOUNT, &[]).await;
    deliver(recorder, &stack, "notices of a deletion").await;
    deliver(recorder, &stack, "notices of an erasure").await;
}

/// Budgets of mails that are used up, and count again.
async fn budgets(recorder: &mut Recorder) {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "1"), ("NOTICES", "on")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    let token = ana.reset_token().await;
    stack.advance(Duration::from_mins(10));
    let email = ana.email.clone();
    let link = [("email", &*email)];
    let mut asking = ana.elsewhere();
    let again = asking.form(paths::SEND_RESET_LINK, &link);
    recorder.record(&stack, ("reset-link beyond its share", Right::Other), again).await;
    ana.reset(&token, PASSWORD).await;
    ana.login(PASSWORD).await;
    for name in ["notices of a new password", "notices beyond their share"] {
        ana.form(paths::EXPORT_ACCOUNT, &[]).await;
        deliver(recorder, &stack, name).await;
    }
    stack.advance(Duration::from_hours(25));
    let later = asking.form(paths::SEND_RESET_LINK, &link);
    recorder.record(&stack, ("reset-link a day later", Right::Other), later).await;
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "1")]).await;
    let ana = stack.service.visitor().registered().await;
    ana.elsewhere().login("Wrong1234").await;
    stack.advance(Duration::from_hours(1));
    let mut later = ana.elsewhere();
    recorder.record(&stack, ("login after the window", Right::Other), later.login(PASSWORD)).await;
}

/// Mails that fail, after which a token is withdrawn.
async fn withdrawn(recorder: &mut Recorder) {
    let settings = [("VERIFY_EMAIL", "on"), ("RESET_COOLDOWN_SECONDS", "60"), ("NOTICES", "on")];
    let stack = Embedded::start(&settings).await;
    let mut ana = stack.service.visitor().signed_in().await;
    stack.mail.fail_always(Failure::Error);
    deliver(recorder, &stack, "notices without mail").await;
    let email = ana.email.clone();
    let link = [("email", &*email)];
    let asked = ana.form(paths::SEND_RESET_LINK, &link);
    recorder.record(&stack, ("reset-link without mail", Right::Other), asked).await;
    let asked = ana.form(paths::SEND_VERIFICATION, &[]);
    recorder.record(&stack, ("send-verification without mail", Right::Other), asked).await;
    stack.mail.heal();
    let token = stack.lock_token(&ana).await;
    stack.mail.fail_always(Failure::Error);
    recorder.record(&stack, ("lock without mail", Right::Token("lock_links")), ana.lock(&token)).await;
}

/// The links of notices of an account that has as many as it may have.
async fn links(recorder: &mut Recorder) {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().registered().await;
    let (locks, account) = (Locks::new(&setup(&stack)), account(&stack, &ana).await);
    for _ in 0..64 {
        locks.issue(&account).await.unwrap();
    }
    recorder.record(&stack, ("notices of an account with many links", STREAM), locks.issue(&account)).await.unwrap();
}

/// Locks of accounts that have changed their address.
async fn ways_back(recorder: &mut Recorder) {
    for (name, has_passkey, other) in [
        ("lock after a change of address", false, None),
        ("lock of an account with a passkey after a change of address", true, None),
        ("lock after a stranger has registered the address", false, Some(false)),
        ("lock after a stranger has proved the address", false, Some(true)),
    ] {
        let stack = Embedded::start(&[("NOTICES", "on")]).await;
        let mut ana = stack.service.visitor().signed_in().await;
        let token = ana.verification_token().await;
        ana.verify(&token).await;
        if has_passkey {
            ana.with_passkey().await;
        }
        let old = ana.clone();
        let ana = ana.moved_to(&old.new_email()).await;
        assert!(stack.deliver_changes().await);
        let tokens = old.lock_tokens().await;
        if other.is_none() && !has_passkey {
            let stack = Embedded::start(&[("NOTICES", "on")]).await;
            let moving = stack.service.visitor().signed_in().await;
            let new = moving.new_email();
            let mut moved = moving.moved_to(&new).await;
            stack.advance(Duration::from_hours(80));
            let token = stack.lock_token(&moved).await;
            let late = ("lock long after a change of address", Right::Token("lock_links"));
            recorder.record(&stack, late, moved.lock(&token)).await;
        }
        if let Some(is_proved) = other {
            let mut stranger = old.elsewhere().registered().await;
            stranger.login(PASSWORD).await;
            if is_proved {
                let token = stranger.verification_token().await;
                stranger.verify(&token).await;
            }
        }
        let mut owner = ana.elsewhere();
        recorder.record(&stack, (name, Right::Token("lock_links")), owner.lock(&tokens[0])).await;
    }
}

/// Resets that the catalogue does not have.
async fn resets(recorder: &mut Recorder) {
    let stack = Embedded::start(&[("COMMON_PASSWORDS", "refuse"), ("NOTICES", "on")]).await;
    let password = "jkwe-78-fhsd-QA";
    let mut ana = stack.service.visitor();
    let changes = [("password", password), ("confirm-password", password)];
    assert_eq!(ana.register_with(&changes).await.success(), true);
    let email = ana.email.clone();
    let link = [("email", &*email)];
    let asked = ana.form(paths::SEND_RESET_LINK, &link);
    recorder.record(&stack, ("reset-link where common passwords are refused", Right::Other), asked).await;
    let token = ana.mailed_tokens().await.swap_remove(0);
    let right = Right::Token("reset_hash");
    let done = ana.reset(&token, "mnbt-93-plok-ZX");
    recorder.record(&stack, ("reset where common passwords are refused", right), done).await;
    let asked = ana.form(paths::SEND_RESET_LINK, &link);
    recorder.record(&stack, ("reset-link of a verified account", Right::Other), asked).await;
    let token = ana.mailed_tokens().await.swap_remove(0);
    let done = ana.reset_with(&token, "mnbt-93-plok-ZY", "remove");
    recorder.record(&stack, ("reset of an account without passkeys", right), done).await;
    ana.login("mnbt-93-plok-ZY").await;
    ana.form(paths::EXPORT_ACCOUNT, &[]).await;
    assert!(stack.deliver_changes().await);
    let token = ana.lock_tokens().await.swap_remove(0);
    let lock = ana.lock(&token);
    recorder.record(&stack, ("lock where common passwords are refused", Right::Token("lock_links")), lock).await;
}

/// Further ways to sign in.
async fn others(recorder: &mut Recorder) {
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    // An identity that takes the place of another one.
    let mut ana = stack.service.visitor().signed_in().await;
    ana.google(json!({"sub": "200000000000000000003"})).await;
    let mut elsewhere = ana.elsewhere();
    let other = elsewhere.google(json!({"sub": "200000000000000000004"}));
    recorder.record(&stack, ("google with another identity", Right::Other), other).await;
    // A link to an account that nobody has proved, with a passkey.
    let mut eva = stack.service.visitor().signed_in().await;
    eva.with_passkey().await;
    let mut elsewhere = eva.elsewhere();
    let link = elsewhere.google(json!({"sub": "200000000000000000005"}));
    recorder.record(&stack, ("google that links an account with a passkey", Right::Other), link).await;
    // A link to a proved account.
    let mut leo = stack.service.visitor().signed_in().await;
    let token = leo.verification_token().await;
    leo.verify(&token).await;
    let mut elsewhere = leo.elsewhere();
    let link = elsewhere.google(json!({"sub": "200000000000000000006"}));
    recorder.record(&stack, ("google that links a verified account", Right::Other), link).await;
    // A login with a passkey in a new browser.
    let mut zoe = stack.service.visitor().signed_in().await;
    let mut authenticator = zoe.with_passkey().await;
    let mut elsewhere = zoe.elsewhere();
    let login = elsewhere.passkey_login(&mut authenticator);
    recorder.record(&stack, ("passkey-login of a new browser", Right::Other), login).await;
}
