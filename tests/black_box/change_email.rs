//! The change of an account's address, and its undoing by the lock of the link in the notice to the old one.

use journeys::sentences::{
    DELETED, EMAIL_CHANGED, EMAIL_INVALID, EMAIL_MISSING, EMAIL_TAKEN, INVALID_PASSKEY, INVALID_TOKEN, LOCKED,
    LOCKED_WITHOUT_LINK, LOGGED_IN, REGISTERED, RESET, UNKNOWN_EMAIL, WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service, Visitor, paths};
use serde_json::json;

const OTHER: &str = "Otra1234";
const NOTICE: &str = "El email de tu cuenta ha cambiado";

/// Somebody with this address who has no session.
fn at(email: &str, of: &Visitor) -> Visitor {
    Visitor { email: email.to_owned(), ..of.elsewhere() }
}

/// The token of the notice to the address that a change has left.
async fn way_back(old: &Visitor) -> String {
    old.first_letter(NOTICE).await;
    old.lock_tokens().await.swap_remove(0)
}

#[tokio::test]
async fn the_address_changes_when_the_link_to_the_new_one_is_opened_and_everything_else_stays() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut authenticator = ana.with_passkey().await;
    let mut phone = ana.on_another_device().await;
    let id = ana.session().await.user("id");
    let (old, new) = (ana.email.clone(), ana.new_email());

    let token = ana.change_token(&new).await;
    assert_eq!(ana.session().await.user("email"), old, "until the link is opened");
    assert_says(&at(&new, &ana).login(PASSWORD).await, WRONG_CREDENTIALS, "the new address before");
    let changed = at(&new, &ana).confirm_email(&token).await;
    assert_says(&changed, EMAIL_CHANGED, "changed");
    assert!(changed.set_cookies().is_empty(), "it opens nothing");

    assert_eq!(ana.session().await.user("email"), new, "the session that asked for it stays");
    assert_eq!(phone.session().await.status, 401, "the others end");
    let login = at(&new, &ana).login(PASSWORD).await;
    assert_says(&login, LOGGED_IN, "with the new address");
    assert_eq!(login.user("id"), id);
    let by_passkey = ana.elsewhere().passkey_login(&mut authenticator).await;
    assert_eq!(by_passkey.user("email"), new, "the passkey stays");
    assert_says(&at(&new, &ana).confirm_email(&token).await, INVALID_TOKEN, "the link again");
    let sent = ana.form(paths::SEND_VERIFICATION, &[]).await;
    assert_eq!(sent.json()["message"], "El email ya está verificado", "the link has proved the address");
}

#[tokio::test]
async fn an_address_that_was_left_reaches_nothing_and_can_be_registered_by_anybody() {
    let ana = Service::shared().visitor().signed_in().await;
    let (old, new) = (ana.email.clone(), ana.new_email());
    let reset = ana.clone().reset_token().await;
    let mut ana = ana.moved_to(&new).await;

    let mut eva = at(&old, &ana);
    assert_says(&eva.login(PASSWORD).await, WRONG_CREDENTIALS, "login");
    assert_says(&eva.form(paths::SEND_RESET_LINK, &[("email", &old)]).await, UNKNOWN_EMAIL, "reset link");
    assert_says(&eva.reset(&reset, OTHER).await, INVALID_TOKEN, "an older reset link");
    let changes = [("password", OTHER), ("confirm-password", OTHER)];
    assert_says(&eva.register_with(&changes).await, REGISTERED, "somebody else");
    assert_says(&eva.register().await, EMAIL_TAKEN, "once");
    assert_says(&eva.login(OTHER).await, LOGGED_IN, "the new owner");
    assert_ne!(eva.session().await.user("id"), ana.session().await.user("id"));
    assert_says(&at(&old, &ana).login(PASSWORD).await, WRONG_CREDENTIALS, "the password of the one who left");
    assert_says(&at(&new, &ana).register().await, EMAIL_TAKEN, "the address that is in use");

    // Each has their own way of everything that looks an address up.
    eva.reset_to(PASSWORD).await;
    ana.reset_to(OTHER).await;
    assert_says(&eva.login(PASSWORD).await, LOGGED_IN, "eva");
    assert_says(&ana.login(OTHER).await, LOGGED_IN, "ana");
    // The deletion of one touches nothing of the other, and frees its address alone.
    assert_says(&ana.form(paths::DELETE_ACCOUNT, &[]).await, DELETED, "ana");
    assert_eq!(eva.session().await.user("email"), old);
    assert_says(&eva.elsewhere().register().await, EMAIL_TAKEN, "eva is there");
    assert_says(&at(&new, &ana).register().await, REGISTERED, "the address of the deleted account");
    assert_says(&eva.form(paths::DELETE_ACCOUNT, &[]).await, DELETED, "eva");
    assert_says(&eva.elsewhere().register().await, REGISTERED, "and again");
}

#[tokio::test]
async fn an_invalid_or_taken_address_is_refused_and_so_is_a_link_whose_address_was_taken_meanwhile() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let eva = Service::shared().visitor().registered().await;
    let own = ana.email.clone();
    for (email, refusal) in
        [("", EMAIL_MISSING), ("ana", EMAIL_INVALID), (&*eva.email, EMAIL_TAKEN), (&*own, EMAIL_TAKEN)]
    {
        assert_says(&ana.change_email(email).await, refusal, email);
    }
    let new = ana.new_email();
    let token = ana.change_token(&new).await;
    assert_says(&at(&new, &ana).register().await, REGISTERED, "somebody was faster");
    assert_says(&ana.confirm_email(&token).await, INVALID_TOKEN, "taken");
    assert_eq!(ana.session().await.user("email"), own);
    for token in ["", "x", &ana.reset_token().await] {
        assert_says(&ana.elsewhere().confirm_email(token).await, INVALID_TOKEN, token);
    }
}

#[tokio::test]
async fn a_link_to_a_new_address_dies_with_a_newer_one_and_with_a_new_password() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let (first, second) = (ana.new_email(), format!("x{}", ana.new_email()));
    let older = ana.change_token(&first).await;
    let newer = ana.change_token(&second).await;
    assert_says(&ana.confirm_email(&older).await, INVALID_TOKEN, "older");
    let reset = ana.reset_token().await;
    assert_says(&ana.elsewhere().reset(&reset, OTHER).await, RESET, "new password");
    assert_says(&ana.confirm_email(&newer).await, INVALID_TOKEN, "the password is another");
    assert_says(&ana.login(OTHER).await, LOGGED_IN, "the address is the same");
}

#[tokio::test]
async fn whoever_changed_the_address_of_a_stolen_account_loses_it_to_the_owner_of_the_old_one() {
    let ana = Service::shared().visitor().signed_in().await;
    let (old, new) = (ana.email.clone(), ana.new_email());
    let mut thief = ana.on_another_device().await;
    let mut authenticator = thief.with_passkey().await;
    let mut thief = thief.moved_to(&new).await;
    // A second change does not make the first one final.
    let far = format!("x{new}");
    thief = thief.moved_to(&far).await;

    let mut owner = at(&old, &ana);
    let lock = way_back(&owner).await;
    assert_says(&owner.lock(&lock).await, LOCKED, "locked");
    assert_eq!(thief.session().await.status, 401);
    for email in [&new, &far] {
        assert_says(&at(email, &ana).login(PASSWORD).await, WRONG_CREDENTIALS, email);
        let asked = at(email, &ana).form(paths::SEND_RESET_LINK, &[("email", email)]).await;
        assert_says(&asked, UNKNOWN_EMAIL, email);
    }
    assert_says(&thief.elsewhere().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "the passkey");
    let token = owner.newest_token().await;
    assert_says(&owner.reset(&token, OTHER).await, RESET, "the link to the old address");
    let login = owner.login(OTHER).await;
    assert_says(&login, LOGGED_IN, "the owner");
    assert_eq!(login.user("email"), old);
}

#[tokio::test]
async fn an_unproved_account_that_took_the_old_address_meanwhile_does_not_keep_the_owner_out() {
    let ana = Service::shared().visitor().signed_in().await;
    let (old, new) = (ana.email.clone(), ana.new_email());
    let id = ana.clone().session().await.user("id");
    let thief = ana.moved_to(&new).await;
    let mut squatter = at(&old, &thief);
    assert_says(&squatter.register().await, REGISTERED, "squatter");
    squatter.login(PASSWORD).await;
    let mut owner = at(&old, &thief);
    let lock = way_back(&owner).await;
    assert_says(&owner.lock(&lock).await, LOCKED, "locked");
    assert_eq!(squatter.session().await.status, 401, "the squatter");
    let token = owner.newest_token().await;
    assert_says(&owner.reset(&token, OTHER).await, RESET, "the owner");
    assert_eq!(owner.login(OTHER).await.user("id"), id, "has the first account");
    assert_says(&at(&new, &owner).register().await, REGISTERED, "the thief's address is free");
}

#[tokio::test]
async fn an_account_whose_first_address_somebody_else_had_left_gets_it_back_too() {
    let first = Service::shared().visitor().signed_in().await;
    let (left, new) = (first.elsewhere(), first.new_email());
    first.moved_to(&new).await;
    let mut ana = left.clone().signed_in().await;
    // An address that nobody has proved is told once.
    ana.prove_address().await;
    let thief = ana.moved_to(&format!("x{new}")).await;
    let mut tokens = Vec::new();
    while tokens.len() < 2 {
        way_back(&left).await;
        tokens = left.lock_tokens().await;
    }
    let lock = tokens.swap_remove(0);
    assert_says(&left.clone().lock(&lock).await, LOCKED, "locked");
    let token = left.newest_token().await;
    assert_says(&left.clone().reset(&token, OTHER).await, RESET, "the owner");
    assert_says(&left.clone().login(OTHER).await, LOGGED_IN, "the owner");
    assert_says(&thief.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the thief");
}

#[tokio::test]
async fn a_lock_does_not_take_the_old_address_from_an_account_for_which_somebody_has_proved_it() {
    let ana = Service::shared().visitor().signed_in().await;
    let (old, new) = (ana.email.clone(), ana.new_email());
    let mut thief = ana.moved_to(&new).await;
    let mut owner = at(&old, &thief);
    assert_says(&owner.register().await, REGISTERED, "again");
    owner.login(PASSWORD).await;
    owner.prove_address().await;
    let lock = way_back(&owner).await;
    assert_says(&owner.elsewhere().lock(&lock).await, LOCKED_WITHOUT_LINK, "locked");
    assert_eq!(owner.session().await.user("email"), old, "the second account is as it was");
    assert_eq!(thief.session().await.status, 401);
    assert_says(&thief.login(PASSWORD).await, WRONG_CREDENTIALS, "the first account is disabled");
    let asked = thief.form(paths::SEND_RESET_LINK, &[("email", &new)]).await;
    assert_says(&asked, UNKNOWN_EMAIL, "and cannot be reset");
}

#[tokio::test]
async fn google_opens_the_account_that_it_is_linked_to_whatever_its_address_is_now() {
    let mut ana = Service::shared().visitor();
    let claims = json!({"sub": format!("moved-{}", ana.email)});
    let first = ana.google(claims.clone()).await;
    let (old, new) = (ana.email.clone(), ana.new_email());
    let ana = ana.moved_to(&new).await;
    let id = first.user("id");
    let opened = at(&old, &ana).google(claims.clone()).await;
    assert_eq!((opened.json()["status"].clone(), opened.user("id")), (json!("exists"), id.clone()));
    // Somebody else registers the address that was left. The link leads to the same account as before.
    assert_says(&at(&old, &ana).register().await, REGISTERED, "somebody else");
    let opened = at(&old, &ana).google(claims).await;
    assert_eq!((opened.user("id"), opened.user("email")), (id, json!(new)));
}

#[tokio::test]
async fn a_lock_and_a_reset_that_removes_the_passkeys_unlink_the_google_account_of_whoever_had_changed_the_address() {
    for remedy in ["lock", "reset"] {
        let ana = Service::shared().visitor().signed_in().await;
        let id = ana.clone().session().await.user("id");
        let (old, new) = (ana.email.clone(), ana.new_email());
        let thief = ana.clone().moved_to(&new).await;
        let own = json!({"sub": format!("thief-{new}")});
        assert_eq!(at(&new, &thief).google(own.clone()).await.user("id"), id, "{remedy}: linked");

        let mut owner = at(&old, &ana);
        if remedy == "lock" {
            let lock = way_back(&owner).await;
            assert_says(&owner.lock(&lock).await, LOCKED, remedy);
        } else {
            // The owner has confirmed the way back, but not yet ended what the thief has made.
            thief.moved_to(&old).await;
            let token = owner.reset_token().await;
            assert_says(&owner.reset_with(&token, OTHER, "remove").await, RESET, remedy);
        }
        let answer = at(&new, &ana).google(own).await;
        assert_eq!(answer.json()["status"], "inserted", "{remedy}: the thief has an account of their own");
        let answer = owner.google(json!({"sub": format!("owner-{old}")})).await;
        assert_eq!(answer.user("id"), id, "{remedy}: the Google account of the address links itself");
    }
}
